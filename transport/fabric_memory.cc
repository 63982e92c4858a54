// SPDX-License-Identifier: GPL-2.0-only
/// What a fabric has allocated, by data structure.
#include "transport/fabric.h"

namespace heddle {

void FabricDomain::AddMemory(MemoryAccount* account) const {
  AddBaseMemory(account);
  account->Add(Structure::kPorts,
               MemoryOf(ports_) + MemoryOf(extras_) + pause_states_.memory() + shares_.memory());
  std::size_t buffers = MemoryOf(buffers_), tables = MemoryOf(tables_), nics = MemoryReached(nics_);
  for (const SharedBuffer& buffer : buffers_) buffers += buffer.memory();
  for (const ForwardingTable& table : tables_) tables += table.memory();
  for (const RoundRobin& nic : nics_) nics += nic.memory();
  account->Add(Structure::kBuffers, buffers);
  account->Add(Structure::kNextHops, tables);
  std::size_t plans = 0;
  for (const Host& host : hosts_)
    plans += MemoryOf(host.plan) + MemoryOf(host.asking) + MemoryOf(host.ready);
  account->Add(Structure::kFlowPlans, plans);
  account->Add(Structure::kDomains, sizeof(*this) + nics + MemoryReached(nodes_) +
                                        MemoryReached(hosts_) + MemoryOf(scratch_) +
                                        drop_index_.memory() + cause_index_.memory() +
                                        MemoryOf(seen_queues_));
  AddFlowMemory(account);
  account->Add(Structure::kController, grants_.memory() + grant_index_.memory() + asking_.memory());
  account->Add(Structure::kStatistics, statistics_.memory() + tier_load_.memory());
  account->Add(Structure::kRecords, MemoryReached(finished_) + MemoryReached(arrivals_) +
                                        MemoryOf(drops_) + MemoryOf(causes_) + monitored_.memory());
}

void FabricDomain::AddFlowMemory(MemoryAccount* account) const {
  std::size_t posted =
      MemoryReached(post_queues_) + posts_.memory() + expected_.memory() + expectations_.memory();
  for (const PostQueue& queue : post_queues_) posted += queue.memory();
  account->Add(Structure::kPostedFlows, posted);
  std::size_t senders = queue_pairs_.memory() + MemoryReached(senders_);
  for (const SelectiveSender& sender : senders_) senders += sender.memory();
  account->Add(Structure::kSenders, senders);
  account->Add(Structure::kRateControl, MemoryReached(rate_states_));
  std::size_t receivers =
      receive_slots_.memory() + receivers_.memory() + MemoryReached(selective_receivers_);
  for (const SelectiveReceiver& receiver : selective_receivers_) receivers += receiver.memory();
  account->Add(Structure::kReceivers, receivers);
}

void CentralController::AddMemory(MemoryAccount* account) const {
  AddBaseMemory(account);
  std::size_t held = MemoryOfHash(held_) + MemoryOfHash(moving_) + MemoryOfTree(lost_) +
                     waiting_.size() * sizeof(Waiting);
  for (const auto& [id, path] : held_) held += MemoryOf(path.hops);
  account->Add(Structure::kController, sizeof(*this) + held + shares_.memory());
  account->Add(Structure::kRecords, MemoryOf(decisions_) + MemoryOf(path_hops_));
}

void Fabric::AddMemory(MemoryAccount* account) const {
  for (const auto& domain : domains_) domain->AddMemory(account);
  if (controller_) controller_->AddMemory(account);
  post_office_.AddMemory(account);
  account->Add(Structure::kPartition, MemoryOf(layout_.domain_of) + MemoryOf(layout_.nodes) +
                                          MemoryOf(layout_.rank_of) + MemoryOf(context_.domain_of) +
                                          MemoryOf(context_.first_port));
  std::size_t routes =
      metrics_.memory() + MemoryOf(context_.fails_until) + MemoryOf(context_.faults);
  // Routes of later epochs share most with the first; what is counted of them is at most too much.
  for (const RouteEpoch& epoch : context_.epochs) routes += epoch.routes->memory();
  for (std::size_t i = 0; i < context_.places.size(); ++i) {
    if (i == 0 || context_.places[i] != context_.places[i - 1])
      routes += MemoryOf(*context_.places[i]);
  }
  account->Add(Structure::kRoutes, routes);
}

}  // namespace heddle
