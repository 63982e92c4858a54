// SPDX-License-Identifier: GPL-2.0-only
/// Flows that agents post while the simulation runs: their start in canonical order, and who hears
/// of their end.
///
/// SimAI tells both ends of a flow at the moment of the last ACK at the sender, wherever the other
/// end is. Here the notice takes the driver's notice delay, the least that any message waits before
/// it is sent, and carries the moment: so nothing that follows from it comes later than it would in
/// SimAI, and no domain needs to know another's present.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "transport/domain/fabric_domain.h"
#include "transport/wire/packet.h"

namespace heddle {

namespace {

FlowRecord NotStarted(const FlowPost& flow) {
  FlowRecord record;
  record.flow = {flow.source, ~0U};
  record.destination = flow.destination;
  record.state = FlowState::kNotStarted;
  record.size = flow.size;
  record.start = flow.start;
  record.completion = Time{-1};
  record.label = flow.label;
  return record;
}

}  // namespace

void FabricDomain::Attach(FlowAgent* agent) {
  acked_ = context_->options.completion == "acked";
  if (agent == nullptr) return;
  agent_ = agent;
  for (Node& node : nodes_) {
    if (node.kind == NodeKind::kNvSwitch) HostOf(&node);
  }
  post_queues_.resize(hosts_.size());
  agent_->Begin(this);
}

void FabricDomain::Post(const FlowPost& flow) {
  HEDDLE_INVARIANT(
      flow.start >= now_ && flow.size > 0 && flow.size <= kMaxFlowBytes,
      fmt::format("a flow of {} bytes from node {} was posted at {} ps to start at {} ps",
                  flow.size, flow.source.value, now_.ps, flow.start.ps));
  const Node* node = FindNode(flow.source);
  HEDDLE_INVARIANT(node != nullptr && node->host != kNone,
                   "a flow was posted for a node of another domain");
  PostQueue& queue = post_queues_[node->host];
  const auto index = static_cast<std::uint32_t>(node - nodes_.data());
  if (AsksController(flow.source, flow.destination, flow.asked)) {
    HEDDLE_INVARIANT(flow.asked + context_->ask_delay >= now_,
                     fmt::format("a flow was posted at {} ps that was handed over at {} ps",
                                 now_.ps, flow.asked.ps));
    queue.asks.Add({flow});
    Schedule(&queue.asks, context_->ask_delay, kAskPath, index);
  } else {
    queue.starts.Add({flow});
    Schedule(&queue.starts, Time{0}, kFlowStart, index);
  }
}

void FabricDomain::Schedule(FlowHeap* heap, Time delay, Kind kind, std::uint32_t node) {
  if (heap->empty() || (!heap->wakes.empty() && heap->wakes.back() <= heap->first() + delay))
    return;
  heap->wakes.push_back(heap->first() + delay);
  queue_.Push({heap->wakes.back(), EventOrder(nodes_[node].id, PortId(0), kind).bits(), node, 0});
}

std::int64_t FabricDomain::PartSize(const FlowPost& flow) const {
  const std::int64_t pairs = context_->options.nic.qps_per_connection;
  return (flow.size + pairs - 1) / pairs;
}

std::int64_t FabricDomain::PartsOf(const FlowPost& flow) const {
  const std::int64_t part = PartSize(flow);
  return (flow.size + part - 1) / part;
}

void FabricDomain::StartPosted(std::uint32_t node, const FlowHeap::Item& item) {
  const FlowPost& flow = item.flow;
  PostQueue& queue = post_queues_[nodes_[node].host];
  const std::int64_t part = PartSize(flow);
  const std::int64_t parts = PartsOf(flow);
  const std::uint32_t post = posts_.Allocate();
  posts_[post] = {flow.note, flow.label, flow.destination, static_cast<std::uint16_t>(parts),
                  static_cast<std::uint16_t>(parts)};
  if (!acked_) {
    const FlowNotice notice{flow.note, {flow.source, queue.next_flow}, parts};
    const DomainId there = context_->domain_of[flow.destination.value];
    if (there == id()) {
      Expect(notice);
    } else {
      SendNotice(flow.destination, now_ + context_->LeastDelay(id(), there), notice);
    }
  }
  const PairMetrics metrics = context_->metrics->Pair(flow.source, flow.destination);
  const std::uint32_t message = queue.next_message++;
  std::uint32_t grant = item.grant;
  for (std::int64_t sent = 0; sent < flow.size; sent += part) {
    PlannedFlow planned;
    planned.id = {flow.source, queue.next_flow++};
    planned.request.start = now_;
    planned.request.source = flow.source;
    planned.request.destination = flow.destination;
    planned.request.size = Bytes{std::min(part, flow.size - sent)};
    planned.source_port = queue.NextPort(flow.destination);
    planned.message = message;
    if (metrics.reachable()) {
      planned.ideal =
          IdealCompletionTime(metrics, planned.request.size, Bytes{context_->options.payload});
    }
    planned.window = context_->WindowOf(metrics);
    StartFlow(node, planned, post, grant);
    if (grant != PathGrant::kNone) grant = grants_[grant].next;
  }
}

void FabricDomain::ReportSent(std::uint32_t post, Time when) {
  PostedMessage& message = posts_[post];
  if (--message.unsent > 0) return;
  agent_->Sent(message.note, when);
}

void FabricDomain::ReportAcked(std::uint32_t post) {
  PostedMessage& message = posts_[post];
  if (--message.unacked > 0) return;
  if (acked_)
    SendNotice(message.destination, now_ + context_->notice_delay,
               {message.note, FlowId(), now_.ps});
  posts_.Free(post);
}

void FabricDomain::SendNotice(NodeId to, Time at, const FlowNotice& notice) {
  // Equal times of one node: any order will do, but let it be one.
  const std::uint64_t mixed = XXH3_64bits(notice.note.bytes, sizeof notice.note.bytes);
  const std::uint64_t order =
      EventOrder(to, PortId(0), kNotice, static_cast<std::uint32_t>(mixed >> 40)).bits();
  const DomainId domain = context_->domain_of[to.value];
  if (domain == id()) {
    Deliver(at, order, notice);
    return;
  }
  if (context_->counts_notices) ++notices_sent_[domain];
  static constexpr MessageTail kNoTail{};
  post_office_->Send(post_office_->AddressOf(domain), domain, at, order, notice,
                     context_->tails ? &kNoTail : nullptr);
}

void FabricDomain::ReceiveNotice(std::uint32_t slot) {
  FlowNotice notice;
  std::memcpy(static_cast<void*>(&notice), cargo_[slot].bytes, sizeof notice);
  cargo_.Free(slot);
  if (notice.flow.source.valid()) {
    Expect(notice);
  } else {
    agent_->Received(notice.note, Time{notice.value});
  }
}

void FabricDomain::Expect(const FlowNotice& notice) {
  const std::uint32_t slot = expectations_.Allocate();
  expectations_[slot] = {notice.note, static_cast<std::uint32_t>(notice.value)};
  for (std::int64_t i = 0; i < notice.value; ++i) {
    expected_.Insert(
        FlowId{notice.flow.source, notice.flow.number + static_cast<std::uint32_t>(i)}.packed(),
        slot);
  }
}

void FabricDomain::ReportReceived(FlowId flow) {
  const std::uint32_t slot = expected_.Find(flow.packed());
  if (slot == FlatMap::kNone) return;  // received once more, because all its ACKs were lost
  expected_.Erase(flow.packed());
  ExpectedMessage& message = expectations_[slot];
  if (--message.missing > 0) return;
  const FlowNote note = message.note;
  expectations_.Free(slot);
  agent_->Received(note, now_);
}

void FabricDomain::Record(const FlowRecord& record) {
  flow_digest_ += DigestOf(record);
  const bool finished = record.state == FlowState::kFinished;
  if (finished) statistics_.Add(record);
  if (!finished || context_->sample.Keeps(record.flow)) finished_.push_back(record);
}

void FabricDomain::AddPosted(std::vector<FlowRecord>* open) const {
  for (const PostQueue& queue : post_queues_) {
    for (const FlowHeap* heap : {&queue.asks, &queue.starts}) {
      for (const FlowHeap::Item& item : heap->items()) open->push_back(NotStarted(item.flow));
    }
  }
  for (std::uint32_t slot = 0; slot < grants_.size(); ++slot) {
    const PathGrant& grant = grants_[slot];
    if (!grant.id.source.valid() || grant.message == PathGrant::kNone) continue;
    const AskingMessage& message = asking_[grant.message];
    if (message.first_grant == slot) open->push_back(NotStarted(message.flow));
  }
}

}  // namespace heddle
