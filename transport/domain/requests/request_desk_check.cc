// SPDX-License-Identifier: GPL-2.0-only
// Checks of requests that were loaded from a checkpoint.
#include "transport/domain/requests/request_desk.h"

namespace heddle {

void RequestDesk::CheckPair(const DomainState& state, std::uint32_t slot,
                            const QueuePair& pair) const {
  ExpectState(pair.divided <= QueuePair::kOpen, "a flow of unknown requests");
  const bool known = slot < lanes_.size() && lanes_[slot].message != kNone;
  ExpectState(known == (pair.divided != 0), "a flow of no requests");
  if (!known) return;
  const Lane& lane = lanes_[slot];
  const bool open = pair.divided == QueuePair::kOpen;
  ExpectState(state.context().requests.active() && lane.open == open &&
                  pair.size + (open ? 1 : 0) == lane.posted,
              "a flow of other requests");
  std::int64_t before = pair.unacked;
  for (const Share& share : lane.shares) {
    ExpectState(share.end > before && share.end <= pair.size, "a share of a request in disorder");
    before = share.end;
  }
}

void RequestDesk::CheckOwners(const std::vector<bool>& used) const {
  for (std::size_t slot = 0; slot < lanes_.size(); ++slot) {
    ExpectState(lanes_[slot].message == kNone || (slot < used.size() && used[slot]),
                "requests of a queue pair that does not exist");
  }
}

void RequestDesk::CheckLane(const DomainState& state, std::uint32_t slot, Claims* claims) const {
  const Lane& lane = lanes_[slot];
  const bool placed = lane.number < state.context().options.nic.qps_per_connection &&
                      lane.posted > 0 && lane.posted <= kMaxFlowBytes;
  ExpectState(placed, "a queue pair that its connection has not");
  // The message of a closed flow may be over, and its place another's.
  if (lane.open || !lane.shares.empty()) {
    const bool live =
        lane.message < messages_.size() && messages_[lane.message].connection != kNone;
    ExpectState(live, "requests of no message");
  }
  if (lane.open) {
    const std::vector<std::uint32_t>& pairs = messages_[lane.message].queue_pairs;
    ExpectState(lane.number < pairs.size() && pairs[lane.number] == slot,
                "a queue pair that its message does not know");
  }
  for (const Share& share : lane.shares) {
    ExpectState(share.bytes > 0 && share.posted >= Time{0} && share.posted <= state.now(),
                "a share of a request without bytes");
    claims->Claim(*this, lane.message, share.request);
  }
}

/// Whether what LaneOf() copies for each queue pair is as StartRequests() made it.
bool RequestDesk::IsFresh(const QueuePair& first) {
  const bool empty = first.size == 0 && first.next == 0 && first.unacked == 0 &&
                     first.highest == 0 && first.pace.limit == 0 && first.last_size == 0;
  const bool idle = first.port == QueuePair::kParked && first.pace.line_rate.bps == 0 &&
                    first.pace.rate.bps == 0 && first.rate_timer == Time::Max();
  return empty && idle && first.plain() && first.resend == 0 && first.asked == 0 &&
         first.timeouts == 0 && first.grant == QueuePair::kParked;
}

void RequestDesk::CheckMessage(const DomainState& state, std::uint32_t slot) const {
  const Message& message = messages_[slot];
  ExpectState(message.connection < connections_.size(), "a message of no connection");
  const Connection& connection = connections_[message.connection];
  const QueuePair& first = message.first;
  const bool placed = first.flow.source.value == connection.key[0] &&
                      first.destination.value == connection.key[1] &&
                      first.priority == connection.key[3];
  const bool counted = message.left >= 0 && message.left <= kMaxFlowBytes &&
                       message.request_size > 0 && (message.left > 0 || message.shares > 0);
  ExpectState(placed && counted, "a message between other hosts than its connection");
  ExpectState(message.lasts == (connection.key[2] < FlowPost::kMaxConnections),
              "a message of another kind of connection");
  ExpectState(IsFresh(first), "a message whose queue pairs have begun before it");
  const auto most = static_cast<std::size_t>(state.context().options.nic.qps_per_connection);
  ExpectState(message.queue_pairs.size() == (message.left > 0 ? most : 0),
              "a message of another number of queue pairs");
  ExpectState(message.grants.size() <= message.queue_pairs.size(),
              "a message of more source ports than queue pairs");
  for (std::size_t number = 0; number < message.queue_pairs.size(); ++number) {
    const std::uint32_t pair = message.queue_pairs[number];
    ExpectState(number >= message.grants.size() || pair == kNone || message.grants[number] == kNone,
                "a source port for a queue pair that has begun");
    if (pair == kNone) continue;
    ExpectState(pair < lanes_.size() && lanes_[pair].message == slot &&
                    lanes_[pair].number == number && lanes_[pair].open &&
                    lanes_[pair].posted <= kMaxFlowBytes - message.left,
                "a message of queue pairs that do not send it");
  }
}

void RequestDesk::CheckConnection(const DomainState& state, std::uint32_t index,
                                  Claims* claims) const {
  const Connection& connection = connections_[index];
  const bool at_host = connection.node < state.nodes().size() &&
                       state.nodes()[connection.node].host != DomainState::kNone &&
                       state.nodes()[connection.node].id.value == connection.key[0] &&
                       state.IsEnd(NodeId(connection.key[1])) &&
                       connection.key[0] != connection.key[1] && connection.key[3] < kPriorities;
  ExpectState(at_host, "a connection of no hosts");
  state.context().requests.Check(connection.state);
  const Time front =
      connection.completed.empty() ? Time::Max() : connection.completed.front().polled;
  ExpectState(connection.poll_at == front, "completions that nobody sees");
  Time before;
  for (const Completion& completion : connection.completed) {
    const bool timely = completion.polled >= before && completion.posted >= Time{0} &&
                        completion.posted <= completion.polled;
    ExpectState(timely && completion.line_rate.bps > 0 && completion.share.bytes > 0 &&
                    completion.share.queue_pair < connection.state.size() &&
                    completion.message < messages_.size() &&
                    messages_[completion.message].connection == index,
                "a completion of no request");
    before = completion.polled;
    claims->Claim(*this, completion.message, completion.request);
  }
  ExpectState(connection.posting == kNone ||
                  (connection.posting < messages_.size() && messages_[connection.posting].lasts &&
                   messages_[connection.posting].left > 0 &&
                   messages_[connection.posting].connection == index),
              "a connection that posts no message");
}

RequestDesk::Claims::Claims(const RequestDesk& desk) {
  for (const Connection& connection : desk.connections_)
    connections_.emplace_back(connection.window);
  for (const Message& message : desk.messages_) {
    messages_.emplace_back(message.window);
    shares_.push_back(message.shares);
  }
}

void RequestDesk::Claims::Claim(const RequestDesk& desk, std::uint32_t message,
                                std::uint64_t request) {
  const Message& m = desk.messages_[message];
  ExpectState(shares_[message] > 0, "a share of no request");
  --shares_[message];
  (m.lasts ? connections_[m.connection] : messages_[message]).Claim(request);
}

void RequestDesk::Check(const DomainState& state) const {
  ExpectState(by_key_.size() == connections_.size(), "a connection twice");
  std::vector<bool> used(messages_.size(), true);
  for (const std::uint32_t slot : free_messages_) {
    ExpectState(slot < messages_.size() && used[slot], "a free message that there is not");
    used[slot] = false;
  }
  Claims claims(*this);
  for (std::uint32_t slot = 0; slot < messages_.size(); ++slot) {
    ExpectState(used[slot] == (messages_[slot].connection != kNone),
                "a message that is both free and in use");
    if (used[slot]) CheckMessage(state, slot);
  }
  for (std::uint32_t index = 0; index < connections_.size(); ++index)
    CheckConnection(state, index, &claims);
  for (std::uint32_t slot = 0; slot < lanes_.size(); ++slot) {
    if (lanes_[slot].message != kNone) CheckLane(state, slot, &claims);
  }
}

}  // namespace heddle
