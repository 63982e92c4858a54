// SPDX-License-Identifier: GPL-2.0-only
/// Lasting connections of hosts (FlowPost::connection): the source ports of their queue pairs, and
/// which of their messages sends.
///
/// A connection gets its source ports when it first sends, and keeps them. Its messages send one
/// after the other in the order of (start, order): the next one begins when the last byte of the
/// one before leaves the NIC for the first time, and not before its own start.
///
/// Source: NCCL, src/transport/net.cc and net_ib.cc: a send connector for each channel and peer of
/// a communicator, with NCCL_IB_QPS_PER_CONNECTION queue pairs that are made when it is set up.
/// Invariant: a message waits only while another one of its connection starts or sends.
/// Not modelled: a rate and a window that last from message to message; that losses of a message
/// hold up those behind it. A message that does not leave its host (no route, retry limit) does.
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

/// Those of the hosts of one domain, by slot: 0, 1, ... in the order of their first messages.
class LastingConnections {
 public:
  static constexpr std::uint32_t kNone = ~0U;
  /// What becomes of a message that is due.
  enum class Turn {
    kNow,    ///< it starts
    kLater,  ///< it starts at the time that its post has now
    kWaits   ///< it is kept here
  };

  /// The slot of the message's connection; kNone if it has one of its own, or a new one.
  std::uint32_t Find(const FlowPost& flow) const {
    if (flow.connection == FlowPost::kOwnConnection) return kNone;
    return slots_.Find(KeyOf(flow));
  }
  /// The same; a new connection takes `queue_pairs` consecutive ports of its host's `ports`.
  std::uint32_t FindOrMake(const FlowPost& flow, std::uint32_t queue_pairs, SourcePorts* ports);
  /// A message of a connection is due at `now`, in the order of (start, order). A new connection
  /// takes `queue_pairs` consecutive ports of its host's `ports`.
  Turn Enter(FlowPost* flow, Time now, std::uint32_t queue_pairs, SourcePorts* ports);
  /// The last byte of the message that sends leaves at `when`. Returns whether another one waits:
  /// `next`, which starts then.
  bool Leave(std::uint32_t slot, Time when, FlowPost* next);
  /// The source port of its first queue pair; the others have those after it.
  std::uint16_t first_port(std::uint32_t slot) const { return connections_[slot].first_port; }

  std::size_t size() const { return connections_.size(); }
  /// Calls visit(post) for each message that waits here.
  template <class Visit>
  void ForEachWaiting(const Visit& visit) const {
    for (const Connection& connection : connections_) {
      for (std::uint32_t at = connection.first; at != kNone; at = waiting_[at].next)
        visit(waiting_[at].flow);
    }
  }
  /// Bytes that it has allocated.
  std::size_t memory() const {
    return slots_.memory() + connections_.capacity() * sizeof(Connection) + waiting_.memory();
  }

  /// Counts, in a loaded state, the messages that start or send. Throws UserError "the saved state
  /// has ...".
  class Claims {
   public:
    explicit Claims(const LastingConnections& connections);
    /// By a message to `destination`.
    void Claim(std::uint32_t slot, NodeId destination);

   private:
    friend class LastingConnections;

    std::vector<NodeId> destinations_;    ///< by slot
    std::vector<std::uint32_t> senders_;  ///< by slot
  };
  /// Of what was loaded, when all have claimed theirs: throws UserError "the saved state has ...".
  /// `check_post`: of a message that waits.
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
    Time free_at;  ///< when the last byte of the message before has left; if not busy
    std::uint32_t first = kNone, last = kNone;  ///< of those that wait, in waiting_
    std::uint16_t first_port = 0;
    bool busy = false;  ///< a message has its turn: it will start, or sends
  };
  struct Waiting {
    FlowPost flow;
    std::uint32_t next = kNone;
  };

  static std::uint64_t KeyOf(const FlowPost& flow) {
    static_assert(kMaxNodes <= 1U << 20 && FlowPost::kMaxConnections <= 1U << 24);
    return static_cast<std::uint64_t>(flow.source.value) << 44 |
           static_cast<std::uint64_t>(flow.destination.value) << 24 | flow.connection;
  }
  static NodeId DestinationOf(std::uint64_t key) {
    return NodeId(static_cast<std::uint32_t>(key >> 24) & (kMaxNodes - 1));
  }
  void Append(Connection* connection, const FlowPost& flow);
  FlowPost TakeFirst(Connection* connection);

  /// As a list, so that no link has to be checked.
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
