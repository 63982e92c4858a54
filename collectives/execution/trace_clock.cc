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
      wake_(std::move(wake)),
      until_(job_.job().start),
      end_(job_.job().start) {
  std::fill(std::begin(slots_), std::end(slots_), kNobody);
  waits_.reserve(rank_.nodes.size());
  for (const GraphNode& node : rank_.nodes) waits_.push_back(node.waits);
}

void TraceClock::Begin() {
  for (std::uint32_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i] != 0) continue;
    waits_[i] = kFree;
    free_.insert(i);
  }
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
    case GraphNode::Kind::kCollective:
    case GraphNode::Kind::kSend:
      return graph_.one_communication ? kCommunicationSlot : kNoSlot;
    case GraphNode::Kind::kNothing:
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
    const bool ended = waits_[node] == kEnded;
    next = ended ? free_.begin() : free_.upper_bound(node);
  }
}

void TraceClock::Start(std::uint32_t node, Time at) {
  const GraphNode& n = NodeAt(node);
  waits_[node] = kStarted;
  if (n.communicates()) {
    started_[n.operation] = node;
    runner_->Issue(n.operation, at);
    return;
  }
  if (n.kind == GraphNode::Kind::kNothing) return End(node, at);
  if (n.time > kEndOfTime - at)
    throw Error(ExitCode::kStalled,
                fmt::format("node {} of {} would end beyond the limit of the simulated time, "
                            "{:.0f} days",
                            n.id, rank_.file, kEndOfTime.seconds() / 86400));
  if (n.kind == GraphNode::Kind::kGpu) LayerOf(n).compute[0] += n.time;
  AddStep(StepRecord::Kind::kCompute, n, at, at + n.time);
  events_.insert({at + n.time, node});
}

void TraceClock::End(std::uint32_t node, Time at) {
  const GraphNode& n = NodeAt(node);
  waits_[node] = kEnded;
  ++ended_;
  end_ = std::max(end_, at);
  const Slot slot = SlotOf(n);
  if (slot != kNoSlot) slots_[slot] = kNobody;
  for (std::uint32_t k = 0; k < n.followers; ++k) {
    const std::uint32_t follower = rank_.followers[n.first_follower + k];
    if (--waits_[follower] > 0) continue;
    waits_[follower] = kFree;
    free_.insert(follower);
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
  if (done_ || ended_ < waits_.size()) return;
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
    case GraphNode::Kind::kNothing:
      break;
  }
  return "nothing";
}

std::string TraceClock::Waiting() const {
  std::uint64_t started = 0;
  const GraphNode* first = nullptr;
  for (std::uint32_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i] != kStarted) continue;
    ++started;
    if (first == nullptr) first = &NodeAt(i);
  }
  const std::string left =
      fmt::format("{} of its {} nodes have not ended", waits_.size() - ended_, waits_.size());
  if (first == nullptr) return left;
  return fmt::format("{}, node {} of {}{}; {}", Describe(*first), first->id, rank_.file,
                     started > 1 ? fmt::format(" and {} more that have started", started - 1) : "",
                     left);
}

std::size_t TraceClock::memory() const {
  return sizeof(*this) + MemoryOf(waits_) + MemoryOfTree(free_) + MemoryOfTree(started_) +
         MemoryOfTree(events_) + MemoryOfTree(layers_) + MemoryOf(wakes_);
}

}  // namespace heddle
