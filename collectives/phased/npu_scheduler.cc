// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/npu_scheduler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {
namespace {

/// Above those of all sets by their order.
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

void InsertSorted(std::vector<std::uint32_t>* numbers, std::uint32_t number) {
  numbers->insert(std::upper_bound(numbers->begin(), numbers->end(), number), number);
}

}  // namespace

NpuScheduler::NpuScheduler(const PhasePlanner* planner, NodeId npu, NpuActions* actions)
    : planner_(*planner), npu_(npu), actions_(actions) {
  const ScaleUpShape& shape = planner_.shape();
  lanes_.resize(shape.FirstLaneOf(shape.dimensions.size()));
  turns_.resize(2 * shape.dimensions.size(), 0);
}

void NpuScheduler::Begin(const CollectiveCall& call, std::uint32_t dimensions, bool late) {
  const std::uint32_t number = next_set_++;
  Set& set = sets_[number];
  set.name = call.name;
  set.operation = call.operation;
  set.bytes = call.bytes;
  set.dimensions = dimensions;
  set.plan = planner_.Plan(call.operation, call.bytes, dimensions);
  set.priority = call.highest                                              ? kHighest
                 : planner_.options().order == PhasedOptions::Order::kLifo ? std::int64_t{number}
                                                                           : -std::int64_t{number};
  set.left = set.plan.phases.empty() ? 0 : static_cast<std::uint32_t>(set.plan.chunks);
  set.chunks.resize(set.left);
  ChooseLanes(&set);
  numbers_.Insert(KeyOf(call.name.job, call.name.operation, call.name.group), number);
  const NpuAction begin{npu_.value, NpuAction::Kind::kBegin, number, 0};
  if (late && set.left > 0) {
    Act(begin, call.start);
  } else {
    actions_->At(call.start, begin);
  }
}

void NpuScheduler::Forget(std::uint32_t set) {
  const CollectiveName& name = sets_.at(set).name;
  numbers_.Erase(KeyOf(name.job, name.operation, name.group));
  sets_.erase(set);
}

void NpuScheduler::ChooseLanes(Set* set) {
  for (Chunk& chunk : set->chunks) {
    for (const PlannedPhase& phase : set->plan.phases) {
      std::uint32_t& turn = turns_[2 * phase.dimension + (phase.first_lane > 0 ? 1 : 0)];
      chunk.lanes.push_back(phase.first_lane + turn % phase.lanes);
      turn = (turn + 1) % phase.lanes;
    }
  }
}

void NpuScheduler::Act(const NpuAction& action, Time now) {
  if (action.kind == NpuAction::Kind::kEndPhase) {
    EndPhase(action.set, action.chunk, now);
    return;
  }
  const auto at = sets_.find(action.set);
  if (at->second.left == 0) {
    const CollectiveName name = at->second.name;
    Forget(action.set);
    actions_->Ended(name, npu_, now);
    return;
  }
  const std::int64_t priority = at->second.priority;
  for (Chunk& chunk : at->second.chunks) chunk.since = now;
  const auto chunks = static_cast<std::uint32_t>(at->second.chunks.size());
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    Insert(&ready_, {priority, action.set, chunk});
    Dispatch(now);
  }
}

void NpuScheduler::Insert(std::vector<Waiting>* list, const Waiting& chunk) const {
  const bool before_equals = planner_.options().equal == PhasedOptions::Order::kLifo;
  const auto at = std::find_if(list->begin(), list->end(), [&](const Waiting& other) {
    return before_equals ? other.priority <= chunk.priority : other.priority < chunk.priority;
  });
  list->insert(at, chunk);
}

void NpuScheduler::Dispatch(Time now) {
  const PhasedOptions& options = planner_.options();
  const auto threshold = static_cast<std::uint32_t>(options.threshold);
  if (in_first_phase_ >= threshold) return;
  std::size_t issued = options.dispatch == PhasedOptions::Dispatch::kFill
                           ? threshold - in_first_phase_
                           : static_cast<std::size_t>(options.batch);
  issued = std::min(issued, ready_.size());
  const std::vector<Waiting> chunks(ready_.begin(),
                                    ready_.begin() + static_cast<std::ptrdiff_t>(issued));
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(issued));
  for (const Waiting& chunk : chunks) {
    ++in_first_phase_;
    const Set& set = sets_.at(chunk.set);
    actions_->Delayed(set.name, 0, {1, now - set.chunks[chunk.chunk].since, 0, {}});
    Enter(chunk.set, chunk.chunk, now);
  }
}

std::uint32_t NpuScheduler::LaneOf(const Set& set, std::uint32_t chunk) const {
  const Chunk& c = set.chunks[chunk];
  return planner_.shape().FirstLaneOf(set.plan.phases[c.phase].dimension) + c.lanes[c.phase];
}

void NpuScheduler::Enter(std::uint32_t set, std::uint32_t chunk, Time now) {
  Set& s = sets_.at(set);
  s.chunks[chunk].since = now;
  LaneQueue& lane = lanes_[LaneOf(s, chunk)];
  const auto most = static_cast<std::uint32_t>(planner_.options().per_lane);
  if (most == 0 || lane.running < most) {
    Start(set, chunk, now);
  } else {
    Insert(&lane.waiting, {s.priority, set, chunk});
  }
}

Time NpuScheduler::EndpointDelay(const PlannedPhase& phase) const {
  return phase.dimension == 0 ? planner_.options().local_endpoint_delay
                              : planner_.options().endpoint_delay;
}

void NpuScheduler::Start(std::uint32_t set, std::uint32_t chunk, Time now) {
  Set& s = sets_.at(set);
  Chunk& c = s.chunks[chunk];
  const PlannedPhase& phase = s.plan.phases[c.phase];
  ++lanes_[LaneOf(s, chunk)].running;
  c.running = true;
  c.received = 0;
  c.since = now - c.since;
  c.sent = c.posted = now + EndpointDelay(phase);
  c.network = {};
  std::uint32_t begin = 0;
  const std::uint32_t first = phase.steps.After(0, &begin, planner_.PlaceOf(npu_, phase, chunk));
  Send(s, chunk, begin, first, c.sent);
  const auto early = early_.find({s.name.job, s.name.operation, s.name.group, chunk, c.phase});
  if (early == early_.end()) return;
  const std::vector<std::uint32_t> numbers = std::move(early->second);
  early_.erase(early);
  for (const std::uint32_t number : numbers) Arrive(set, chunk, number, now);
}

void NpuScheduler::Received(const PhasedName& name, Time when) {
  const std::uint32_t number = numbers_.Find(KeyOf(name.job, name.operation, name.group));
  if (number != FlatMap::kNone) {
    const std::vector<Chunk>& chunks = sets_.at(number).chunks;
    HEDDLE_INVARIANT(name.chunk < chunks.size(), "a message of a chunk that there is not");
    const Chunk& chunk = chunks[name.chunk];
    if (chunk.running && chunk.phase == name.phase)
      return Arrive(number, name.chunk, name.number, when);
  }
  InsertSorted(&early_[{name.job, name.operation, name.group, name.chunk, name.phase}],
               name.number);
}

void NpuScheduler::Arrive(std::uint32_t set, std::uint32_t chunk, std::uint32_t number, Time when) {
  Set& s = sets_.at(set);
  Chunk& c = s.chunks[chunk];
  const LineSteps& steps = s.plan.phases[c.phase].steps;
  const LinePlace place = planner_.PlaceOf(npu_, s.plan.phases[c.phase], chunk);
  const std::uint32_t all = steps.MessagesOf(place);
  HEDDLE_INVARIANT(number < steps.messages && c.received < all &&
                       steps.StepOf(number) >= steps.AwaitedStep(c.received, place),
                   "a phase received a message of a step that is over");
  if (steps.StepOf(number) > steps.AwaitedStep(c.received, place))
    return InsertSorted(&c.ahead, number);
  Take(set, chunk, number, when);
  while (!c.ahead.empty() && c.received < all &&
         steps.StepOf(c.ahead.front()) == steps.AwaitedStep(c.received, place)) {
    const std::uint32_t next = c.ahead.front();
    c.ahead.erase(c.ahead.begin());
    Take(set, chunk, next, when);
  }
}

void NpuScheduler::Take(std::uint32_t set, std::uint32_t chunk, std::uint32_t number, Time when) {
  Set& s = sets_.at(set);
  Chunk& c = s.chunks[chunk];
  const PlannedPhase& phase = s.plan.phases[c.phase];
  ++c.received;
  c.network += std::max(when - c.posted, Time{});
  c.sent = std::max(when, c.sent);  // calls may come in another order than their times
  const Time next = c.sent + EndpointDelay(phase) + planner_.ReductionOf(phase, number);
  std::uint32_t begin = 0;
  const LinePlace place = planner_.PlaceOf(npu_, phase, chunk);
  const std::uint32_t count = phase.steps.After(c.received, &begin, place);
  if (count > 0) {
    Send(s, chunk, begin, count, next);
    c.sent = c.posted = next;
  }
  if (c.received == phase.steps.MessagesOf(place)) {
    actions_->At(next, {npu_.value, NpuAction::Kind::kEndPhase, set, chunk});
  }
}

void NpuScheduler::Send(const Set& set, std::uint32_t chunk, std::uint32_t begin,
                        std::uint32_t count, Time start) {
  const Chunk& c = set.chunks[chunk];
  const PlannedPhase& phase = set.plan.phases[c.phase];
  const bool clockwise = planner_.IsClockwise(phase, c.lanes[c.phase]);
  for (std::uint32_t number = begin; number < begin + count; ++number) {
    const NodeId to = planner_.To(npu_, phase, number, chunk, clockwise);
    PhasedName name;
    name.node = to.value;
    name.source = npu_.value;
    name.operation = set.name.operation;
    name.group = set.name.group;
    name.chunk = chunk;
    name.number = number;
    name.job = set.name.job;
    name.phase = c.phase;
    FlowPost post;
    post.start = post.asked = start;
    post.source = npu_;
    post.destination = to;
    post.size = phase.BytesOf(number);
    const auto lane = static_cast<std::uint16_t>(LaneOf(set, chunk));
    if (planner_.StaysOnLane(npu_, phase, number, chunk)) post.lane = lane;
    post.order = (std::uint64_t{set.name.operation} & 0xfffff) << 44 |
                 (std::uint64_t{chunk} & 0xffff) << 28 | std::uint64_t{c.phase} << 24 |
                 (number & 0xffffff);
    post.cookie = FlowCookie::Of(name);
    post.origin = {set.name.operation, chunk, lane, set.name.job};
    post.send_recv = set.operation == Operation::kAllToAll;
    actions_->Post(post);
  }
}

void NpuScheduler::EndPhase(std::uint32_t set, std::uint32_t chunk, Time now) {
  Set& s = sets_.at(set);
  Chunk& c = s.chunks[chunk];
  const std::uint32_t lane = LaneOf(s, chunk);
  --lanes_[lane].running;
  c.running = false;
  if (c.phase == 0) --in_first_phase_;
  ++c.phase;
  actions_->Delayed(s.name, c.phase, {1, c.since, c.received, c.network});
  if (c.phase < s.plan.phases.size()) {
    Enter(set, chunk, now);
  } else if (--s.left == 0) {
    const CollectiveName name = s.name;
    Forget(set);
    actions_->Ended(name, npu_, now);
  }
  StartNext(lane, now);
  Dispatch(now);
}

void NpuScheduler::StartNext(std::uint32_t lane, Time now) {
  LaneQueue& queue = lanes_[lane];
  const auto most = static_cast<std::uint32_t>(planner_.options().per_lane);
  while (!queue.waiting.empty() && queue.running < most) {
    const Waiting next = queue.waiting.front();
    queue.waiting.erase(queue.waiting.begin());
    Start(next.set, next.chunk, now);
  }
}

std::size_t NpuScheduler::memory() const {
  std::size_t sum = sizeof *this + MemoryOfTree(sets_) + MemoryOf(ready_) + MemoryOf(lanes_) +
                    MemoryOf(turns_) + MemoryOfTree(early_) + numbers_.memory();
  for (const auto& [name, numbers] : early_) sum += MemoryOf(numbers);
  for (const auto& [number, set] : sets_) {
    sum += MemoryOf(set.chunks) + MemoryOf(set.plan.phases);
    for (const Chunk& chunk : set.chunks) sum += MemoryOf(chunk.lanes) + MemoryOf(chunk.ahead);
  }
  return sum;
}

}  // namespace heddle
