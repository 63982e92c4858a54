// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/lasting_connections.h"

#include "core/base/check.h"
#include "core/containers/state_count.h"

namespace heddle {

std::uint32_t LastingConnections::FindOrMake(const FlowPost& flow, std::uint32_t queue_pairs,
                                             SourcePorts* ports) {
  std::uint32_t slot = Find(flow);
  if (slot != kNone) return slot;
  slot = static_cast<std::uint32_t>(connections_.size());
  slots_.Insert(KeyOf(flow), slot);
  Connection made;
  made.first_port = ports->Next(flow.destination);
  for (std::uint32_t i = 1; i < queue_pairs; ++i) ports->Next(flow.destination);
  connections_.push_back(made);
  return slot;
}

LastingConnections::Turn LastingConnections::Enter(FlowPost* flow, Time now,
                                                   std::uint32_t queue_pairs, SourcePorts* ports) {
  Connection& connection = connections_[FindOrMake(*flow, queue_pairs, ports)];
  if (connection.busy) {
    Append(&connection, *flow);
    return Turn::kWaits;
  }
  connection.busy = true;
  if (connection.free_at <= now) return Turn::kNow;
  flow->start = connection.free_at;
  return Turn::kLater;
}

bool LastingConnections::Leave(std::uint32_t slot, Time when, FlowPost* next) {
  Connection& connection = connections_[slot];
  if (connection.first == kNone) {
    connection.busy = false;
    connection.free_at = when;
    return false;
  }
  *next = TakeFirst(&connection);
  next->start = when;
  return true;
}

void LastingConnections::Append(Connection* connection, const FlowPost& flow) {
  const std::uint32_t at = waiting_.Allocate();
  waiting_[at] = {flow, kNone};
  (connection->first == kNone ? connection->first : waiting_[connection->last].next) = at;
  connection->last = at;
}

FlowPost LastingConnections::TakeFirst(Connection* connection) {
  const std::uint32_t at = connection->first;
  const FlowPost flow = waiting_[at].flow;
  connection->first = waiting_[at].next;
  waiting_.Free(at);
  return flow;
}

LastingConnections::Claims::Claims(const LastingConnections& connections)
    : destinations_(connections.size()), senders_(connections.size(), 0) {
  connections.slots_.ForEach([this](std::uint64_t key, std::uint32_t slot) {
    ExpectState(slot < destinations_.size() && !destinations_[slot].valid(),
                "a connection of two pairs of hosts");
    destinations_[slot] = DestinationOf(key);
  });
}

void LastingConnections::Claims::Claim(std::uint32_t slot, NodeId destination) {
  ExpectState(slot < senders_.size() && destinations_[slot] == destination,
              "a message of a connection that does not exist");
  ++senders_[slot];
}

void LastingConnections::Check(const Claims& claims,
                               const std::function<void(const FlowPost&)>& check_post) const {
  ExpectState(slots_.size() == connections_.size(), "a connection of no hosts");
  for (std::uint32_t slot = 0; slot < connections_.size(); ++slot) {
    const Connection& connection = connections_[slot];
    ExpectState(claims.senders_[slot] == (connection.busy ? 1 : 0),
                "a connection that waits for nobody, or for two messages");
    ExpectState(connection.busy || connection.first == kNone, "a message that waits for nobody");
    for (std::uint32_t at = connection.first; at != kNone; at = waiting_[at].next) {
      ExpectState(Find(waiting_[at].flow) == slot, "a message in the queue of another connection");
      check_post(waiting_[at].flow);
    }
  }
}

}  // namespace heddle
