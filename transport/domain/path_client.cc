// SPDX-License-Identifier: GPL-2.0-only
/// The hosts' side of the central controller: a flow whose source port matters asks for one, starts
/// when the answer is there and its software latency is over, may be given another while it runs,
/// and says when it has ended.
///
/// The ECMP controller's specification calls the controller when the software hands a flow over,
/// and gets the answer in no time. Here the question takes the latency of the control network from
/// that moment on, and so does the answer. Questions, answers and ends are all late by the same
/// latency, so a controller that takes no time for a request decides the same as if it had heard of
/// all at once. A flow file has no software latency: its flows ask when they are to start, and wait
/// for the answer.
#include <algorithm>
#include <cstring>

#include "transport/domain/fabric_domain.h"
#include "transport/paths/path_search.h"

namespace heddle {

bool FabricDomain::AsksController(NodeId source, NodeId destination, Time asked) const {
  if (!context_->controlled() || !context_->graph->is_gpu(source) ||
      !context_->graph->is_gpu(destination))
    return false;
  const Routes& routes = context_->RoutesAt(asked);
  // Where there is no way now, there may be a choice when there is one again.
  return routes.Hops(source, destination) == Routes::kUnreachable ||
         HasChoiceOfPath(*context_->graph, routes, source, destination);
}

Time FabricDomain::AskedAt(const PlannedFlow& flow) const {
  if (!flow.request.send_latency) return flow.request.start;
  return std::max(Time{0}, flow.request.start - context_->options.send_latency);
}

void FabricDomain::ScheduleNextAsk(std::uint32_t node) {
  const Host& host = hosts_[nodes_[node].host];
  if (host.next_ask == host.asking.size()) return;
  queue_.Push({AskedAt(host.asking[host.next_ask]) + context_->ask_delay,
               EventOrder(nodes_[node].id, PortId(0), kAskPath).bits(), node, 0});
}

void FabricDomain::AskForPaths(std::uint32_t node) {
  if (agent_ == nullptr) {
    AskForPlanned(node);
    return;
  }
  FlowHeap& asks = post_queues_[nodes_[node].host].asks;
  asks.wakes.pop_back();
  while (!asks.empty() && asks.first() + context_->ask_delay <= now_)
    AskForPosted(node, asks.Take().flow);
  Schedule(&asks, context_->ask_delay, kAskPath, node);
}

void FabricDomain::AskForPlanned(std::uint32_t node) {
  Host& host = hosts_[nodes_[node].host];
  for (; host.next_ask < host.asking.size(); ++host.next_ask) {
    const PlannedFlow& flow = host.asking[host.next_ask];
    const Time asked = AskedAt(flow);
    if (asked + context_->ask_delay > now_) break;
    PathRequest request;
    request.id = {flow.id.source, flow.id.number};
    request.destination = flow.request.destination;
    request.destination_port = flow.request.destination_port;
    request.asked = asked;
    request.start = flow.request.start;
    grants_[SendRequest(request)].planned = static_cast<std::uint32_t>(host.next_ask);
  }
  ScheduleNextAsk(node);
}

void FabricDomain::AskForPosted(std::uint32_t node, const FlowPost& flow) {
  PostQueue& queue = post_queues_[nodes_[node].host];
  const std::uint32_t message = asking_.Allocate();
  const std::int64_t parts = PartsOf(flow);
  asking_[message] = {flow, PathGrant::kNone, static_cast<std::uint32_t>(parts)};
  std::uint32_t before = PathGrant::kNone;
  for (std::int64_t part = 0; part < parts; ++part) {
    PathRequest request;
    request.id = {flow.source, queue.next_request++};
    request.destination = flow.destination;
    request.destination_port = FlowRequest().destination_port;
    request.asked = flow.asked;
    request.start = flow.start;
    const std::uint32_t grant = SendRequest(request);
    grants_[grant].message = message;
    (part == 0 ? asking_[message].first_grant : grants_[before].next) = grant;
    before = grant;
  }
}

std::uint32_t FabricDomain::SendRequest(const PathRequest& request) {
  const std::uint32_t slot = grants_.Allocate();
  grants_[slot] = PathGrant();
  grants_[slot].id = request.id;
  grant_index_.Insert(request.id.packed(), slot);
  SendToController(request.asked + context_->options.controller.latency, request);
  return slot;
}

template <class Question>
void FabricDomain::SendToController(Time at, const Question& question) {
  static constexpr MessageTail kNoTail{};
  const DomainId to = context_->controller;
  post_office_->Send(post_office_->AddressOf(to), to, at, OrderOf(question), question,
                     context_->tails ? &kNoTail : nullptr);
}

void FabricDomain::ReceiveAnswer(std::uint32_t slot) {
  PathAnswer answer;
  std::memcpy(static_cast<void*>(&answer), cargo_[slot].bytes, sizeof answer);
  cargo_.Free(slot);
  const std::uint32_t index = grant_index_.Find(answer.id.packed());
  if (index == FlatMap::kNone) return;  // the flow has ended since
  PathGrant& grant = grants_[index];
  grant.source_port = answer.source_port;
  grant.remembered = answer.remembered;
  if (grant.answered == 0) {
    grant.answered = 1;
    TakeFirstAnswer(index);
  } else if (grant.queue_pair != PathGrant::kNone) {
    queue_pairs_[grant.queue_pair].source_port = PortOfGrant(index);
    RerouteQueuePair(grant.queue_pair);
  }
}

void FabricDomain::TakeFirstAnswer(std::uint32_t index) {
  PathGrant& grant = grants_[index];
  const Node* at = FindNode(grant.id.source);
  const auto node = static_cast<std::uint32_t>(at - nodes_.data());
  if (grant.planned != PathGrant::kNone) {
    Host& host = hosts_[at->host];
    const PlannedFlow& flow = host.asking[grant.planned];
    const Time start = std::max(now_, flow.request.start);
    host.ready.push_back({start, flow.id.number, index});
    std::push_heap(host.ready.begin(), host.ready.end(), LaterReady);
    queue_.Push({start, EventOrder(at->id, PortId(0), kFlowStart).bits(), node, 0});
    return;
  }
  AskingMessage& message = asking_[grant.message];
  if (--message.missing > 0) return;
  FlowHeap::Item item{message.flow, message.first_grant};
  item.flow.start = std::max(now_, item.flow.start);
  asking_.Free(grant.message);
  for (std::uint32_t part = item.grant; part != PathGrant::kNone; part = grants_[part].next) {
    grants_[part].message = PathGrant::kNone;
  }
  FlowHeap& starts = post_queues_[at->host].starts;
  starts.Add(item);
  Schedule(&starts, Time{0}, kFlowStart, node);
}

std::uint16_t FabricDomain::PortOfGrant(std::uint32_t grant) const {
  return grants_[grant].source_port != 0 ? grants_[grant].source_port : grants_[grant].own_port;
}

void FabricDomain::GiveBack(std::uint32_t index) {
  const RequestId id = grants_[index].id;
  if (grants_[index].remembered != 0)
    SendToController(now_ + context_->options.controller.latency, PathRelease{id});
  grant_index_.Erase(id.packed());
  grants_[index] = PathGrant();  // nobody's
  grants_.Free(index);
}

std::size_t FabricDomain::HeldPaths() const {
  std::size_t held = 0;
  for (std::uint32_t slot = 0; slot < grants_.size(); ++slot) {
    held += grants_[slot].id.source.valid() && grants_[slot].source_port != 0 ? 1 : 0;
  }
  return held;
}

}  // namespace heddle
