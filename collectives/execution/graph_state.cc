// SPDX-License-Identifier: GPL-2.0-only
// State of programs that are graphs in a checkpoint. The programs themselves are made again.
#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "collectives/execution/trace_clock.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"

namespace heddle {

void TraceClock::SavePosition(StateWriter* to) const {
  const std::vector<Event> events(events_.begin(), events_.end());
  *to << waits_ << events << wakes_ << until_ << end_;
  StateCount layers(layers_.size());
  *to << layers;
  for (const auto& [name, index] : layers_) {
    LayerRecord record = context_->layers[index];
    std::uint32_t layer = name;
    *to << layer << record;
  }
}

void TraceClock::LoadPosition(StateReader* from) {
  const std::size_t nodes = waits_.size();
  std::vector<Event> events;
  *from >> waits_ >> events >> wakes_ >> until_ >> end_;
  ExpectState(waits_.size() == nodes, "another number of nodes than a program");
  LoadLayers(from);
  events_ = {events.begin(), events.end()};
  ExpectState(events_.size() == events.size(), "a node that ends twice");
  ended_ = static_cast<std::uint64_t>(std::count(waits_.begin(), waits_.end(), kEnded));
  FindStarted();
  CheckLoaded();
  done_ = ended_ == nodes;
  if (done_) RecordFinish();
}

void TraceClock::LoadLayers(StateReader* from) {
  for (const auto& [name, index] : layers_) {
    const LayerRecord old = context_->layers[index];
    LayerRecord none;
    none.job = old.job;
    none.rank = old.rank;
    none.gpu = old.gpu;
    none.layer = old.layer;
    context_->layers[index] = none;
  }
  StateCount count;
  *from >> count;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode node;
    *from >> node.name;
    ExpectState(node.name < job_.job().workload.layers.size(), "a name that no node has");
    *from >> LayerOf(node);
  }
}

/// Finds what follows from the nodes' states: the free ones, the slots, what communicates.
void TraceClock::FindStarted() {
  free_.clear();
  started_.clear();
  std::fill(std::begin(slots_), std::end(slots_), kNobody);
  std::set<std::uint32_t> ending;
  for (const Event& event : events_) {
    ExpectState(event.node < waits_.size() && waits_[event.node] == kStarted &&
                    ending.insert(event.node).second && event.time >= Time{0},
                "the end of a node that has not started");
  }
  for (std::uint32_t i = 0; i < waits_.size(); ++i) {
    const GraphNode& node = NodeAt(i);
    if (waits_[i] == kFree) free_.insert(i);
    if (waits_[i] != kStarted) continue;
    const Slot slot = SlotOf(node);
    ExpectState(slot == kNoSlot || slots_[slot] == kNobody, "two nodes where one has room");
    if (slot != kNoSlot) slots_[slot] = i;
    if (ending.count(i) > 0) continue;
    ExpectState(node.communicates(), "a computation without an end");
    started_[node.operation] = i;
  }
}

/// A node waits for the nodes before it that have not ended, and for no others.
void TraceClock::CheckLoaded() const {
  std::vector<std::uint32_t> left(waits_.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    const GraphNode& node = rank_.nodes[i];
    for (std::uint32_t k = 0; k < node.followers && waits_[i] != kEnded; ++k)
      ++left[rank_.followers[node.first_follower + k]];
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool waits = waits_[i] < kFree;
    ExpectState(waits ? left[i] == waits_[i] && left[i] > 0 : left[i] == 0,
                "a node that waits for others than its program says");
  }
  ExpectState(std::is_sorted(wakes_.rbegin(), wakes_.rend()) && until_ >= Time{0},
              "wakes of a program in another order");
  const bool awake =
      events_.empty() ||
      (!wakes_.empty() && wakes_.back() <= events_.begin()->time + context_->graph_lag);
  ExpectState(awake, "a program that is not woken for its next event");
}

}  // namespace heddle
