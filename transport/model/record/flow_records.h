// SPDX-License-Identifier: GPL-2.0-only
/// Plain records of a domain besides its flows (core/records/flow_vocabulary.h); gather.cc makes
/// tables of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/records/flow_vocabulary.h"

namespace heddle {

/// Counts of a domain's bytes and packets. Summed over all domains: injected packets = received +
/// dropped + in flight; injected bytes = received + dropped + trimmed + in flight.
struct DomainBooks {
  std::int64_t injected_packets = 0, injected_bytes = 0;  ///< sent by hosts, and pause frames sent
  /// Received by hosts, and pause frames received.
  std::int64_t received_packets = 0, received_bytes = 0;
  std::int64_t dropped_packets = 0, dropped_bytes = 0;
  std::int64_t link_packets = 0;  ///< packet-hops: packets sent over any link
  std::int64_t flows_started = 0, flows_finished = 0;
  /// Messages that became flows; in a trace whose flows ask the controller, its flows.
  std::int64_t messages_started = 0;
  std::int64_t out_of_order = 0;  ///< data beyond a gap
  std::int64_t duplicates = 0;    ///< data that the receiver already had
  std::int64_t nacks = 0;         ///< sent by receivers
  std::int64_t resent_bytes = 0;  ///< payload sent again
  std::int64_t timeouts = 0;      ///< retransmission timeouts
  std::int64_t marked = 0;        ///< packets marked by ECN
  std::int64_t pauses = 0;        ///< pauses that took effect, by port and priority

  std::int64_t trimmed_packets = 0, trimmed_bytes = 0;  ///< payloads cut off by full queues

  /// Time during which ports of GPUs with several NIC ports had queue pairs, summed over ports
  /// [ns].
  std::int64_t nic_ports_used_ns = 0;
  /// The same if all ports of a GPU had queue pairs whenever one had.
  std::int64_t nic_ports_open_ns = 0;

  // Degree of reordering, over flows; kept by receivers that keep packets beyond a gap.
  /// Most packets of a flow that were held above a missing one.
  std::int64_t most_held = 0;
  /// Largest number of a packet that was held, counted from the missing one.
  std::int64_t furthest_ahead = 0;

  static constexpr int kCount = 21;
  /// Returns all counts in order, for sums over domains and ranks.
  std::array<std::int64_t*, kCount> Counts() {
    return {&injected_packets,
            &injected_bytes,
            &received_packets,
            &received_bytes,
            &dropped_packets,
            &dropped_bytes,
            &link_packets,
            &flows_started,
            &flows_finished,
            &messages_started,
            &out_of_order,
            &duplicates,
            &nacks,
            &resent_bytes,
            &timeouts,
            &marked,
            &pauses,
            &trimmed_packets,
            &trimmed_bytes,
            &nic_ports_used_ns,
            &nic_ports_open_ns};
  }
  static constexpr int kMaxima = 2;
  /// Returns all figures of which the largest counts, of domains and ranks.
  std::array<std::int64_t*, kMaxima> Maxima() { return {&most_held, &furthest_ahead}; }

  /// Adds the counts of another domain, and takes the larger maxima.
  void Add(DomainBooks other) {
    for (int i = 0; i < kCount; ++i) *Counts()[i] += *other.Counts()[i];
    for (int i = 0; i < kMaxima; ++i) *Maxima()[i] = std::max(*Maxima()[i], *other.Maxima()[i]);
  }
  /// Returns copies of all counts, in the order of Counts().
  std::array<std::int64_t, kCount> Values() const {
    DomainBooks copy = *this;
    std::array<std::int64_t, kCount> values;
    for (int i = 0; i < kCount; ++i) values[i] = *copy.Counts()[i];
    return values;
  }

  /// Returns the share of the time for which a NIC port had no queue pair while another one of its
  /// GPU had one; 0 if no GPU with several ports sent. Call it after all flows have ended.
  double idle_nic_share() const {
    return nic_ports_open_ns <= 0 ? 0
                                  : 1 - static_cast<double>(nic_ports_used_ns) /
                                            static_cast<double>(nic_ports_open_ns);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    for (std::int64_t* count : Counts()) archive&* count;
    for (std::int64_t* most : Maxima()) archive&* most;
  }
};
static_assert(sizeof(DomainBooks) ==
                  (DomainBooks::kCount + DomainBooks::kMaxima) * sizeof(std::int64_t),
              "Counts() and Maxima() name every figure");

/// Packets lost at one port for one reason.
struct DropRecord {
  NodeId node;
  /// The egress port if the buffer was full or the link went down while the packet was queued; the
  /// port of arrival after a wire error or if the link went down during transmission; the ingress
  /// port if there was no route.
  PortId port;
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
  Time paused;                      ///< sum of the time that ports were paused because of this port
  std::uint32_t longest_chain = 0;  ///< pausing switches between this port and the farthest of them

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& node& port& pauses& paused& longest_chain;
  }
};

/// A pause or resume frame that changed the state of the receiving port.
struct PauseRecord {
  Time time;
  NodeId node;  ///< the node that received it
  PortId port;
  std::uint8_t priority = 0;
  std::uint8_t pause = 0;  ///< 1 pause, 0 resume
  /// The switch that sent it, and the egress port that caused it.
  NodeId cause_node;
  PortId cause_port;
  NodeId root_node;  ///< the egress port at the end of the chain of pauses
  PortId root_port;
  std::uint32_t depth = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& time& node& port& priority& pause& cause_node& cause_port& root_node& root_port& depth;
  }
};

}  // namespace heddle
