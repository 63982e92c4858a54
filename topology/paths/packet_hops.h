// SPDX-License-Identifier: GPL-2.0-only
/// Counts the packets of flows and the links that they cross, from sizes and routes, before a run.
///
/// Exact if no packet is lost, sent again or re-routed, and no full window asks for ACKs earlier
/// than the ACK interval; of requests (docs/models/cast.md) within 2 %, as it depends on
/// completions how much each queue pair gets.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "topology/routes/routes.h"

namespace heddle {

/// How messages are divided into packets.
struct Packeting {
  std::int64_t payload = 1000;    ///< of a full packet [byte], > 0
  std::int64_t queue_pairs = 1;   ///< number that a message is split over, >= 1
  std::int64_t ack_interval = 1;  ///< bytes between ACKs
  /// Bytes of the requests into which messages between servers are divided; 0: none.
  std::int64_t request = 0;
  std::int64_t sharing = 1;    ///< queue pairs that share a request
  std::int64_t alternate = 1;  ///< queue pairs that requests use
  std::int64_t train = 1;      ///< packets that count as one where an NVSwitch is an end
};

class PacketHops {
 public:
  /// `graph` and `routes` must outlive it.
  PacketHops(const Graph& graph, const Routes& routes, const Packeting& packeting)
      : graph_(graph), routes_(routes), packeting_(packeting) {}

  /// Adds `count` messages of `bytes` > 0 each. Throws UserError for a pair without a path.
  void Add(NodeId source, NodeId destination, std::int64_t bytes, std::uint64_t count);

  /// Returns the number of flows, one a queue pair.
  double flows() const { return flows_; }
  /// Returns the sum of the messages' bytes, without headers.
  double bytes() const { return bytes_; }
  /// Returns the number of packets, data and ACKs, times the links that they cross.
  double packet_hops() const { return packet_hops_; }

 private:
  struct Pair {
    NodeId source, destination;
    double there = 0, back = 0;  ///< numbers of links
    std::int64_t payload = 0;    ///< of what counts as a packet
  };
  /// Returns the hops of a pair, in a cache of one, as messages come sorted by their ends. Throws
  /// UserError for a pair without a path.
  const Pair& Find(NodeId source, NodeId destination);
  /// Whether messages between the two are divided into requests: GPUs of different servers only.
  bool Divides(NodeId source, NodeId destination) const;
  /// Adds `parts` parts of `size` bytes, in packets of their own, and the ACKs of each.
  void AddParts(const Pair& pair, std::int64_t size, double parts);
  /// Adds `count` messages of `bytes` each, divided into requests, which up to `alternate` queue
  /// pairs carry.
  void AddRequests(const Pair& pair, std::int64_t bytes, double count);

  const Graph& graph_;
  const Routes& routes_;
  Packeting packeting_;
  Pair last_;
  double flows_ = 0, bytes_ = 0, packet_hops_ = 0;
};

}  // namespace heddle
