// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/requests/request_desk.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "transport/domain/state/flow_starter.h"
#include "transport/domain/state/message_reports.h"
#include "transport/model/requests/request_schemes.h"

namespace heddle {

bool RequestDesk::Divides(const FabricContext& context, const FlowPost& flow) {
  return context.requests.active() && context.graph->InTwoServers(flow.source, flow.destination);
}

std::int64_t RequestDesk::PairsOf(const FabricContext& context) {
  const TransportOptions& options = context.options;
  return TraitsOfScheme(options.requests.scheduler).alternates ? options.nic.qps_per_connection : 1;
}

RequestDesk::Key RequestDesk::KeyOf(const FlowPost& flow) {
  const bool lasts = flow.connection != FlowPost::kOwnConnection;
  const std::uint32_t name =
      lasts ? flow.connection : FlowPost::kMaxConnections + flow.origin.channel;
  return {flow.source.value, flow.destination.value, name, flow.priority};
}

std::uint32_t RequestDesk::ConnectionOf(const DomainState& state, std::uint32_t node,
                                        const Key& key) {
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) return known->second;
  const FabricContext& context = state.context();
  Connection made;
  made.key = key;
  made.node = node;
  made.number = of_node_[node]++;
  made.state = context.requests.NewConnection();
  made.polling = PollingState(context.options.requests.polling, context.seed,
                              XXH3_64bits(key.data(), sizeof key));
  const auto slot = static_cast<std::uint32_t>(connections_.size());
  connections_.push_back(std::move(made));
  by_key_.emplace(key, slot);
  return slot;
}

std::uint32_t RequestDesk::AllocateMessage() {
  if (!free_messages_.empty()) {
    const std::uint32_t slot = free_messages_.back();
    free_messages_.pop_back();
    return slot;
  }
  messages_.emplace_back();
  return static_cast<std::uint32_t>(messages_.size() - 1);
}

void RequestDesk::Start(DomainState& state, std::uint32_t node, const FlowPost& flow,
                        const QueuePair& first, bool lasts, std::vector<std::uint32_t> grants) {
  const RequestOptions& options = state.context().options.requests;
  const std::uint32_t slot = AllocateMessage();
  Message& message = messages_[slot];
  message = Message();
  message.first = first;
  message.first.start = state.now();
  message.connection = ConnectionOf(state, node, KeyOf(flow));
  message.lasts = lasts;
  message.left = flow.size;
  message.request_size = flow.send_recv ? options.send_recv_size : options.size;
  const auto number = static_cast<std::size_t>(state.context().options.nic.qps_per_connection);
  message.queue_pairs.assign(number, kNone);
  message.grants = std::move(grants);
  if (lasts) connections_[message.connection].posting = slot;
  PostRequests(state, slot);
}

RequestWindow* RequestDesk::WindowOf(std::uint32_t message) {
  Message& m = messages_[message];
  return m.lasts ? &connections_[m.connection].window : &m.window;
}

void RequestDesk::PostRequests(DomainState& state, std::uint32_t message) {
  const auto most = static_cast<std::size_t>(state.context().options.requests.in_flight);
  while (messages_[message].left > 0 && WindowOf(message)->size() < most)
    PostRequest(state, message);
}

void RequestDesk::PostRequest(DomainState& state, std::uint32_t message) {
  Message& m = messages_[message];
  const std::int64_t bytes = std::min(m.request_size, m.left);
  m.left -= bytes;
  std::vector<RequestScheduler::Share> shares;
  Connection& connection = connections_[m.connection];
  if (state.context().requests.Post(&connection.state, bytes, state.now(), &shares))
    Report(state, connection);
  const std::uint64_t request = WindowOf(message)->Open(static_cast<std::uint32_t>(shares.size()));
  m.shares += shares.size();
  for (const RequestScheduler::Share& share : shares) {
    Lane& lane = lanes_[LaneOf(state, message, share.queue_pair)];
    lane.posted += share.bytes;
    lane.shares.push_back({lane.posted - 1, share.bytes, request, state.now(), share.timed});
  }
  if (m.left == 0) {
    Close(state, message);
    return;
  }
  for (const RequestScheduler::Share& share : shares) Grow(state, m.queue_pairs[share.queue_pair]);
}

void RequestDesk::Report(DomainState& state, const Connection& connection) {
  if (!state.context().options.monitors.cast) return;
  const ConnectionState& known = connection.state;
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    state.sampler().AddWeight({state.now(), NodeId(connection.key[0]), NodeId(connection.key[1]),
                               connection.key[2], static_cast<std::uint8_t>(connection.key[3]),
                               static_cast<std::uint16_t>(i), known.weight(i), known.estimate(i),
                               known.bytes(i)});
  }
}

std::uint32_t RequestDesk::LaneOf(DomainState& state, std::uint32_t message, std::uint32_t number) {
  Message& m = messages_[message];
  if (m.queue_pairs[number] != kNone) return m.queue_pairs[number];
  QueuePair pair = m.first;
  pair.flow.number += number;
  pair.source_port = static_cast<std::uint16_t>(pair.source_port + number);
  pair.divided = QueuePair::kOpen;
  if (number < m.grants.size()) pair.grant = std::exchange(m.grants[number], kNone);
  if (pair.post != QueuePair::kParked) state.parts().reports.AddFlow(pair.post);
  const std::uint32_t slot =
      state.parts().starter.Start(state, connections_[m.connection].node, pair);
  if (lanes_.size() <= slot) lanes_.resize(slot + slot / 2 + 4);
  lanes_[slot] = Lane();
  lanes_[slot].message = message;
  lanes_[slot].number = number;
  lanes_[slot].open = true;
  m.queue_pairs[number] = slot;
  return slot;
}

std::vector<std::uint32_t> RequestDesk::CloseLanes(DomainState& state, std::uint32_t message) {
  Message& m = messages_[message];
  for (const std::uint32_t grant : m.grants) {
    if (grant != kNone) state.parts().reports.ReturnGrant(state, grant);
  }
  m.grants.clear();
  m.left = 0;
  if (m.lasts) connections_[m.connection].posting = kNone;
  std::vector<std::uint32_t> slots = std::move(m.queue_pairs);
  m.queue_pairs.clear();
  for (const std::uint32_t slot : slots) {
    if (slot == kNone) continue;
    Lane& lane = lanes_[slot];
    lane.open = false;
    if (!lane.shares.empty()) lane.shares.back().end = lane.posted;
  }
  return slots;
}

void RequestDesk::Close(DomainState& state, std::uint32_t message) {
  const std::vector<std::uint32_t> slots = CloseLanes(state, message);
  state.parts().reports.CloseMessage(state, messages_[message].first, slots);
  for (const std::uint32_t slot : slots) {
    if (slot != kNone) Grow(state, slot);
  }
}

void RequestDesk::Abandon(DomainState& state, std::uint32_t message) {
  state.parts().reports.AbandonMessage(messages_[message].first);
  for (const std::uint32_t slot : CloseLanes(state, message)) {
    if (slot != kNone) Grow(state, slot);
  }
}

void RequestDesk::Grow(DomainState& state, std::uint32_t slot) {
  const bool open = lanes_[slot].open;
  state.parts().starter.Grow(state, slot, lanes_[slot].posted - (open ? 1 : 0), open);
  // A first share of one byte, which is kept back.
  if (!lanes_[slot].shares.empty() && lanes_[slot].shares.front().end == 0)
    Complete(state, slot, state.context().nic_rate);
}

std::int64_t RequestDesk::PacketEnd(std::uint32_t slot, std::int64_t offset) const {
  for (const Share& share : lanes_[slot].shares) {
    if (share.end > offset) return share.end;
  }
  return lanes_[slot].posted;
}

void RequestDesk::Acknowledged(DomainState& state, std::uint32_t slot, const QueuePair& pair) {
  while (!lanes_[slot].shares.empty() && lanes_[slot].shares.front().end <= pair.unacked)
    Complete(state, slot, pair.pace.line_rate);
}

void RequestDesk::Complete(DomainState& state, std::uint32_t slot, BitRate line_rate) {
  Lane& lane = lanes_[slot];
  const Share share = lane.shares.front();
  lane.shares.erase(lane.shares.begin());
  const std::uint32_t index = messages_[lane.message].connection;
  Connection& connection = connections_[index];
  const Time polled =
      NextPoll(state.context().options.requests.polling, &connection.polling, state.now());
  connection.completed.push_back({{lane.number, share.timed, share.bytes},
                                  lane.message,
                                  share.request,
                                  share.posted,
                                  polled,
                                  line_rate});
  if (connection.poll_at == Time::Max()) SchedulePoll(state, index);
}

void RequestDesk::SchedulePoll(DomainState& state, std::uint32_t index) {
  Connection& connection = connections_[index];
  connection.poll_at =
      connection.completed.empty() ? Time::Max() : connection.completed.front().polled;
  if (connection.completed.empty()) return;
  state.queue().Push({connection.poll_at,
                      EventOrder(state.nodes()[connection.node].id, PortId(0), FabricEvent::kPoll,
                                 connection.number)
                          .bits(),
                      index, 0});
}

void RequestDesk::Poll(DomainState& state, std::uint32_t index) {
  const FabricContext& context = state.context();
  std::vector<Completion> seen;
  {
    Connection& connection = connections_[index];
    auto& completed = connection.completed;
    const auto end = std::find_if(completed.begin(), completed.end(),
                                  [&](const Completion& c) { return c.polled > state.now(); });
    seen.assign(completed.begin(), end);
    completed.erase(completed.begin(), end);
    const Time least =
        context.metrics->Pair(NodeId(connection.key[0]), NodeId(connection.key[1])).rtt();
    for (const Completion& c : seen) {
      context.requests.Completed(&connection.state,
                                 {c.share, c.posted, c.polled, c.line_rate, least});
      WindowOf(c.message)->Complete(c.request);
      --messages_[c.message].shares;
    }
  }
  SchedulePoll(state, index);
  if (connections_[index].posting != kNone) PostRequests(state, connections_[index].posting);
  for (const Completion& c : seen) {
    if (messages_[c.message].connection == kNone) continue;
    PostRequests(state, c.message);
    FreeIfOver(c.message);
  }
}

void RequestDesk::FreeIfOver(std::uint32_t message) {
  Message& m = messages_[message];
  if (m.left > 0 || m.shares > 0) return;
  m = Message();
  free_messages_.push_back(message);
}

void RequestDesk::Ended(DomainState& state, std::uint32_t slot, bool failed) {
  const Lane lane = std::move(lanes_[slot]);
  lanes_[slot] = Lane();
  if (!failed || !lane.open) return;
  messages_[lane.message].queue_pairs[lane.number] = kNone;
  Abandon(state, lane.message);
}

void RequestDesk::Index() {
  by_key_.clear();
  of_node_.clear();
  for (std::uint32_t slot = 0; slot < connections_.size(); ++slot) {
    by_key_.emplace(connections_[slot].key, slot);
    ++of_node_[connections_[slot].node];
  }
}

double RequestDesk::EstimateMemory(const TransportOptions& options, const Load& load) {
  // Arrays double when they are full; an entry of a map has three pointers and a colour.
  constexpr double kReserve = 1.5, kMapEntry = sizeof(Key) + 5 * sizeof(void*);
  const auto pairs = static_cast<double>(options.nic.qps_per_connection);
  const auto requests = static_cast<double>(options.requests.in_flight);
  // Shares of one request are often seen together.
  const double shares = TraitsOfScheme(options.requests.scheduler).splits ? pairs : 1;
  const double connection = kReserve * sizeof(Connection) + kMapEntry + pairs * sizeof(PairState) +
                            requests * sizeof(std::uint32_t) + shares * sizeof(Completion);
  const double message =
      kReserve * sizeof(Message) + pairs * sizeof(std::uint32_t) + requests * sizeof(std::uint32_t);
  const double flow = kReserve * (sizeof(Lane) + requests * sizeof(Share));
  return load.connections * connection + load.messages * message + load.flows * flow;
}

std::size_t RequestDesk::memory() const {
  std::size_t sum = MemoryOf(connections_) + MemoryOf(messages_) + MemoryOf(free_messages_) +
                    MemoryReached(lanes_) + by_key_.size() * (sizeof(Key) + 5 * sizeof(void*));
  for (const Connection& connection : connections_)
    sum += connection.state.memory() + connection.window.memory() + MemoryOf(connection.completed);
  for (const Message& message : messages_)
    sum += message.window.memory() + MemoryOf(message.queue_pairs) + MemoryOf(message.grants);
  for (const Lane& lane : lanes_) sum += MemoryOf(lane.shares);
  return sum;
}

}  // namespace heddle
