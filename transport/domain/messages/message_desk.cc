// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/messages/message_desk.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "core/containers/state_count.h"
#include "core/traffic/flow_request.h"
#include "transport/domain/requests/request_desk.h"
#include "transport/domain/state/ideal_time.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/domain/streams/stream_desk.h"
#include "transport/model/nic/flow_rows.h"

namespace heddle {
namespace {

/// Returns what is in no request yet of a message whose flows are like `first`.
FlowPost RestOf(const QueuePair& first, std::int64_t bytes) {
  FlowPost rest;
  rest.start = first.start;
  rest.source = first.flow.source;
  rest.destination = first.destination;
  rest.size = bytes;
  rest.priority = first.priority;
  rest.destination_port = first.destination_port;
  return rest;
}

}  // namespace

void MessageDesk::Attach(const FabricContext& context, std::size_t hosts, FlowAgent* agent) {
  acked_ = context.options.completion == TransportOptions::Completion::kAcked;
  agent_ = agent;
  if (agent == nullptr) return;
  post_queues_.resize(hosts);
  carriers_.Reserve(hosts);
}

bool MessageDesk::MayLast(const FabricContext& context, const FlowPost& flow) {
  if (flow.connection == FlowPost::kOwnConnection) return true;
  return flow.connection < FlowPost::kMaxConnections && context.reports && !context.controlled() &&
         !flow.numbers.given();
}

void MessageDesk::Post(DomainState& state, const FlowPost& flow) {
  HEDDLE_INVARIANT(
      flow.start >= state.now() && flow.size > 0 &&
          state.context().split.PartOf(flow.size) <= kMaxFlowBytes,
      fmt::format("a flow of {} bytes from node {} was posted at {} ps to start at {} ps",
                  flow.size, flow.source.value, state.now().ps, flow.start.ps));
  HEDDLE_INVARIANT(state.IsHost(flow.source), "a flow was posted for a node of another domain");
  HEDDLE_INVARIANT(
      MayLast(state.context(), flow),
      "a flow of a lasting connection of which nobody is notified, or with other ports");
  const Node* node = state.FindNode(flow.source);
  PostQueue& queue = post_queues_[node->host];
  const auto index = static_cast<std::uint32_t>(node - state.nodes().data());
  if (PathClient::Asks(state.context(), flow.source, flow.destination, flow.asked)) {
    const Time delay = state.context().ask_delay;
    HEDDLE_INVARIANT(flow.asked + delay >= state.now(),
                     fmt::format("a flow was posted at {} ps that was handed over at {} ps",
                                 state.now().ps, flow.asked.ps));
    queue.asks.Add({flow});
    Schedule(state, &queue.asks, delay, FabricEvent::kAskPath, index);
  } else {
    queue.starts.Add({flow});
    Schedule(state, &queue.starts, Time{0}, FabricEvent::kFlowStart, index);
  }
}

void MessageDesk::Schedule(DomainState& state, FlowHeap* heap, Time delay, FabricEvent::Kind kind,
                           std::uint32_t node) {
  if (heap->empty() || (!heap->wakes.empty() && heap->wakes.back() <= heap->first() + delay))
    return;
  heap->wakes.push_back(heap->first() + delay);
  state.queue().Push(
      {heap->wakes.back(), EventOrder(state.nodes()[node].id, PortId(0), kind).bits(), node, 0});
}

void MessageDesk::WakeAt(DomainState& state, Time when) {
  HEDDLE_INVARIANT(when >= state.now(), fmt::format("an agent asked at {} ps to be woken at {} ps",
                                                    state.now().ps, when.ps));
  state.queue().Push(
      {when, EventOrder(state.nodes()[0].id, PortId(0), FabricEvent::kWakeAgent).bits(), 0, 0});
}

void MessageDesk::AskForPaths(DomainState& state, std::uint32_t node) {
  const Time delay = state.context().ask_delay;
  PostQueue& queue = post_queues_[state.nodes()[node].host];
  queue.asks.wakes.pop_back();
  while (!queue.asks.empty() && queue.asks.first() + delay <= state.now()) {
    const FlowPost flow = queue.asks.Take().flow;
    Ask(state, flow, &queue.next_request);
  }
  Schedule(state, &queue.asks, delay, FabricEvent::kAskPath, node);
}

void MessageDesk::Ask(DomainState& state, const FlowPost& flow, std::uint32_t* next_request) {
  const FabricContext& context = state.context();
  PathClient& paths = state.parts().paths;
  if (RequestDesk::Divides(context, flow)) {
    paths.Ask(state, flow, RequestDesk::PairsOf(context), next_request);
    return;
  }
  if (!flow.numbers.given() || context.requests.active()) {
    paths.Ask(state, flow, context.split.FlowsOf(flow.size), next_request);
    return;
  }
  // Flows of a trace ask and start each for itself.
  context.split.ForEachFlow(flow,
                            [&](const FlowPost& part) { paths.Ask(state, part, 1, next_request); });
}

void MessageDesk::StartWhenDue(DomainState& state, const FlowHeap::Item& item) {
  const Node* node = state.FindNode(item.flow.source);
  FlowHeap& starts = post_queues_[node->host].starts;
  starts.Add(item);
  Schedule(state, &starts, Time{0}, FabricEvent::kFlowStart,
           static_cast<std::uint32_t>(node - state.nodes().data()));
}

void MessageDesk::StartFlows(DomainState& state, std::uint32_t node) {
  PostQueue& queue = post_queues_[state.nodes()[node].host];
  FlowHeap& starts = queue.starts;
  starts.wakes.pop_back();
  while (!starts.empty() && starts.first() <= state.now()) {
    const FlowHeap::Item item = starts.Take();
    if (state.watcher() != nullptr && state.watcher()->TakesMessage(state, node, item)) continue;
    if (item.flow.connection == FlowPost::kOwnConnection || HasTurn(state, &queue, item))
      StartMessage(state, node, item);
  }
  Schedule(state, &starts, Time{0}, FabricEvent::kFlowStart, node);
}

bool MessageDesk::HasTurn(DomainState& state, PostQueue* queue, FlowHeap::Item item) {
  if (item.has_turn) return true;
  const std::int64_t queue_pairs = state.context().options.nic.qps_per_connection;
  const LastingConnections::Turn turn = connections_.Enter(
      &item.flow, state.now(), static_cast<std::uint32_t>(queue_pairs), &queue->ports);
  if (turn == LastingConnections::Turn::kLater) {
    item.has_turn = true;
    queue->starts.Add(item);
  }
  return turn == LastingConnections::Turn::kNow;
}

void MessageDesk::StartMessage(DomainState& state, std::uint32_t node, const FlowHeap::Item& item) {
  ++state.books().messages_started;
  const std::uint32_t connection = connections_.Find(item.flow);
  const std::uint16_t port = connection == LastingConnections::kNone
                                 ? std::uint16_t{0}
                                 : connections_.first_port(connection);
  carriers_.Start(state, {node, item, post_queues_[state.nodes()[node].host], connection, port,
                          !acked_, *this});
}

FlowNumbers MessageDesk::NumberReplayed(DomainState& state, const FlowPost& ends,
                                        std::uint16_t part) {
  PostQueue& queue = post_queues_[state.FindNode(ends.source)->host];
  if (part == 0) {
    ++queue.next_message;
    ++state.books().messages_started;
  }
  FlowNumbers numbers{queue.next_flow++, queue.next_message - 1, 0};
  if (ends.connection == FlowPost::kOwnConnection) {
    numbers.source_port = queue.ports.Next(ends.destination);
  } else {
    const std::int64_t queue_pairs = state.context().options.nic.qps_per_connection;
    const std::uint32_t slot =
        connections_.FindOrMake(ends, static_cast<std::uint32_t>(queue_pairs), &queue.ports);
    numbers.source_port = static_cast<std::uint16_t>(connections_.first_port(slot) + part);
  }
  return numbers;
}

std::uint32_t MessageDesk::Open(DomainState& state, const FlowPost& flow, std::uint32_t connection,
                                std::uint32_t first_flow, std::int64_t parts, bool announced) {
  if (!state.context().reports) return QueuePair::kParked;
  const std::uint32_t post = posts_.Allocate();
  posts_[post] = {flow.cookie,
                  flow.origin,
                  flow.destination,
                  static_cast<std::uint16_t>(parts),
                  static_cast<std::uint16_t>(parts),
                  connection,
                  announced ? 1U : 0U};
  if (announced) {
    const std::int64_t what = flow.feeds ? CompletionNotice::kFeeds : parts;
    Announce(state, flow.destination, {flow.cookie, {flow.source, first_flow}, what});
  }
  return post;
}

std::uint32_t MessageDesk::OpenGrowing(DomainState& state, const FlowPost& flow,
                                       std::uint32_t connection) {
  if (!state.context().reports) return QueuePair::kParked;
  const std::uint32_t post = posts_.Allocate();
  posts_[post] = {flow.cookie, flow.origin, flow.destination, 1, 1, connection, acked_ ? 0U : 1U};
  return post;
}

void MessageDesk::Forget(std::uint32_t post) { posts_.Free(post); }

void MessageDesk::ReportSent(DomainState& state, std::uint32_t post, Time when) {
  PostedMessage& message = posts_[post];
  if (--message.unsent > 0) return;
  const std::uint32_t connection = message.connection;
  agent_->Sent(message.cookie, when);
  if (connection == LastingConnections::kNone) return;
  FlowHeap::Item next;
  next.has_turn = connections_.Leave(connection, when, &next.flow);
  if (next.has_turn) StartWhenDue(state, next);
}

void MessageDesk::ReportAcked(DomainState& state, std::uint32_t post) {
  PostedMessage& message = posts_[post];
  if (--message.unacked > 0) return;
  if (message.announced == 0)
    SendNotice(state, message.destination, state.now() + state.context().notice_delay,
               {message.cookie, FlowId(), state.now().ps});
  posts_.Free(post);
}

void MessageDesk::SendNotice(DomainState& state, NodeId to, Time at,
                             const CompletionNotice& notice) {
  // Equal times of one node: any order will do, but let it be one.
  const std::uint64_t mixed = XXH3_64bits(notice.cookie.bytes, sizeof notice.cookie.bytes);
  const std::uint64_t order =
      EventOrder(to, PortId(0), FabricEvent::kNotice, EventOrder::NumberOf(mixed)).bits();
  const DomainId domain = state.context().domain_of[to.value];
  if (domain == state.id()) {
    state.Deliver(at, order, notice);
    return;
  }
  if (state.context().counts_notices) ++notices_sent_[domain];
  static constexpr MessageTail kNoTail{};
  state.post_office().Send(state.post_office().AddressOf(domain), domain, at, order, notice,
                           state.context().tails ? &kNoTail : nullptr);
}

void MessageDesk::ReceiveNotice(DomainState& state, std::uint32_t slot) {
  CompletionNotice notice;
  std::memcpy(static_cast<void*>(&notice), state.cargo()[slot].bytes, sizeof notice);
  state.cargo().Free(slot);
  if (notice.flow.source.valid()) {
    Expect(notice);
  } else {
    agent_->Received(notice.cookie, Time{notice.value});
  }
}

std::uint32_t MessageDesk::ReportBegun(DomainState& state, NodeId node, FlowId flow) {
  const std::uint32_t slot = expected_.Find(flow.packed());
  if (slot == FlatMap::kNone || expectations_[slot].feeds == 0) return QueuePair::kParked;
  const FlowCookie cookie = expectations_[slot].cookie;
  expected_.Erase(flow.packed());
  expectations_.Free(slot);
  return state.parts().streams.AddInput(agent_->Begun(cookie, state.now()), node);
}

void MessageDesk::ReportReceived(DomainState& state, FlowId flow) {
  if (!state.context().reports) return;
  const std::uint32_t slot = expected_.Find(flow.packed());
  if (slot == FlatMap::kNone) return;  // received once more, because all its ACKs were lost
  expected_.Erase(flow.packed());
  ExpectedMessage& message = expectations_[slot];
  if (--message.missing > 0) return;
  const FlowCookie cookie = message.cookie;
  expectations_.Free(slot);
  agent_->Received(cookie, state.now());
}

FlowRecord MessageDesk::RowOf(const FabricContext& context, const FlowPost& flow,
                              std::uint32_t grant) {
  FlowRecord row = RecordOf(flow);
  if (!flow.numbers.given()) return row;
  row.ideal = context.ideal_times->Of(IdealTimes::FlowOf(row), row.start);
  const bool asks = grant != PathClient::kNone ||
                    PathClient::Asks(context, flow.source, flow.destination, flow.asked);
  if (asks) row.request = flow.numbers.number;
  return row;
}

void MessageDesk::AddRows(const FabricContext& context, const FlowPost& message,
                          std::uint32_t grant, std::vector<FlowRecord>* open) {
  if (!message.numbers.given() || context.requests.active()) {
    open->push_back(RowOf(context, message, grant));
    return;
  }
  SplitOf(context, {message, grant}).ForEachFlow(message, [&](const FlowPost& flow) {
    open->push_back(RowOf(context, flow, grant));
  });
}

void MessageDesk::AddPosted(const DomainState& state, std::vector<FlowRecord>* open) const {
  const FabricContext& context = state.context();
  for (const PostQueue& queue : post_queues_) {
    for (const FlowHeap* heap : {&queue.asks, &queue.starts}) {
      for (const FlowHeap::Item& item : heap->items())
        AddRows(context, item.flow, item.grant, open);
    }
  }
  state.parts().requests.ForEachUnposted([&](const QueuePair& first, std::int64_t bytes) {
    open->push_back(RowOf(context, RestOf(first, bytes), PathClient::kNone));
    open->back().message = first.message;
  });
  connections_.ForEachWaiting(
      [&](const FlowPost& flow) { AddRows(context, flow, PathClient::kNone, open); });
  state.parts().paths.ForEachAsking(
      [&](const FlowPost& flow, std::uint32_t grant) { AddRows(context, flow, grant, open); });
  if (agent_ == nullptr) return;
  std::vector<FlowPost> unposted;
  agent_->AddUnposted(&unposted);
  for (const FlowPost& flow : unposted) AddRows(context, flow, PathClient::kNone, open);
}

void MessageDesk::AddMemory(MemoryAccount* account) const {
  std::size_t posted = MemoryReached(post_queues_) + posts_.memory() + connections_.memory() +
                       expected_.memory() + expectations_.memory() + carriers_.memory();
  for (const PostQueue& queue : post_queues_) posted += queue.memory();
  account->Add(Structure::kPostedFlows, posted);
}

}  // namespace heddle
