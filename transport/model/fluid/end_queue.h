// SPDX-License-Identifier: GPL-2.0-only
/// The ends of flows by time, each of which may move: a binary heap with the place of every flow.
///
/// Flows of one end come in the order of their numbers, so the order does not depend on history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace heddle {

class EndQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// Time of the first end; Time::Max() if there is none.
  Time first() const { return heap_.empty() ? Time::Max() : heap_[0].time; }
  std::uint32_t first_flow() const { return heap_[0].flow; }
  /// Sets when a flow ends, whether or not it is in the queue.
  void Set(std::uint32_t flow, Time end) {
    if (flow >= places_.size()) places_.resize(flow + 1, kNone);
    if (places_[flow] == kNone) {
      places_[flow] = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({end, flow});
      Raise(places_[flow]);
      return;
    }
    const std::uint32_t place = places_[flow];
    const bool earlier = end < heap_[place].time;
    heap_[place].time = end;
    earlier ? Raise(place) : Sink(place);
  }
  /// Removes a flow that may be in the queue.
  void Remove(std::uint32_t flow) {
    if (flow >= places_.size() || places_[flow] == kNone) return;
    const std::uint32_t place = places_[flow];
    const Entry last = heap_.back();
    heap_.pop_back();
    places_[flow] = kNone;
    if (place == heap_.size()) return;
    heap_[place] = last;
    places_[last.flow] = place;
    Raise(place);
    Sink(places_[last.flow]);
  }
  /// Bytes that it has allocated.
  std::size_t memory() const {
    return heap_.capacity() * sizeof(Entry) + places_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Entry {
    Time time;
    std::uint32_t flow = 0;
  };

  static bool Before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.flow < b.flow;
  }
  void Put(std::uint32_t place, const Entry& entry) {
    heap_[place] = entry;
    places_[entry.flow] = place;
  }
  void Raise(std::uint32_t place) {
    const Entry entry = heap_[place];
    while (place > 0 && Before(entry, heap_[(place - 1) / 2])) {
      Put(place, heap_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    Put(place, entry);
  }
  void Sink(std::uint32_t place) {
    const Entry entry = heap_[place];
    for (;;) {
      std::uint32_t next = 2 * place + 1;
      if (next >= heap_.size()) break;
      if (next + 1 < heap_.size() && Before(heap_[next + 1], heap_[next])) ++next;
      if (!Before(heap_[next], entry)) break;
      Put(place, heap_[next]);
      place = next;
    }
    Put(place, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> places_;  ///< by flow
};

}  // namespace heddle
