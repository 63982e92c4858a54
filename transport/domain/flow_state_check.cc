// SPDX-License-Identifier: GPL-2.0-only
/// StateCheck of all that belongs to flows.
#include <algorithm>

#include "core/base/state_count.h"
#include "transport/domain/state_check.h"

namespace heddle {

void StateCheck::CheckQueuePairs() {
  const bool controlled = context_.control.mode() != 0,
             selective = context_.options.reliability.selective_repeat;
  const std::size_t slots = domain_.queue_pairs_.size();
  ExpectState(!controlled || slots == 0 || domain_.rate_states_.size() >= slots,
              "queue pairs without congestion control");
  ExpectState(!selective || slots == 0 || domain_.senders_.size() >= slots,
              "queue pairs without a window of packets");
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const bool live = domain_.queue_pairs_[slot].flow.source.valid();
    ExpectState(live == pairs_[slot], "a queue pair that is both free and in use");
    if (live) CheckQueuePair(slot);
  }
}

void StateCheck::CheckQueuePair(std::uint32_t slot) {
  const QueuePair& pair = domain_.queue_pairs_[slot];
  ExpectState(
      IsHost(pair.flow.source) && IsEnd(pair.destination) && pair.destination != pair.flow.source,
      "a flow between no hosts");
  const bool counted = pair.size > 0 && pair.size <= kMaxFlowBytes && pair.unacked >= 0 &&
                       pair.unacked < pair.size && pair.next >= pair.unacked &&
                       pair.next <= pair.size && pair.highest >= 0 && pair.highest <= pair.size;
  ExpectState(counted && pair.limit >= 0 && pair.priority < kPriorities && pair.resend <= 1 &&
                  pair.asked <= 1,
              "a flow of more bytes than it has");
  const std::int64_t line = pair.pace.line_rate.bps, rate = pair.pace.rate.bps;
  const bool unpaced = pair.port == QueuePair::kParked && line == 0 && rate == 0;
  ExpectState(unpaced || (rate > 0 && line > 0), "a flow without a rate");
  if (pair.port != QueuePair::kParked) {
    const bool placed = IsPortOf(*domain_.FindNode(pair.flow.source), pair.port) &&
                        domain_.ports_[pair.port].nic != kNone;
    ExpectState(placed && domain_.nics_[domain_.ports_[pair.port].nic].Has(pair.position, slot),
                "a flow at no NIC");
  }
  if (context_.options.reliability.selective_repeat) {
    const SelectiveSender& sender = domain_.senders_[slot];
    const std::int64_t packets =
        (pair.size + context_.options.payload - 1) / context_.options.payload;
    ExpectState(sender.unacknowledged() <= packets && sender.NextRetransmission() < packets,
                "packets of a flow beyond its end");
    ExpectState((sender.NextRetransmission() != SelectiveSender::kNone) == (pair.resend != 0),
                "a packet to send again that is not");
  } else {
    ExpectState(pair.resend == 0, "a packet to send again that is not");
  }
  const bool posted = pair.post != QueuePair::kParked;
  ExpectState(posted == (domain_.agent_ != nullptr) &&
                  (!posted || (pair.post < posts_.size() && posts_[pair.post])),
              "a flow of a message that does not exist");
  if (posted) {
    const PostedMessage& message = domain_.posts_[pair.post];
    ExpectState(message.destination == pair.destination &&
                    domain_.agent_->Knows(message.note, pair.flow.source, pair.destination),
                "a message that no job has");
    ++open_[pair.post];
  }
  if (pair.grant == PathGrant::kNone) return;
  ClaimGrant(pair.grant);
  const PathGrant& grant = domain_.grants_[pair.grant];
  ExpectState(grant.queue_pair == slot && grant.id.source == pair.flow.source,
              "a flow with another's source port");
}

void StateCheck::CheckNics() {
  std::vector<bool> taken(domain_.nics_.size(), false);
  for (std::uint32_t index = 0; index < domain_.ports_.size(); ++index) {
    const std::uint32_t nic = domain_.ports_[index].nic;
    if (nic == kNone) continue;
    ExpectState(!taken[nic], "a NIC of two ports");
    taken[nic] = true;
    domain_.nics_[nic].ForEachPosition([&](std::uint32_t position, std::uint32_t slot, bool ready) {
      ExpectState(slot < pairs_.size() && pairs_[slot], "a NIC with a flow that does not exist");
      const QueuePair& pair = domain_.queue_pairs_[slot];
      const bool right = pair.ready(context_.options.reliability.ack_interval) == ready;
      ExpectState(pair.port == index && pair.position == position && right,
                  "a NIC with a flow that is not there");
    });
  }
}

void StateCheck::CheckReceivers() const {
  const std::vector<bool> used = domain_.receive_slots_.used_slots();
  std::size_t live = 0;
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    const ReceiveQueuePair& receiver = domain_.receive_slots_[slot];
    ExpectState(receiver.flow.source.valid() == used[slot],
                "a receiver that is both free and in use");
    if (!used[slot]) continue;
    ++live;
    const bool found = domain_.receivers_.Find(receiver.flow.packed()) == slot;
    ExpectState(found && IsEnd(receiver.flow.source) && receiver.flow.source != receiver.node,
                "a receiver that nobody finds");
    const Node* node = domain_.FindNode(receiver.node);
    const bool placed = node != nullptr && (receiver.ack_port == QueuePair::kParked ||
                                            IsPortOf(*node, receiver.ack_port));
    ExpectState(placed && receiver.expected >= 0, "a receiver at no port");
    ExpectState(!context_.options.reliability.selective_repeat ||
                    slot < domain_.selective_receivers_.size(),
                "a receiver without a window of packets");
  }
  ExpectState(domain_.receivers_.size() == live, "receivers of no flow");
}

void StateCheck::CheckPost(const FlowPost& post, const Node& node) const {
  const bool known = post.source == node.id && IsEnd(post.destination) &&
                     post.destination != post.source && post.size > 0 && post.size <= kMaxFlowBytes;
  ExpectState(known && domain_.agent_->Knows(post.note, post.source, post.destination),
              "a posted message that no job has");
}

void StateCheck::CheckPostQueue(const Node& node) {
  const PostQueue& queue = domain_.post_queues_[node.host];
  for (const FlowHeap::Item& item : queue.asks.items()) {
    CheckPost(item.flow, node);
    ExpectState(item.grant == PathGrant::kNone && context_.controlled(),
                "a message that has asked before it asks");
  }
  for (const FlowHeap::Item& item : queue.starts.items()) {
    CheckPost(item.flow, node);
    if (item.grant != PathGrant::kNone)
      ExpectState(ClaimGrants(item.grant) == 0, "a message that starts without an answer");
  }
}

void StateCheck::CheckHost(const Node& node) {
  const FabricDomain::Host& host = domain_.hosts_[node.host];
  ExpectState(host.next <= host.plan.size() && host.next_ask <= host.asking.size(),
              "more flows started than there are");
  for (const FabricDomain::ReadyFlow& ready : host.ready) {
    ExpectState(ready.grant < grants_.size() && grants_[ready.grant],
                "a flow that starts without an answer");
    const PathGrant& grant = domain_.grants_[ready.grant];
    const bool answered =
        grant.answered != 0 && grant.id.source == node.id && grant.planned < host.asking.size();
    ExpectState(answered, "a flow that starts without an answer");
    ClaimGrant(ready.grant);
  }
  if (domain_.agent_ != nullptr) CheckPostQueue(node);
}

void StateCheck::CheckMessages() const {
  ExpectState(
      domain_.post_queues_.size() == (domain_.agent_ != nullptr ? domain_.hosts_.size() : 0),
      "messages of other hosts");
  for (std::uint32_t slot = 0; slot < posts_.size(); ++slot) {
    if (!posts_[slot]) continue;
    const PostedMessage& message = domain_.posts_[slot];
    ExpectState(domain_.agent_ != nullptr && message.unacked >= open_[slot] && message.unacked > 0,
                "a message of too many flows");
  }
  const std::vector<bool> used = domain_.expectations_.used_slots();
  std::vector<std::uint32_t> missing(used.size(), 0);
  domain_.expected_.ForEach([&](std::uint64_t, std::uint32_t slot) {
    ExpectState(slot < used.size() && used[slot], "an awaited message that does not exist");
    ++missing[slot];
  });
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    if (!used[slot]) continue;
    const ExpectedMessage& message = domain_.expectations_[slot];
    const bool known =
        domain_.agent_ != nullptr && domain_.agent_->Knows(message.note, NodeId(), NodeId());
    ExpectState(known && message.missing == missing[slot], "an awaited message that no job has");
  }
}

void StateCheck::ClaimGrant(std::uint32_t slot) {
  ExpectState(slot < free_grants_.size() && free_grants_[slot],
              "a source port of nobody, or of two flows");
  free_grants_[slot] = false;
}

std::uint32_t StateCheck::ClaimGrants(std::uint32_t first) {
  std::uint32_t unanswered = 0;
  for (std::uint32_t slot = first; slot != PathGrant::kNone; slot = domain_.grants_[slot].next) {
    ClaimGrant(slot);
    const PathGrant& grant = domain_.grants_[slot];
    ExpectState(grant.queue_pair == PathGrant::kNone && grant.planned == PathGrant::kNone,
                "a source port of two flows");
    unanswered += grant.answered != 0 ? 0 : 1;
  }
  return unanswered;
}

void StateCheck::CheckGrants() {
  const std::vector<bool> asking = domain_.asking_.used_slots();
  for (std::uint32_t slot = 0; slot < asking.size(); ++slot) {
    if (!asking[slot]) continue;
    const AskingMessage& message = domain_.asking_[slot];
    const Node* node = domain_.FindNode(message.flow.source);
    ExpectState(node != nullptr && node->host != kNone && domain_.agent_ != nullptr,
                "a message of nobody");
    CheckPost(message.flow, *node);
    ExpectState(ClaimGrants(message.first_grant) == message.missing && message.missing > 0,
                "a message that waits for no answer");
    for (std::uint32_t part = message.first_grant; part != PathGrant::kNone;
         part = domain_.grants_[part].next) {
      ExpectState(domain_.grants_[part].message == slot, "an answer for another message");
    }
  }
  std::size_t live = 0;
  for (std::uint32_t slot = 0; slot < grants_.size(); ++slot) {
    const PathGrant& grant = domain_.grants_[slot];
    ExpectState(grant.id.source.valid() == grants_[slot],
                "a source port that is both free and in use");
    if (!grants_[slot]) continue;
    ++live;
    ExpectState(IsHost(grant.id.source) && domain_.grant_index_.Find(grant.id.packed()) == slot,
                "a source port that nobody finds");
    const FabricDomain::Host& host = domain_.hosts_[domain_.FindNode(grant.id.source)->host];
    ExpectState(grant.planned == PathGrant::kNone || grant.planned < host.asking.size(),
                "a source port for no flow");
    const bool message = grant.message < asking.size() && asking[grant.message];
    ExpectState(grant.message == PathGrant::kNone || message, "a source port for no message");
    ExpectState(grant.queue_pair == PathGrant::kNone || !free_grants_[slot],
                "a source port for no queue pair");
    // Nobody claims a trace's flow that waits for its answer.
    const bool waits = grant.answered == 0 && grant.planned != PathGrant::kNone &&
                       grant.queue_pair == PathGrant::kNone && grant.message == PathGrant::kNone;
    ExpectState(!free_grants_[slot] || waits, "a source port that nobody waits for");
  }
  ExpectState(domain_.grant_index_.size() == live, "source ports of no flow");
}

void StateCheck::CheckRecords() const {
  const std::uint32_t nodes = context_.graph->node_count();
  for (const FlowRecord& flow : domain_.finished_) {
    ExpectState(IsHost(flow.flow.source) && flow.destination.value < nodes,
                "a flow of another domain among those that have ended");
  }
  for (const FlowArrival& arrival : domain_.arrivals_)
    ExpectState(arrival.flow.source.value < nodes, "a flow that came from nowhere");
  for (const DropRecord& drop : domain_.drops_)
    ExpectState(domain_.FindNode(drop.node) != nullptr, "losses of another domain");
  domain_.drop_index_.ForEach([&](std::uint64_t, std::uint32_t at) {
    ExpectState(at < domain_.drops_.size(), "losses nowhere");
  });
  for (const PauseCauseRecord& cause : domain_.causes_)
    ExpectState(cause.node.value < nodes, "a pause from nowhere");
  domain_.cause_index_.ForEach([&](std::uint64_t, std::uint32_t at) {
    ExpectState(at < domain_.causes_.size(), "a pause from nowhere");
  });
  const MonitorOptions& monitors = context_.options.monitors;
  const auto expect_sample = [&](bool wanted, Time next) {
    ExpectState(wanted ? next >= Time{0} && domain_.next_sample_ <= next : next == Time::Max(),
                "samples that nobody asked for");
  };
  expect_sample(monitors.queues && !monitors.on_change, domain_.next_queue_sample_);
  expect_sample(monitors.links, domain_.next_link_sample_);
  expect_sample((monitors.rates || monitors.cnps) && !monitors.on_change,
                domain_.next_pair_sample_);
  ExpectState(domain_.next_sample_ >= Time{0} && domain_.now_ >= Time{0},
              "a time before the beginning");
  ExpectState(
      domain_.seen_queues_.size() == (monitors.queues ? domain_.ports_.size() * kPriorities : 0),
      "samples of other ports");
}

}  // namespace heddle
