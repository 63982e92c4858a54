// SPDX-License-Identifier: GPL-2.0-only
/// Lasting connections of hosts (FlowPost::connection): the source ports of their queue pairs, and
/// which of their messages sends now.
///
/// A connection takes its source ports when it first sends, and keeps them. Its messages send one
/// after the other in the order of (start, order): the next one begins when the last byte of the
/// previous one leaves the NIC for the first time, and not before its own start.
///
/// Source: NCCL, src/transport/net.cc and net_ib.cc: a send connector for each channel and peer of
/// a communicator, with NCCL_IB_QPS_PER_CONNECTION queue pairs that are made when it is set up.
/// Invariant: a message waits only while another one of its connection starts or sends.
/// Not modelled: a rate and a window that last from message to message; that losses of a message
/// hold up the messages after it. A message that does not leave its host (no route, retry limit)
/// does hold them up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/units.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/source_ports.h"
#include "transport/model/nic/posted_flows.h"

namespace heddle {

/// Connections of the hosts of one domain, by slot: 0, 1, ... in the order of their first messages.
class LastingConnections {
 public:
  static constexpr std::uint32_t kNone = ~0U;
  /// What becomes of a message that is due.
  enum class Turn {
    kNow,    ///< it starts
    kLater,  ///< it starts at the time that its post has now
    kWaits   ///< it is kept here
  };

  /// Returns the slot of the message's connection; kNone if the message has one of its own, or the
  /// first one of a new connection.
  std::uint32_t Find(const FlowPost& flow) const {
    if (flow.connection == FlowPost::kOwnConnection) return kNone;
    return slots_.Find(KeyOf(flow));
  }
  /// Returns the same slot; for a new connection, makes one that takes `queue_pairs` consecutive
  /// ports of its host's `ports`.
  std::uint32_t FindOrMake(const FlowPost& flow, std::uint32_t queue_pairs, SourcePorts* ports);
  /// Hands in a message of a connection that is due at `now`, in the order of (start, order).
  /// kLater: flow->start is the new time. kWaits: `*flow` is kept here. A new connection takes
  /// `queue_pairs` consecutive ports of its host's `ports`.
  Turn Enter(FlowPost* flow, Time now, std::uint32_t queue_pairs, SourcePorts* ports);
  /// Notes that the last byte of the sending message leaves at `when`. Returns whether another
  /// message waits: then takes it out into `*next`, whose start is `when`.
  bool Leave(std::uint32_t slot, Time when, FlowPost* next);
  /// Returns the source port of its first queue pair; the others have the ports after it.
  std::uint16_t first_port(std::uint32_t slot) const { return connections_[slot].first_port; }

  /// Returns the number of connections made; none is ever removed.
  std::size_t size() const { return connections_.size(); }
  /// Calls visit(post) for each message that waits here.
  template <class Visit>
  void ForEachWaiting(const Visit& visit) const {
    for (const Connection& connection : connections_) {
      for (std::uint32_t at = connection.first; at != kNone; at = waiting_[at].next)
        visit(waiting_[at].flow);
    }
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return slots_.memory() + connections_.capacity() * sizeof(Connection) + waiting_.memory();
  }

  /// Counts, in a loaded state, the messages that start or send.
  class Claims {
   public:
    /// Reads the hosts of each connection. Throws UserError "the saved state has ...".
    explicit Claims(const LastingConnections& connections);
    /// Counts a message to `destination` that starts or sends. Throws UserError if the connection
    /// does not exist or has another destination.
    void Claim(std::uint32_t slot, NodeId destination);

   private:
    friend class LastingConnections;

    std::vector<NodeId> destinations_;    ///< by slot
    std::vector<std::uint32_t> senders_;  ///< by slot
  };
  /// Checks loaded state, after all claims. Calls `check_post` for each message that waits. Throws
  /// UserError "the saved state has ...".
  void Check(const Claims& claims, const std::function<void(const FlowPost&)>& check_post) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(connections_.size());
    archive& slots_& count;
    if constexpr (Archive::is_loading::value) connections_.resize(count);
    for (Connection& connection : connections_) {
      archive& connection.free_at& connection.first_port& connection.busy;
      SerializeQueue(archive, &connection);
    }
  }

 private:
  struct Connection {
    Time free_at;  ///< if not busy: when the last byte of the previous message left
    std::uint32_t first = kNone, last = kNone;  ///< of the messages that wait, in waiting_
    std::uint16_t first_port = 0;
    bool busy = false;  ///< a message has its turn: it will start, or sends
  };
  struct Waiting {
    FlowPost flow;
    std::uint32_t next = kNone;
  };

  /// Packs source, destination and connection into the key of slots_.
  static std::uint64_t KeyOf(const FlowPost& flow) {
    static_assert(kMaxNodes <= 1U << 20 && FlowPost::kMaxConnections <= 1U << 24);
    return static_cast<std::uint64_t>(flow.source.value) << 44 |
           static_cast<std::uint64_t>(flow.destination.value) << 24 | flow.connection;
  }
  /// Returns the destination that KeyOf() packed.
  static NodeId DestinationOf(std::uint64_t key) {
    return NodeId(static_cast<std::uint32_t>(key >> 24) & (kMaxNodes - 1));
  }
  /// Adds a message at the end of the connection's queue.
  void Append(Connection* connection, const FlowPost& flow);
  /// Removes and returns the first message of the queue, which must not be empty.
  FlowPost TakeFirst(Connection* connection);

  /// Saves the queue as a list, so that no link has to be checked.
  template <class Archive>
  void SerializeQueue(Archive& archive, Connection* connection) {
    std::vector<FlowPost> queue;
    for (std::uint32_t at = connection->first; at != kNone; at = waiting_[at].next)
      queue.push_back(waiting_[at].flow);
    StateCount count(queue.size());
    archive& count;
    if constexpr (Archive::is_loading::value) queue.resize(count);
    for (FlowPost& flow : queue) {
      SerializePost(archive, flow);
      if constexpr (Archive::is_loading::value) Append(connection, flow);
    }
  }

  FlatMap slots_;  ///< by KeyOf()
  std::vector<Connection> connections_;
  SlotPool<Waiting> waiting_;
};

}  // namespace heddle
