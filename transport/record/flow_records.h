// SPDX-License-Identifier: GPL-2.0-only
/// What a domain writes down for the results: plain records, gathered and joined into tables by
/// gather.cc.
#ifndef HEDDLE_TRANSPORT_RECORD_FLOW_RECORDS_H_
#define HEDDLE_TRANSPORT_RECORD_FLOW_RECORDS_H_

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// How far a flow came. The values are part of the result format (/flows/state).
enum class FlowState : std::uint8_t {
  kFinished = 0,
  kNotStarted = 1,
  kNoRoute = 2,     ///< no way to its destination when the run ended
  kRetryLimit = 3,  ///< too many timeouts without progress: its queue pair gave up
  kPaused = 4,      ///< PFC held its port when the run ended
  kUnderWay = 5,
};

/// A flow as it ended.
struct FlowRecord {
  FlowId flow;
  NodeId destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t priority = 0;
  FlowState state = FlowState::kFinished;
  std::uint32_t message = 0;
  std::int64_t size = 0;
  Time start;
  Time completion;  ///< from the start to the last ACK; negative: unfinished
  Time ideal;
  FlowLabel label;                     ///< the collective that it belongs to
  std::uint32_t request = kNoRequest;  ///< number of its request to the controller, at its source

  static constexpr std::uint32_t kNoRequest = ~0U;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& destination& source_port& destination_port& priority& state& message& size&
        start& completion& ideal& label& request;
  }
};

/// A flow whose last byte has arrived, seen at the receiver.
struct FlowArrival {
  FlowId flow;
  Time time;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& time;
  }
};

/// Order-independent digests of records: sums of them are equal on any number of ranks.
std::uint64_t DigestOf(const FlowRecord& record);
std::uint64_t DigestOf(const FlowArrival& arrival);

/// Bytes and packets of a domain's books. Summed over all domains: injected = received + dropped +
/// in flight.
struct DomainBooks {
  std::int64_t injected_packets = 0, injected_bytes = 0;  ///< sent by hosts, and pause frames
  std::int64_t received_packets = 0, received_bytes = 0;  ///< taken in by hosts, and pause frames
  std::int64_t dropped_packets = 0, dropped_bytes = 0;
  std::int64_t link_packets = 0;  ///< packet-hops: packets sent over any link
  std::int64_t flows_started = 0, flows_finished = 0;
  std::int64_t out_of_order = 0;  ///< data beyond a gap
  std::int64_t duplicates = 0;    ///< data that the receiver already had
  std::int64_t nacks = 0;         ///< sent by receivers
  std::int64_t resent_bytes = 0;  ///< payload sent again
  std::int64_t timeouts = 0;      ///< retransmission timeouts
  std::int64_t marked = 0;        ///< packets marked by ECN
  std::int64_t pauses = 0;        ///< pauses that took hold, by port and priority

  static constexpr int kCount = 16;
  /// The figures in order, for sums over domains and ranks.
  std::int64_t* begin() { return &injected_packets; }
  std::int64_t* end() { return begin() + kCount; }
  const std::int64_t* begin() const { return &injected_packets; }
  const std::int64_t* end() const { return begin() + kCount; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    for (std::int64_t& figure : *this) archive& figure;
  }
};
static_assert(sizeof(DomainBooks) == DomainBooks::kCount * sizeof(std::int64_t));

/// Why a packet was lost.
enum class DropReason : std::uint8_t { kBufferFull, kWireError, kLinkDown, kNoRoute };
/// "buffer full", "wire error", "link down", "no route".
const char* ToText(DropReason reason);

/// Packets lost at one port for one reason.
struct DropRecord {
  NodeId node;
  PortId port;  ///< buffer full, link down in a queue: the egress port; wire error, link down on
                ///< the wire: where it would have arrived; no route: where it came in
  DropReason reason = DropReason::kBufferFull;
  std::int64_t packets = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& node& port& reason& packets;
  }
};

/// Pauses that began at one congested egress port, directly or through a chain of pausing switches.
struct PauseCauseRecord {
  NodeId node;
  PortId port;
  std::int64_t pauses = 0;
  Time paused;                      ///< sum of the time that ports were paused for it
  std::uint32_t longest_chain = 0;  ///< pausing switches between it and the farthest of them

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& node& port& pauses& paused& longest_chain;
  }
};

/// A pause or resume frame that changed something where it was received.
struct PauseRecord {
  Time time;
  NodeId node;  ///< that received it
  PortId port;
  std::uint8_t priority = 0;
  std::uint8_t pause = 0;  ///< 1 pause, 0 resume
  NodeId cause_node;       ///< the switch that sent it, and its egress that made it do so
  PortId cause_port;
  NodeId root_node;  ///< the egress at the end of the chain
  PortId root_port;
  std::uint32_t depth = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& time& node& port& priority& pause& cause_node& cause_port& root_node& root_port& depth;
  }
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_RECORD_FLOW_RECORDS_H_
