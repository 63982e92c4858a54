// SPDX-License-Identifier: GPL-2.0-only
/// Messages under way as fluids, and those that wait for their time: plain records.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/containers/slot_pool.h"
#include "core/containers/state_count.h"
#include "core/traffic/flow_agent.h"
#include "transport/model/nic/posted_flows.h"

namespace heddle {

/// A message of which not all flows have ended.
struct FluidMessage {
  FlowCookie cookie;
  FlowOrigin origin;
  NodeId source, destination;
  std::uint32_t connection = ~0U;  ///< LastingConnections'; ~0: its own
  std::uint32_t number = 0;        ///< at its source
  std::uint32_t open = 0;          ///< flows that have not ended; 0: the slot is free
  bool on_arrival = false;         ///< its destination hears of the arrival, not of the ACK
  Time received, acked;            ///< of the flows that have ended, the latest

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& cookie.bytes& origin& source& destination& connection& number& open& on_arrival;
    archive& received& acked;
  }
};

/// A flow under way, by its number in FluidNetwork. Its path follows from the rest.
struct FluidFlow {
  std::uint32_t message = 0;  ///< slot
  std::uint32_t number = 0;   ///< at its source
  std::uint32_t path = 0;     ///< slot
  std::uint32_t part = 0;     ///< of its message, from 0
  std::uint16_t source_port = 0, destination_port = 0;
  std::uint8_t priority = 0;
  std::int64_t size = 0;  ///< payload [byte]; 0: the place is free
  Time start;
  Time ideal{-1};            ///< of the path that it had before it moved; negative: it has not
  std::int64_t carried = 0;  ///< packets that count at the ports of paths before this one

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& message& number& part& source_port& destination_port& priority& size& start;
    archive& ideal& carried;
  }
};

/// Posts that start later, by (start, source, order): the order does not depend on when they came.
class FluidStarts {
 public:
  struct Item {
    FlowPost flow;
    bool has_turn = false;  ///< its connection waits for it (LastingConnections)
  };

  bool empty() const { return heap_.empty(); }
  Time first() const { return heap_.empty() ? Time::Max() : heap_.front().time; }
  void Add(const FlowPost& flow, bool has_turn) {
    const std::uint32_t slot = items_.Allocate();
    items_[slot] = {flow, has_turn};
    heap_.push_back({flow.start, flow.source.value, flow.order, slot});
    std::push_heap(heap_.begin(), heap_.end(), Later{&items_});
  }
  Item Take() {
    std::pop_heap(heap_.begin(), heap_.end(), Later{&items_});
    const std::uint32_t slot = heap_.back().slot;
    heap_.pop_back();
    const Item item = items_[slot];
    items_.Free(slot);
    return item;
  }
  /// Calls visit(item) for each, in no order.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const Key& key : heap_) visit(items_[key.slot]);
  }
  std::size_t memory() const { return heap_.capacity() * sizeof(Key) + items_.memory(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(heap_.size());
    archive& count;
    if constexpr (Archive::is_loading::value) {
      heap_.clear();
      items_ = {};
      for (std::size_t i = 0; i < count; ++i) {
        Item item;
        SerializePost(archive, item.flow);
        archive& item.has_turn;
        Add(item.flow, item.has_turn);
      }
    } else {
      for (const Key& key : heap_) {
        SerializePost(archive, items_[key.slot].flow);
        archive& items_[key.slot].has_turn;
      }
    }
  }

 private:
  struct Key {
    Time time;
    std::uint32_t source = 0;
    std::uint64_t order = 0;
    std::uint32_t slot = 0;
  };
  struct Later {
    const SlotPool<Item>* items;
    bool operator()(const Key& a, const Key& b) const {
      if (a.time != b.time) return a.time > b.time;
      if (a.source != b.source) return a.source > b.source;
      if (a.order != b.order) return a.order > b.order;
      return std::memcmp((*items)[a.slot].flow.cookie.bytes, (*items)[b.slot].flow.cookie.bytes,
                         sizeof(FlowCookie)) > 0;
    }
  };

  std::vector<Key> heap_;
  SlotPool<Item> items_;
};

}  // namespace heddle
