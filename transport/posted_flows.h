// SPDX-License-Identifier: GPL-2.0-only
/// Flows that were posted while the simulation runs (core/flow_agent.h): those still to start, and what is open of the others.
#ifndef HEDDLE_TRANSPORT_POSTED_FLOWS_H_
#define HEDDLE_TRANSPORT_POSTED_FLOWS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/flat_map.h"
#include "core/flow_agent.h"

namespace heddle {

/// One host's posted flows by (start, order), and the numbers that it gives them as they start.
class PostQueue {
 public:
  std::vector<Time> wakes;  ///< when its pending start events fire, the next one last
  std::uint32_t next_flow = 0, next_message = 0;

  bool empty() const { return flows_.empty(); }
  const FlowPost& first() const { return flows_.front(); }
  const std::vector<FlowPost>& flows() const { return flows_; }
  void Add(const FlowPost& flow) {
    flows_.push_back(flow);
    std::push_heap(flows_.begin(), flows_.end(), After);
  }
  FlowPost Take() {
    std::pop_heap(flows_.begin(), flows_.end(), After);
    const FlowPost flow = flows_.back();
    flows_.pop_back();
    return flow;
  }
  /// The source port of the next flow to this destination: 10000, 10001, ..., 16 bits (SimAI: a counter a pair).
  std::uint16_t NextPort(NodeId destination) {
    std::uint32_t at = index_.Find(destination.value);
    if (at == FlatMap::kNone) {
      at = static_cast<std::uint32_t>(ports_.size());
      index_.Insert(destination.value, at);
      ports_.push_back(10000);
    }
    return ports_[at]++;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::uint64_t count = flows_.size();
    archive& wakes& next_flow& next_message& count& index_& ports_;
    if constexpr (Archive::is_loading::value) flows_.resize(count);
    for (FlowPost& flow : flows_) {
      archive& flow.start& flow.source& flow.destination& flow.size& flow.order& flow.note.bytes& flow.label;
    }
  }

 private:
  static bool After(const FlowPost& a, const FlowPost& b) {
    if (a.start != b.start) return a.start > b.start;
    if (a.order != b.order) return a.order > b.order;
    return std::memcmp(a.note.bytes, b.note.bytes, sizeof a.note.bytes) > 0;
  }

  std::vector<FlowPost> flows_;  ///< a heap
  FlatMap index_;                ///< by destination, into ports_
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

#endif  // HEDDLE_TRANSPORT_POSTED_FLOWS_H_
