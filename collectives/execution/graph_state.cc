// SPDX-License-Identifier: GPL-2.0-only
// State of programs that are graphs in a checkpoint. The programs themselves are made again.
#include <algorithm>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>
#include <utility>

#include "collectives/execution/trace_clock.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"

namespace heddle {

void TraceClock::SavePosition(StateWriter* to) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;
  waits_.ForEach([&](std::uint64_t node, std::uint32_t left) {
    waits.emplace_back(static_cast<std::uint32_t>(node), left);
  });
  std::sort(waits.begin(), waits.end());
  const std::vector<std::uint32_t> free(free_.begin(), free_.end());
  std::vector<std::uint32_t> started;
  for (const auto& [node, live] : live_) {
    if (live.started) started.push_back(node);
  }
  const std::vector<Event> events(events_.begin(), events_.end());
  std::uint32_t open = open_;
  *to << waits << free << started << ended_ << open << events << wakes_ << until_ << end_;
  StateCount layers(layers_.size());
  *to << layers;
  for (const auto& [name, index] : layers_) {
    LayerRecord record = context_->layers[index];
    std::uint32_t layer = name;
    *to << layer << record;
  }
}

void TraceClock::LoadPosition(StateReader* from) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;
  std::vector<std::uint32_t> free, started;
  std::vector<Event> events;
  *from >> waits >> free >> started >> ended_ >> open_ >> events >> wakes_ >> until_ >> end_;
  LoadLayers(from);
  events_ = {events.begin(), events.end()};
  ExpectState(events_.size() == events.size(), "a node that ends twice");
  live_.clear();
  free_.clear();
  waits_ = FlatMap();
  for (const auto& [node, left] : waits) {
    ExpectState(
        node < window_.size() && left != FlatMap::kNone && waits_.Find(node) == FlatMap::kNone,
        "nodes that wait, other than a program's");
    waits_.Insert(node, left);
  }
  for (const auto* nodes : {&free, &started}) {
    for (const std::uint32_t node : *nodes) {
      ExpectState(node < window_.size() && live_.count(node) == 0, "nodes that no program has");
      live_[node] = {window_.Node(node), nodes == &started};
      if (nodes == &free) free_.insert(node);
    }
  }
  FindStarted();
  CheckLoaded();
  done_ = ended_ == window_.size();
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

/// Finds what follows from the nodes' states: the slots, what communicates.
void TraceClock::FindStarted() {
  started_.clear();
  std::fill(std::begin(slots_), std::end(slots_), kNobody);
  std::set<std::uint32_t> ending;
  for (const Event& event : events_) {
    const auto live = live_.find(event.node);
    ExpectState(live != live_.end() && live->second.started && ending.insert(event.node).second &&
                    event.time >= Time{0},
                "the end of a node that has not started");
  }
  for (const auto& [index, live] : live_) {
    if (!live.started) continue;
    const Slot slot = SlotOf(live.node);
    ExpectState(slot == kNoSlot || slots_[slot] == kNobody, "two nodes where one has room");
    if (slot != kNoSlot) slots_[slot] = index;
    if (ending.count(index) > 0) continue;
    ExpectState(live.node.communicates(), "a computation without an end");
    started_[live.node.operation] = index;
  }
  if (open_ == kNobody) return;
  const bool sound = open_ < window_.size() && live_.count(open_) == 0 &&
                     window_.Node(open_).kind == GraphNode::Kind::kOpen &&
                     graph_.one_communication && slots_[kCommunicationSlot] == kNobody;
  ExpectState(sound, "an algorithm that no program has");
  slots_[kCommunicationSlot] = open_;
}

/// From the program's begin on: what has ended is what can be reached without passing a live node.
void TraceClock::CheckFrontier() {
  constexpr const char* kOthers = "a node that waits for others than its program says";
  std::vector<std::uint32_t> left(window_.size()), reached = rank_.roots;
  for (std::uint32_t i = 0; i < left.size(); ++i) left[i] = window_.Node(i).waits;
  std::uint64_t ended = 0;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const std::uint32_t node = reached[k];
    if (live_.count(node) > 0) continue;
    ++ended;
    for (const std::uint32_t follower : window_.FollowersOf(node)) {
      if (--left[follower] == 0) reached.push_back(follower);
    }
  }
  ExpectState(ended == ended_ && reached.size() == ended + live_.size(), kOthers);
  std::size_t waiting = 0;
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    if (left[i] == 0 || left[i] == window_.Node(i).waits) continue;
    ++waiting;
    ExpectState(waits_.Find(i) == left[i], kOthers);
  }
  ExpectState(waiting == waits_.size(), kOthers);
}

void TraceClock::CheckLoaded() {
  CheckFrontier();
  ExpectState(std::is_sorted(wakes_.rbegin(), wakes_.rend()) && until_ >= Time{0},
              "wakes of a program in another order");
  const bool awake =
      events_.empty() ||
      (!wakes_.empty() && wakes_.back() <= events_.begin()->time + context_->graph_lag);
  ExpectState(awake, "a program that is not woken for its next event");
}

}  // namespace heddle
