// SPDX-License-Identifier: GPL-2.0-only
/// Messages that host software divides into requests: which queue pair gets what, and when.
///
/// Each queue pair that gets bytes of a message is a flow, which begins with its first share of a
/// request and grows with each further one. While more may come (QueuePair::kOpen) it keeps its
/// last byte back; so its last packet, which marks the end for the receiver, is sent when the last
/// request of the message has been posted, and not before. A share is complete when all its bytes
/// but the one kept back are acknowledged; the library sees that at its next poll, learns, and
/// posts the next request if its window has a slot.
/// Source, equations and choices: docs/models/cast.md.
/// Invariant: the shares of a message's requests sum to its bytes, and the sizes of its flows too.
/// Not modelled: the receiver's credits (CTS).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/requests/request_window.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/requests/connection_state.h"
#include "transport/model/requests/polling.h"
#include "transport/model/requests/request_scheduler.h"

namespace heddle {

/// The divided messages of a domain's hosts. `slot` is a queue pair's.
class RequestDesk {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Whether a message is divided into requests: it leaves its server.
  static bool Divides(const FabricContext& context, const FlowPost& flow);

  /// Returns how many queue pairs of a connection may send a message that it divides.
  static std::int64_t PairsOf(const FabricContext& context);

  /// Starts a message at `node`. `first`: as its first queue pair starts, without bytes; the others
  /// have the flow numbers and source ports after it. `lasts`: its connection does, so that its
  /// messages share a window of requests. `grants`: answered ones of its queue pairs, by number,
  /// which the message owns from now on; empty if the central controller was not asked.
  void Start(DomainState& state, std::uint32_t node, const FlowPost& flow, const QueuePair& first,
             bool lasts, std::vector<std::uint32_t> grants);
  /// Returns the first byte after the packet that begins at `offset`, as far as requests limit it:
  /// a packet belongs to one request.
  std::int64_t PacketEnd(std::uint32_t slot, std::int64_t offset) const;
  /// Completes the shares that end before or at `pair.unacked`; the next poll sees them.
  void Acknowledged(DomainState& state, std::uint32_t slot, const QueuePair& pair);
  /// Forgets a flow that is over. `failed`: its message posts no more requests.
  void Ended(DomainState& state, std::uint32_t slot, bool failed);

  /// Whether a poll's event is still the connection's pending one.
  bool PollIsDue(std::uint32_t connection, Time time) const {
    return connections_[connection].poll_at == time;
  }
  /// Sees the shares that are complete by now, teaches the scheduler, and posts the requests that
  /// have a slot in their windows.
  void Poll(DomainState& state, std::uint32_t connection);

  /// Calls visit(pair, bytes) for each message with bytes that are not in a request yet.
  template <class Visit>
  void ForEachUnposted(const Visit& visit) const {
    for (const Message& message : messages_) {
      if (message.left > 0) visit(message.first, message.left);
    }
  }
  /// Calls visit(grant, source) for each grant of a queue pair that has not started.
  template <class Visit>
  void ForEachUnusedGrant(const Visit& visit) const {
    for (const Message& message : messages_) {
      for (const std::uint32_t grant : message.grants) {
        if (grant != kNone) visit(grant, message.first.flow.source);
      }
    }
  }
  std::size_t memory() const;  ///< bytes allocated
  /// What is under way at once.
  struct Load {
    double connections = 0, messages = 0, flows = 0;
  };
  /// Returns an estimate of memory() for this load [byte].
  static double EstimateMemory(const TransportOptions& options, const Load& load);

  // The checks of a loaded state throw UserError "the saved state has ...".
  /// Whether a poll's event may name this connection.
  bool MayHaveEvent(std::uint32_t connection) const { return connection < connections_.size(); }
  /// Checks that a queue pair and its lane have the same bytes, or that it carries no requests.
  void CheckPair(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const;
  /// Checks that requests belong to queue pairs. `used`: by slot, whether there is a queue pair.
  void CheckOwners(const std::vector<bool>& used) const;
  /// Checks messages, connections and lanes, and that each share of a request exists once.
  void Check(const DomainState& state) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    SerializeAll(archive, &connections_);
    SerializeAll(archive, &messages_);
    SerializeAll(archive, &lanes_);
    archive& free_messages_;
    if constexpr (Archive::is_loading::value) Index();
  }

 private:
  /// Source, destination, FlowPost::connection and priority. A connection that does not last has
  /// its channel plus kMaxConnections instead.
  using Key = std::array<std::uint32_t, 4>;

  struct Completion {
    RequestScheduler::Share share;
    std::uint32_t message = 0;
    std::uint64_t request = 0;  ///< of the message's window
    Time posted, polled;
    BitRate line_rate;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& share.queue_pair& share.timed& share
          .bytes& message& request& posted& polled& line_rate;
    }
  };
  struct Connection {
    Key key = {};
    std::uint32_t node = 0;    ///< of its source
    std::uint32_t number = 0;  ///< among those of its source
    ConnectionState state;
    PollingState polling{PollingOptions(), 0, 0};
    Time poll_at = Time::Max();         ///< of its pending event
    std::vector<Completion> completed;  ///< to be seen, by time
    // If it lasts:
    RequestWindow window;
    std::uint32_t posting = kNone;  ///< the message that posts requests

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      for (std::uint32_t& part : key) archive& part;
      archive& node& number& state& polling& poll_at& window& posting;
      SerializeAll(archive, &completed);
    }
  };
  struct Message {
    QueuePair first;
    std::uint32_t connection = kNone;  ///< kNone: the place is free
    bool lasts = false;
    std::int64_t left = 0;                   ///< bytes that are in no request yet
    std::int64_t request_size = 0;           ///< [byte]
    std::uint64_t shares = 0;                ///< posted and not yet seen complete
    std::vector<std::uint32_t> queue_pairs;  ///< slots, by number; kNone: has no bytes
    std::vector<std::uint32_t> grants;       ///< by number; kNone: its queue pair has started
    RequestWindow window;                    ///< if its connection does not last

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& first& connection& lasts& left& request_size& shares& queue_pairs& grants& window;
    }
  };
  /// What a queue pair has been given and is not acknowledged.
  struct Share {
    std::int64_t end = 0;  ///< complete when all before is acknowledged
    std::int64_t bytes = 0;
    std::uint64_t request = 0;
    Time posted;
    bool timed = false;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& end& bytes& request& posted& timed;
    }
  };
  /// The part of one queue pair in a message.
  struct Lane {
    std::uint32_t message = kNone;  ///< kNone: the queue pair carries no requests
    std::uint32_t number = 0;       ///< of the queue pair within the connection
    bool open = false;              ///< more may come
    std::int64_t posted = 0;        ///< [byte]
    std::vector<Share> shares;      ///< in their order

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& message& number& open& posted;
      SerializeAll(archive, &shares);
    }
  };

  /// Counts the shares of requests, in a loaded state.
  class Claims {
   public:
    /// Copies the counts that are to be claimed.
    explicit Claims(const RequestDesk& desk);
    /// Claims one share of a request. Throws if the message or the request has no more.
    void Claim(const RequestDesk& desk, std::uint32_t message, std::uint64_t request);

   private:
    std::vector<RequestWindow::Claims> connections_, messages_;
    std::vector<std::uint64_t> shares_;  ///< by message
  };

  template <class Archive, class Record>
  static void SerializeAll(Archive& archive, std::vector<Record>* records) {
    StateCount count(records->size());
    archive& count;
    if constexpr (Archive::is_loading::value) records->resize(count);
    for (Record& record : *records) archive& record;
  }

  /// Returns the key of a message's connection, by its channel if the connection does not last.
  static Key KeyOf(const FlowPost& flow);
  /// Returns the index of a connection, made at its first message.
  std::uint32_t ConnectionOf(const DomainState& state, std::uint32_t node, const Key& key);
  /// Returns a free place in messages_.
  std::uint32_t AllocateMessage();
  /// Returns the window of a message's requests, which is its connection's if that lasts.
  RequestWindow* WindowOf(std::uint32_t message);
  /// Posts requests of a message until its bytes or the slots of its window run out.
  void PostRequests(DomainState& state, std::uint32_t message);
  /// Posts the next request: the scheduler divides it among queue pairs.
  void PostRequest(DomainState& state, std::uint32_t message);
  /// Returns the slot of the queue pair of a number; its flow starts if it has none.
  std::uint32_t LaneOf(DomainState& state, std::uint32_t message, std::uint32_t number);
  /// Closes a message of which all requests are posted.
  void Close(DomainState& state, std::uint32_t message);
  /// Closes a message of which a queue pair failed; what is posted is sent.
  void Abandon(DomainState& state, std::uint32_t message);
  /// Lets all flows of a message send the byte that they keep back, and returns grants that none
  /// used. Returns the flows' slots.
  std::vector<std::uint32_t> CloseLanes(DomainState& state, std::uint32_t message);
  /// Gives the queue pair what is posted by now, but for the byte that it keeps back.
  void Grow(DomainState& state, std::uint32_t slot);
  /// Samples the weights of a connection's queue pairs, if CAST is monitored.
  static void Report(DomainState& state, const Connection& connection);
  /// Notes that the first share of a queue pair is complete, and when a poll sees it.
  void Complete(DomainState& state, std::uint32_t slot, BitRate line_rate);
  /// Frees the place of a message whose shares have all been seen.
  void FreeIfOver(std::uint32_t message);
  /// Sets the connection's event to the poll that sees its first completion; none without one.
  void SchedulePoll(DomainState& state, std::uint32_t connection);
  /// Makes what is not saved, after loading.
  void Index();
  /// Checks one lane against its message, and claims its shares.
  void CheckLane(const DomainState& state, std::uint32_t slot, Claims* claims) const;
  /// Whether a message's first queue pair is as Start() gets it.
  static bool IsFresh(const QueuePair& first);
  /// Checks one message against its connection and its lanes.
  void CheckMessage(const DomainState& state, std::uint32_t slot) const;
  /// Checks one connection, and claims the completions that no poll has seen.
  void CheckConnection(const DomainState& state, std::uint32_t index, Claims* claims) const;

  std::vector<Connection> connections_;
  std::map<Key, std::uint32_t> by_key_;
  std::map<std::uint32_t, std::uint32_t> of_node_;  ///< number of connections of a node
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<Lane> lanes_;  ///< by slot
};

}  // namespace heddle
