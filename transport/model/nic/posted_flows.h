// SPDX-License-Identifier: GPL-2.0-only
/// Flows posted while the simulation runs (core/traffic/flow_agent.h): the flows that have not
/// started, and the open messages of the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/containers/state_count.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/source_ports.h"

namespace heddle {

/// Saves or loads all members of a post.
template <class Archive>
void SerializePost(Archive& archive, FlowPost& flow) {
  archive& flow.start& flow.asked& flow.source& flow.destination& flow.size& flow.order;
  archive& flow.cookie.bytes& flow.origin& flow.priority& flow.destination_port& flow.numbers;
  archive& flow.connection& flow.send_recv& flow.lane& flow.on_arrival& flow.feeds& flow.stream;
}

/// Posted flows that wait for a time, ordered by (time, order).
class FlowHeap {
 public:
  struct Item {
    FlowPost flow;
    /// First of the grants of its queue pairs (path_grant.h).
    std::uint32_t grant = kNone;
    bool has_turn = false;  ///< its connection waits for it (lasting_connections.h)

    static constexpr std::uint32_t kNone = ~0U;
  };
  /// Whether `a` comes after `b` in the order of a heap with this time.
  struct After {
    Time FlowPost::*time;
    bool operator()(const Item& a, const Item& b) const {
      if (a.flow.*time != b.flow.*time) return a.flow.*time > b.flow.*time;
      if (a.flow.order != b.flow.order) return a.flow.order > b.flow.order;
      return std::memcmp(a.flow.cookie.bytes, b.flow.cookie.bytes, sizeof a.flow.cookie.bytes) > 0;
    }
  };
  /// Makes an empty heap; `time` is the member of FlowPost to order by.
  explicit FlowHeap(Time FlowPost::*time) : time_(time) {}

  std::vector<Time> wakes;  ///< times of its pending events, the next one last

  bool empty() const { return items_.empty(); }  ///< no flow waits
  /// Returns the time of the first flow. Requires !empty().
  Time first() const { return items_.front().flow.*time_; }
  const std::vector<Item>& items() const { return items_; }  ///< in the order of the binary heap
  /// Prefetches the first flow into the processor's cache.
  void Prefetch() const {
    if (!items_.empty()) {
      __builtin_prefetch(items_.data());
      __builtin_prefetch(reinterpret_cast<const char*>(items_.data()) + 64);
    }
    __builtin_prefetch(wakes.data());
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return items_.capacity() * sizeof(Item) + wakes.capacity() * sizeof(Time);
  }
  /// Adds a flow in O(log n). The caller schedules its event and notes that in `wakes`.
  void Add(const Item& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), After{time_});
  }
  /// Removes and returns the first flow by (time, order). Requires !empty().
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
      SerializePost(archive, item.flow);
      archive& item.grant& item.has_turn;
    }
  }

 private:
  Time FlowPost::*time_;
  std::vector<Item> items_;  ///< a binary heap
};

/// One host's posted flows, and the numbers that they get when they ask the controller and when
/// they start.
class PostQueue {
 public:
  FlowHeap asks{&FlowPost::asked};    ///< flows that will ask the controller for a source port
  FlowHeap starts{&FlowPost::start};  ///< flows whose start time is known
  std::uint32_t next_flow = 0, next_message = 0, next_request = 0;

  SourcePorts ports;
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return asks.memory() + starts.memory() + ports.memory(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& asks& starts& next_flow& next_message& next_request& ports;
  }
};

/// A message in progress, as its source keeps it.
struct PostedMessage {
  FlowCookie cookie;
  FlowOrigin origin;
  NodeId destination;
  std::uint16_t unsent = 0, unacked = 0;  ///< number of queue pairs
  std::uint32_t connection = ~0U;         ///< LastingConnections'; ~0: its own
  std::uint32_t announced = 0;  ///< 1: its destination was notified, and detects its end itself
  std::uint32_t unused = 0;
};
static_assert(std::is_trivially_copyable_v<PostedMessage>);

/// A message in progress, as its destination keeps it if it must know of the arrival
/// (flow.completion = received).
struct ExpectedMessage {
  FlowCookie cookie;
  std::uint32_t missing = 0;  ///< queue pairs that have not arrived
  std::uint32_t feeds = 0;    ///< 1: it is one flow, whose beginning is reported
};

/// A message of the transport to another domain about a posted flow; cargo of a notice event.
struct CompletionNotice {
  /// Flag in `value`: expect this flow, and the flows after it that have a bit there, from bit 0
  /// on.
  static constexpr std::uint64_t kSome = std::uint64_t{1} << 63;
  static constexpr std::uint32_t kMost = 63;  ///< bits
  /// Value of `value`, alone: expect this flow, which feeds a stream.
  static constexpr std::int64_t kFeeds = std::int64_t{1} << 62;

  FlowCookie cookie;
  FlowId flow;  ///< if its source is valid: expect this flow and the `value - 1` after it, or kSome
  std::int64_t value = 0;  ///< otherwise: time since when the message is complete [ps]
};
static_assert(sizeof(CompletionNotice) == 48 && std::is_trivially_copyable_v<CompletionNotice>);

}  // namespace heddle
