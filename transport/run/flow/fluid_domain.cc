// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/flow/fluid_domain.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "transport/run/flow/fluid_post.h"

namespace heddle {

FluidDomain::FluidDomain(const FluidRun* run)
    : Domain(run->fluids),
      run_(*run),
      paths_(run),
      network_(paths_.Directions(), run->packet * run->per_ack, run->ack),
      hosts_(run->graph->node_count()),
      carried_(paths_.links()),
      ledger_(&run->sample) {
  if (run->control) control_.emplace(*run->control, paths_.Marks(), &network_);
}

void FluidDomain::RunUntil(Time end) {
  Event event;
  while (queue_.PopBefore(end, &event)) {
    ++events_;
    now_ = event.time - run_.lag;
    if (EventOrder(event.order).kind() == FluidEvent::kPost) {
      TakePost(event.argument);
    } else {
      turns_.pop_back();
    }
    if (queue_.NextTime() > event.time) RunAt(now_);
  }
}

void FluidDomain::TakePost(std::uint32_t slot) {
  const FlowPost flow = PostOf(cargo_[slot], tails_[slot]);
  cargo_.Free(slot);
  starts_.Add(flow, false);
}

void FluidDomain::RunAt(Time now) {
  EndFlows(now);
  ApplyInstants(now);
  while (starts_.first() <= now) Start(starts_.Take());
  if (control_ && control_->next() <= now) control_->Tick();
  network_.Solve(now);
  ScheduleTurn();
}

void FluidDomain::ScheduleTurn() {
  Time next = std::min(network_.next_end(), starts_.first());
  const bool flows = network_.open() > 0 || !stranded_.empty();
  if (flows && next_instant_ < run_.instants.size())
    next = std::min(next, run_.instants[next_instant_].time);
  if (control_) next = std::min(next, control_->next());
  if (next == Time::Max() || (!turns_.empty() && turns_.back() <= next)) return;
  turns_.push_back(next);
  queue_.Push({next + run_.lag, EventOrder(NodeId(0), PortId(0), FluidEvent::kTurn).bits(), 0, 0});
}

void FluidDomain::Start(FluidStarts::Item item) {
  if (item.flow.connection != FlowPost::kOwnConnection && !item.has_turn) {
    const auto turn =
        connections_.Enter(&item.flow, now_, static_cast<std::uint32_t>(run_.split.queue_pairs),
                           &hosts_[item.flow.source.value].ports);
    if (turn == LastingConnections::Turn::kWaits) return;
    HEDDLE_INVARIANT(turn == LastingConnections::Turn::kNow, "a connection that is free later");
  }
  StartMessage(item.flow);
}

void FluidDomain::StartMessage(const FlowPost& post) {
  Host& host = hosts_[post.source.value];
  std::uint32_t id = 0;
  if (free_messages_.empty()) {
    id = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    id = free_messages_.back();
    free_messages_.pop_back();
  }
  FluidMessage& message = messages_[id];
  message = FluidMessage();
  message.cookie = post.cookie;
  message.origin = post.origin;
  message.source = post.source;
  message.destination = post.destination;
  message.connection = connections_.Find(post);
  message.number = post.numbers.given() ? post.numbers.message : host.next_message++;
  message.open = static_cast<std::uint32_t>(run_.split.FlowsOf(post.size));
  message.on_arrival = post.on_arrival || !run_.acked;
  ++books_.messages_started;
  FluidFlow flow;
  flow.message = id;
  flow.destination_port = post.destination_port;
  flow.priority = post.priority;
  flow.start = now_;
  run_.split.ForEachFlow(post, [&](const FlowPost& part) {
    flow.size = part.size;
    if (post.numbers.given()) {
      flow.number = part.numbers.number;
      flow.source_port = part.numbers.source_port;
    } else {
      flow.number = host.next_flow++;
      flow.source_port =
          message.connection == LastingConnections::kNone
              ? host.ports.Next(post.destination)
              : static_cast<std::uint16_t>(connections_.first_port(message.connection) + flow.part);
    }
    StartFlow(flow);
    ++flow.part;
  });
}

void FluidDomain::StartFlow(const FluidFlow& started) {
  const FluidMessage& message = messages_[started.message];
  FluidFlow flow = started;
  if (run_.draws_ports) {
    flow.source_port =
        RandomSourcePort(run_.seed, message.source, message.destination, flow.source_port);
  }
  flow.path = PathOf(flow);
  Join(flow, FluidVolumeOf(paths_.WireBytes(message.source, message.destination, flow.size)), now_);
  ++books_.flows_started;
  books_.injected_bytes += flow.size;
}

std::uint32_t FluidDomain::PathOf(const FluidFlow& flow) {
  const FluidMessage& message = messages_[flow.message];
  if (message.connection == LastingConnections::kNone) return AddPath(FindPath(flow));
  const auto queue_pairs = static_cast<std::size_t>(run_.split.queue_pairs);
  const std::size_t at = message.connection * queue_pairs + flow.part;
  if (at >= lasting_paths_.size()) lasting_paths_.resize(at + queue_pairs, FluidPaths::kNone);
  if (lasting_paths_[at] == FluidPaths::kNone) lasting_paths_[at] = AddPath(FindPath(flow));
  return lasting_paths_[at];
}

FluidPath FluidDomain::FindPath(const FluidFlow& flow) const {
  const FluidMessage& message = messages_[flow.message];
  return paths_.Find(message.source, message.destination, flow.source_port, flow.destination_port);
}

std::uint32_t FluidDomain::AddPath(FluidPath path) {
  if (free_paths_.empty()) {
    known_paths_.push_back(std::move(path));
    return static_cast<std::uint32_t>(known_paths_.size() - 1);
  }
  const std::uint32_t slot = free_paths_.back();
  free_paths_.pop_back();
  known_paths_[slot] = std::move(path);
  return slot;
}

/// Times come before any flow goes, so that none depends on the order of flows that end together.
void FluidDomain::EndFlows(Time now) {
  ends_.clear();
  while (network_.next_end() <= now) ends_.push_back(EndOf(network_.TakeNext()));
  for (const FlowEnd& end : ends_) End(end);
}

FluidDomain::FlowEnd FluidDomain::EndOf(std::uint32_t id) {
  const FluidFlow& flow = flows_[id];
  const FluidMessage& message = messages_[flow.message];
  FluidPath& path = known_paths_[flow.path];
  const FluidTimes& times = paths_.TimesOf(&path, message.source, message.destination, flow.size);
  FlowEnd end;
  end.flow = id;
  end.received = now_ + times.after + WaitThere(id);
  end.acked = end.received + times.back + WaitBack(path);
  end.ideal = flow.ideal >= Time{0} ? flow.ideal : times.ideal;
  // Later routes may be better than those of the start.
  if (!run_.instants.empty()) end.ideal = std::min(end.ideal, end.acked - flow.start);
  return end;
}

void FluidDomain::End(const FlowEnd& end) {
  const FluidFlow flow = flows_[end.flow];
  flows_[end.flow].size = 0;
  if (control_) control_->End(end.flow);
  network_.Remove(end.flow);
  last_ = std::max(last_, end.acked);
  FlowRecord row = RowOf(flow);
  row.state = FlowState::kFinished;
  row.completion = end.acked - flow.start;
  row.ideal = end.ideal;
  ledger_.AddFlow(row);
  ledger_.AddArrival({row.flow, end.received});
  ++books_.flows_finished;
  books_.received_bytes += flow.size;
  FluidMessage& message = messages_[flow.message];
  Carry(known_paths_[flow.path], flow,
        paths_.Packets(message.source, message.destination, flow.size));
  if (message.connection == LastingConnections::kNone) free_paths_.push_back(flow.path);
  message.received = std::max(message.received, end.received);
  message.acked = std::max(message.acked, end.acked);
  if (--message.open == 0) Close(flow.message);
}

/// What the last packet waits at ports but for the source's and the narrowest, where it is part of
/// the fluid.
Time FluidDomain::WaitThere(std::uint32_t id) const {
  Time sum;
  const std::vector<FluidHop>& hops = known_paths_[flows_[id].path].there;
  for (std::uint32_t i = 1; i < hops.size(); ++i) {
    if (i == network_.bottleneck(id)) continue;
    const FluidRate own = PartOf(network_.rate(id), hops[i].weight);
    sum += Time{PartOf(network_.WaitAt(hops[i].link, own).ps, hops[i].weight)};
  }
  return sum;
}

/// What the last ACK waits on its way.
Time FluidDomain::WaitBack(const FluidPath& path) const {
  Time sum;
  for (const FluidHop& hop : path.back)
    sum += Time{PartOf(network_.WaitAt(hop.link, 0).ps, hop.weight)};
  return sum;
}

FlowRecord FluidDomain::RowOf(const FluidFlow& flow) const {
  const FluidMessage& message = messages_[flow.message];
  FlowRecord row;
  row.flow = {message.source, flow.number};
  row.destination = message.destination;
  row.source_port = flow.source_port;
  row.destination_port = flow.destination_port;
  row.priority = flow.priority;
  row.state = FlowState::kUnderWay;
  row.message = message.number;
  row.size = flow.size;
  row.start = flow.start;
  row.origin = message.origin;
  return row;
}

void FluidDomain::Carry(const FluidPath& path, const FluidFlow& flow, std::int64_t packets) {
  const FluidMessage& message = messages_[flow.message];
  const std::int64_t all = paths_.Packets(message.source, message.destination, flow.size);
  const std::int64_t count = packets - flow.carried;
  if (count <= 0) return;
  const std::int64_t full =
      run_.trains.WireBytes(run_.trains.PayloadOf(message.source, message.destination));
  const std::int64_t bytes =
      packets < all
          ? count * full
          : paths_.WireBytes(message.source, message.destination, flow.size) - flow.carried * full;
  const auto carry = [this](const std::vector<FluidHop>& hops, std::int64_t all_bytes,
                            std::int64_t all_packets) {
    for (const FluidHop& hop : hops) {
      carried_[hop.link].bytes += PartOf(all_bytes, hop.weight);
      carried_[hop.link].packets += PartOf(all_packets, hop.weight);
      books_.link_packets += PartOf(all_packets, hop.weight);
    }
  };
  carry(path.there, bytes, count);
  const std::int64_t acks = (count + run_.per_ack - 1) / run_.per_ack;
  carry(path.back, acks * run_.ack, acks);
}

void FluidDomain::Close(std::uint32_t id) {
  const FluidMessage message = messages_[id];
  free_messages_.push_back(id);
  if (run_.reports) {
    Report(message.source, FluidEvent::kSent, {message.cookie, now_, message.destination});
    Report(message.destination, FluidEvent::kReceived,
           {message.cookie, message.on_arrival ? message.received : message.acked, message.source});
  }
  FlowPost next;
  if (message.connection != LastingConnections::kNone &&
      connections_.Leave(message.connection, now_, &next))
    starts_.Add(next, true);
}

void FluidDomain::Report(NodeId to, std::uint32_t kind, const FluidReport& report) {
  static constexpr MessageTail kNoTail{};
  const DomainId domain = run_.domain_of[to.value];
  const std::uint64_t mixed = XXH3_64bits(report.cookie.bytes, sizeof report.cookie.bytes);
  // The engine's time is one lag later than now_, and a message takes another one.
  run_.post_office->Send(run_.post_office->AddressOf(domain), domain,
                         std::max(report.when, now_ + run_.lag * 2),
                         EventOrder(to, PortId(0), kind, EventOrder::NumberOf(mixed)).bits(),
                         Cargo::Of(report), &kNoTail);
}

void FluidDomain::AddMemory(MemoryAccount* account) const {
  AddBaseMemory(account);
  std::size_t paths = paths_.memory() + MemoryOf(known_paths_) + MemoryOf(lasting_paths_);
  for (const FluidPath& path : known_paths_) {
    paths += MemoryOf(path.there) + MemoryOf(path.back) + MemoryOf(path.hops_there) +
             MemoryOf(path.hops_back);
  }
  account->Add(Structure::kRoutes, paths);
  account->Add(Structure::kSenders, network_.memory() + MemoryOf(flows_) + MemoryOf(stranded_));
  std::size_t hosts = MemoryOf(hosts_);
  for (const Host& host : hosts_) hosts += host.ports.memory();
  account->Add(Structure::kPostedFlows,
               starts_.memory() + connections_.memory() + MemoryOf(messages_) + hosts);
  account->Add(Structure::kPorts, MemoryOf(carried_));
  ledger_.AddMemory(account);
}

}  // namespace heddle
