// SPDX-License-Identifier: GPL-2.0-only
/// A message that starts, as its carrier gets it.
///
/// Whoever posts messages (transport/domain/messages) keeps their order and knows who is notified
/// of their ends. A carrier makes a message move: it takes numbers and ports from the host's queue,
/// and opens the message so that its progress can be reported.
#pragma once

#include <cstdint>

#include "core/traffic/flow_agent.h"
#include "transport/model/nic/lasting_connections.h"
#include "transport/model/nic/posted_flows.h"
#include "transport/model/nic/queue_pair.h"

namespace heddle {

class DomainState;
struct FabricContext;

/// What a carrier asks of whoever posts messages.
class MessageOpener {
 public:
  /// Registers a started message of `parts` flows, numbered from `first_flow` on. Returns its slot
  /// for MessageReports; QueuePair::kParked if no agent is notified. `announced`: its destination
  /// expects the flows, and finds out by itself when all have arrived.
  virtual std::uint32_t Open(DomainState& state, const FlowPost& flow, std::uint32_t connection,
                             std::uint32_t first_flow, std::int64_t parts, bool announced) = 0;
  /// Registers a message whose flows are added later (MessageReports::AddFlow). Until it is closed
  /// it counts as a flow itself.
  virtual std::uint32_t OpenGrowing(DomainState& state, const FlowPost& flow,
                                    std::uint32_t connection) = 0;

 protected:
  ~MessageOpener() = default;
};

/// One message that starts now.
struct MessageStart {
  std::uint32_t node;          ///< of its source: index into DomainState::nodes_
  const FlowHeap::Item& item;  ///< with the first grant of its queue pairs
  PostQueue& queue;            ///< of its host
  /// Its lasting connection, and that one's first source port; LastingConnections::kNone: none.
  std::uint32_t connection;
  std::uint16_t connection_port;
  bool on_arrival;  ///< it is complete when it has arrived, not when it is acknowledged
  MessageOpener& opener;

  const FlowPost& flow() const { return item.flow; }
  bool numbered() const { return item.flow.numbers.given(); }  ///< its numbers are a trace's
  bool lasts() const { return connection != LastingConnections::kNone; }

  /// Returns a queue pair with what all of the message's have in common. Takes the message's
  /// number.
  QueuePair NewPair() const {
    QueuePair pair;
    pair.destination = flow().destination;
    pair.destination_port = flow().destination_port;
    pair.priority = flow().priority;
    pair.message = numbered() ? flow().numbers.message : queue.next_message++;
    return pair;
  }
};

}  // namespace heddle
