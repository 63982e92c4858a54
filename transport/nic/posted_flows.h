// SPDX-License-Identifier: GPL-2.0-only
/// Flows that were posted while the simulation runs (core/traffic/flow_agent.h): those still to
/// start, and what is open of the others.
#ifndef HEDDLE_TRANSPORT_NIC_POSTED_FLOWS_H_
#define HEDDLE_TRANSPORT_NIC_POSTED_FLOWS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/base/flat_map.h"
#include "core/base/state_count.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// Posted flows that wait, by (their time, order).
class FlowHeap {
 public:
  struct Item {
    FlowPost flow;
    std::uint32_t grant =
        kNone;  ///< first of its queue pairs' grants of source ports (path_grant.h)

    static constexpr std::uint32_t kNone = ~0U;
  };
  /// `time`: the field of a flow that counts.
  explicit FlowHeap(Time FlowPost::*time) : time_(time) {}

  std::vector<Time> wakes;  ///< when its pending events fire, the next one last

  bool empty() const { return items_.empty(); }
  Time first() const { return items_.front().flow.*time_; }
  const std::vector<Item>& items() const { return items_; }
  /// Bring the first one near.
  void Prefetch() const {
    if (!items_.empty()) {
      __builtin_prefetch(items_.data());
      __builtin_prefetch(reinterpret_cast<const char*>(items_.data()) + 64);
    }
    __builtin_prefetch(wakes.data());
  }
  /// Bytes that it has allocated.
  std::size_t memory() const {
    return items_.capacity() * sizeof(Item) + wakes.capacity() * sizeof(Time);
  }
  void Add(const Item& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), After{time_});
  }
  Item Take() {
    std::pop_heap(items_.begin(), items_.end(), After{time_});
    const Item item = items_.back();
    items_.pop_back();
    return item;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(items_.size());
    archive& wakes& count;
    if constexpr (Archive::is_loading::value) items_.resize(count);
    for (Item& item : items_) {
      FlowPost& flow = item.flow;
      archive& flow.start& flow.asked& flow.source& flow.destination& flow.size& flow.order& flow
          .note.bytes& flow.label& item.grant;
    }
  }

 private:
  struct After {
    Time FlowPost::*time;
    bool operator()(const Item& a, const Item& b) const {
      if (a.flow.*time != b.flow.*time) return a.flow.*time > b.flow.*time;
      if (a.flow.order != b.flow.order) return a.flow.order > b.flow.order;
      return std::memcmp(a.flow.note.bytes, b.flow.note.bytes, sizeof a.flow.note.bytes) > 0;
    }
  };

  Time FlowPost::*time_;
  std::vector<Item> items_;  ///< a heap
};

/// One host's posted flows, and the numbers that it gives them as they ask the controller and
/// start.
class PostQueue {
 public:
  FlowHeap asks{&FlowPost::asked};    ///< those that will ask the controller for a source port
  FlowHeap starts{&FlowPost::start};  ///< those that know when they start
  std::uint32_t next_flow = 0, next_message = 0, next_request = 0;

  /// The source port of the next flow to this destination: 10000, 10001, ..., 16 bits (SimAI: a
  /// counter a pair).
  std::uint16_t NextPort(NodeId destination) {
    std::uint32_t at = index_.Find(destination.value);
    if (at == FlatMap::kNone) {
      at = static_cast<std::uint32_t>(ports_.size());
      index_.Insert(destination.value, at);
      ports_.push_back(10000);
    }
    return ports_[at]++;
  }
  /// Bytes that it has allocated.
  std::size_t memory() const {
    return asks.memory() + starts.memory() + index_.memory() +
           ports_.capacity() * sizeof(std::uint16_t);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& asks& starts& next_flow& next_message& next_request& index_& ports_;
    if constexpr (Archive::is_loading::value) {
      index_.ForEach([this](std::uint64_t, std::uint32_t at) {
        ExpectState(at < ports_.size(), "a source port of no destination");
      });
    }
  }

 private:
  FlatMap index_;  ///< by destination, into ports_
  std::vector<std::uint16_t> ports_;
};

/// A message under way, at its source.
struct PostedMessage {
  FlowNote note;
  FlowLabel label;
  NodeId destination;
  std::uint16_t unsent = 0, unacked = 0;  ///< queue pairs
};
static_assert(std::is_trivially_copyable_v<PostedMessage>);

/// A message under way, at its destination, where that is asked for (flow.completion = received).
struct ExpectedMessage {
  FlowNote note;
  std::uint32_t missing = 0;  ///< queue pairs
};

/// What the transport tells another domain about a message. The cargo of a notice event.
struct FlowNotice {
  FlowNote note;
  FlowId flow;             ///< source valid: expect this flow and the `value - 1` that follow it
  std::int64_t value = 0;  ///< otherwise: the message is complete since then [ps]
};
static_assert(sizeof(FlowNotice) == 48 && std::is_trivially_copyable_v<FlowNotice>);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_NIC_POSTED_FLOWS_H_
