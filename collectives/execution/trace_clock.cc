// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/trace_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/time_limits.h"

namespace heddle {

TraceClock::TraceClock(ExecutionContext* context, CollectiveRunner* runner, WakeCall wake)
    : context_(context),
      runner_(runner),
      job_(runner->job()),
      graph_(*job_.job().program.graph),
      rank_(graph_.ranks[runner->rank()]),
      window_(graph_, runner->rank()),
      wake_(std::move(wake)),
      until_(job_.job().start),
      end_(job_.job().start) {
  std::fill(std::begin(slots_), std::end(slots_), kNobody);
}

void TraceClock::Free(std::uint32_t node) {
  live_[node].node = window_.Node(node);
  free_.insert(node);
}

void TraceClock::Begin() {
  for (const std::uint32_t root : rank_.roots) Free(root);
  running_ = true;
  StartFree(job_.job().start);
  RunUntil(job_.job().start);
}

void TraceClock::Woken(Time now) {
  HEDDLE_INVARIANT(!wakes_.empty(), "a program was woken that did not ask for it");
  wakes_.pop_back();
  RunUntil(now - context_->graph_lag);
}

void TraceClock::RunUntil(Time until) {
  running_ = true;
  while (!events_.empty() && events_.begin()->time <= until) {
    // What was reported late counts at its own time; what follows does not come before what has
    // run.
    const Time at = std::max(events_.begin()->time, until_);
    CountWait(at);
    while (!events_.empty() && events_.begin()->time <= at) {
      const Event event = *events_.begin();
      events_.erase(events_.begin());
      End(event.node, event.time);
    }
    StartFree(at);
    until_ = at;
  }
  running_ = false;
  FinishIfDone();
  WakeForNext();
}

TraceClock::Slot TraceClock::SlotOf(const GraphNode& node) const {
  switch (node.kind) {
    case GraphNode::Kind::kCpu:
      return kCpuSlot;
    case GraphNode::Kind::kGpu:
      return kGpuSlot;
    case GraphNode::Kind::kMemory:
      return graph_.one_communication ? kCommunicationSlot : kMemorySlot;
    case GraphNode::Kind::kOpen:
    case GraphNode::Kind::kCollective:
    case GraphNode::Kind::kSend:
      return graph_.one_communication && !node.inner ? kCommunicationSlot : kNoSlot;
    case GraphNode::Kind::kNothing:
    case GraphNode::Kind::kClose:
    case GraphNode::Kind::kDelay:
    case GraphNode::Kind::kReceive:
      break;
  }
  return kNoSlot;
}

void TraceClock::StartFree(Time at) {
  for (auto next = free_.begin(); next != free_.end();) {
    const std::uint32_t node = *next;
    const Slot slot = SlotOf(NodeAt(node));
    if (slot != kNoSlot && slots_[slot] != kNobody) {
      ++next;
      continue;
    }
    free_.erase(next);
    if (slot != kNoSlot) slots_[slot] = node;
    Start(node, at);
    // What takes no time may have made earlier nodes free.
    const bool ended = live_.count(node) == 0;
    next = ended ? free_.begin() : free_.upper_bound(node);
  }
}

void TraceClock::Start(std::uint32_t node, Time at) {
  Live& live = live_.at(node);
  live.started = true;
  const GraphNode& n = live.node;
  if (n.communicates()) {
    started_[n.operation] = node;
    runner_->Issue(n.operation, at);
    return;
  }
  if (n.takes_no_time()) return End(node, at);
  if (n.time > kEndOfTime - at)
    throw Error(ExitCode::kStalled,
                fmt::format("node {} of {} would end beyond the limit of the simulated time, "
                            "{:.0f} days",
                            n.id, rank_.file, kEndOfTime.seconds() / 86400));
  if (n.kind == GraphNode::Kind::kGpu) LayerOf(n).compute[0] += n.time;
  if (!n.inner) AddStep(StepRecord::Kind::kCompute, n, at, at + n.time);
  events_.insert({at + n.time, node});
}

void TraceClock::End(std::uint32_t node, Time at) {
  const auto live = live_.find(node);
  const GraphNode::Kind kind = live->second.node.kind;
  Slot slot = SlotOf(live->second.node);
  live_.erase(live);
  if (kind == GraphNode::Kind::kOpen && slot != kNoSlot) open_ = node;
  if (kind == GraphNode::Kind::kClose && open_ != kNobody) {
    slot = kCommunicationSlot;
    open_ = kNobody;
  }
  ++ended_;
  end_ = std::max(end_, at);
  if (slot != kNoSlot && open_ != node) slots_[slot] = kNobody;
  for (const std::uint32_t follower : window_.FollowersOf(node)) {
    std::uint32_t& left = waits_.FindOrInsert(follower, FlatMap::kNone);
    if (left == FlatMap::kNone) left = window_.Node(follower).waits;
    if (--left > 0) continue;
    waits_.Erase(follower);
    Free(follower);
  }
}

void TraceClock::Ended(std::uint32_t operation, Time issued, Time at) {
  const GraphNode& node = NodeAt(started_.at(operation));
  LayerOf(node).total[0] += at - issued;
  AddStep(StepRecord::Kind::kCommunicate, node, issued, at);
}

void TraceClock::MayGoOn(std::uint32_t operation, Time at) {
  const auto node = started_.find(operation);
  events_.insert({at, node->second});
  started_.erase(node);
  WakeForNext();
}

void TraceClock::WakeForNext() {
  if (running_ || events_.empty()) return;
  const Time wake = events_.begin()->time + context_->graph_lag;
  if (!wakes_.empty() && wakes_.back() <= wake) return;
  wakes_.push_back(wake);
  wake_(wake);
}

void TraceClock::CountWait(Time at) {
  const bool computes = slots_[kCpuSlot] != kNobody || slots_[kGpuSlot] != kNobody;
  if (at <= until_ || computes) return;
  // Nodes that have ended by now are still among the events.
  std::uint32_t first = kNobody;
  for (const Event& event : events_) {
    if (event.time > at) break;
    if (NodeAt(event.node).communicates()) first = std::min(first, event.node);
  }
  for (const auto& [operation, node] : started_) first = std::min(first, node);
  if (first != kNobody) LayerOf(NodeAt(first)).exposed[0] += at - until_;
}

LayerRecord& TraceClock::LayerOf(const GraphNode& node) {
  const auto [at, is_new] = layers_.try_emplace(node.name, context_->layers.size());
  if (is_new) {
    LayerRecord record;
    record.job = job_.index();
    record.rank = runner_->rank();
    record.gpu = runner_->gpu();
    record.layer = node.name;
    context_->layers.push_back(record);
  }
  return context_->layers[at->second];
}

void TraceClock::FinishIfDone() {
  if (done_ || ended_ < window_.size()) return;
  done_ = true;
  RecordFinish();
}

void TraceClock::RecordFinish() {
  context_->finishes.push_back({job_.index(), runner_->rank(), runner_->gpu(), end_});
}

void TraceClock::AddStep(StepRecord::Kind kind, const GraphNode& node, Time start, Time end) {
  if (!context_->timeline) return;
  context_->steps.push_back({job_.index(), runner_->gpu(), 0, node.name, node.operation,
                             Phase::kForward, kind, start, end});
}

std::string TraceClock::Describe(const GraphNode& node) const {
  switch (node.kind) {
    case GraphNode::Kind::kCpu:
    case GraphNode::Kind::kGpu:
      return "a computation";
    case GraphNode::Kind::kMemory:
      return "an access of memory";
    case GraphNode::Kind::kSend:
    case GraphNode::Kind::kReceive: {
      const CollectiveSpec& spec = job_.Op(node.operation).spec;
      const std::vector<std::uint32_t>& ranks =
          job_.job().program.lists.Members(job_.Op(node.operation).list);
      const bool sends = node.kind == GraphNode::Kind::kSend;
      return fmt::format("a {} {}, tag {}", sends ? "send to" : "receive from",
                         ranks[sends ? spec.peer : spec.root], node.tag);
    }
    case GraphNode::Kind::kCollective:
      return job_.NameOf(node.operation);
    case GraphNode::Kind::kDelay:
      return "a computation of an algorithm";
    case GraphNode::Kind::kNothing:
    case GraphNode::Kind::kOpen:
    case GraphNode::Kind::kClose:
      break;
  }
  return "nothing";
}

std::string TraceClock::Waiting() const {
  std::uint64_t started = 0;
  const GraphNode* first = nullptr;
  for (const auto& [index, live] : live_) {
    if (!live.started) continue;
    ++started;
    if (first == nullptr) first = &live.node;
  }
  const std::string left =
      fmt::format("{} of its {} nodes have not ended", window_.size() - ended_, window_.size());
  if (first == nullptr) return left;
  return fmt::format("{}, node {} of {}{}; {}", Describe(*first), first->id, rank_.file,
                     started > 1 ? fmt::format(" and {} more that have started", started - 1) : "",
                     left);
}

std::size_t TraceClock::memory() const {
  return sizeof(*this) + window_.memory() + waits_.memory() + MemoryOfTree(live_) +
         MemoryOfTree(free_) + MemoryOfTree(started_) + MemoryOfTree(events_) +
         MemoryOfTree(layers_) + MemoryOf(wakes_);
}

}  // namespace heddle
