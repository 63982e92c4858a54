// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/flow/fluid_routes.h"

#include <algorithm>

#include "core/base/memory_account.h"
#include "topology/routes/ecmp_hash.h"
#include "transport/model/balance/weighted_pick.h"

namespace heddle {

FluidRoutes::FluidRoutes(const FluidRun* run)
    : run_(*run), routes_(run->routes), rates_(*run->graph) {
  for (const FaultInstant& instant : run->instants) {
    for (const LinkEvent& event : instant.links) {
      if (event.kind != LinkEvent::Kind::kRate) continue;
      if (event.rate.bps <= run->graph->link(event.link).rate.bps) continue;
      BitRate& highest = raised_[event.link];
      highest = std::max(highest, event.rate);
    }
  }
}

void FluidRoutes::Apply(std::size_t at) {
  const FaultInstant& instant = run_.instants[at];
  for (const LinkEvent& event : instant.links) {
    rates_.Apply(*run_.graph, event);
    if (event.kind == LinkEvent::Kind::kRate) continue;
    down_.resize(run_.graph->links().size(), false);
    down_[event.link.value] = event.kind == LinkEvent::Kind::kDown;
  }
  if (instant.epoch != FaultInstant::kSameRoutes) {
    routes_ = run_.epochs[instant.epoch].routes.get();
    if (!run_.capacities.empty()) capacities_ = run_.capacities.First(instant.epoch);
  }
  if (!run_.capacities.empty()) capacities_ = run_.capacities.At(capacities_, instant.time);
}

BitRate FluidRoutes::RateOf(NodeId node, LinkId link) const {
  return rates_.Of(*run_.graph, link, node);
}

BitRate FluidRoutes::BestRateOf(LinkId link) const {
  const auto raised = raised_.find(link);
  return raised == raised_.end() ? run_.graph->link(link).rate : raised->second;
}

void FluidRoutes::Choose(NodeId node, const NicFlow& flow, bool data, FluidWeight weight,
                         std::vector<Part>* out) const {
  out->clear();
  routes_->NextHops(node, flow.to, &ports_);
  if (ports_.empty()) return;
  const bool is_gpu = run_.graph->is_gpu(node);
  const bool splits = !is_gpu && (run_.sprays || (data && Balances(node)));
  if (splits && ports_.size() > 1) return Split(node, flow, weight, out);
  const auto hash = [&] {
    return EcmpHash(MakeFlowKey(flow.from, flow.to, flow.source_port, flow.destination_port),
                    node.value);
  };
  const std::size_t index =
      is_gpu
          ? ChooseNicPort(routes_->nic_ports(), run_.graph->gpus_per_server(), flow, ports_.size())
          : hash() % ports_.size();
  out->push_back({ports_[index], weight});
}

void FluidRoutes::Split(NodeId node, const NicFlow& flow, FluidWeight weight,
                        std::vector<Part>* out) const {
  using Scheme = PortOptions::Scheme;
  const PortOptions& balance = run_.balance;
  const bool applies = Balances(node);
  const bool adapts = applies && (balance.scheme == Scheme::kAdaptive ||
                                  balance.scheme == Scheme::kAdaptiveFlowlet);
  if (adapts) LeaveDead(node, &ports_);
  const auto count = static_cast<FluidWeight>(ports_.size());
  const bool weighs =
      applies && balance.weighted && !adapts && balance.scheme != Scheme::kRoundRobin;
  const auto onward = [&](std::uint32_t i) { return Onward(node, ports_[i], flow.to).bps; };
  if (weighs && balance.scheme == Scheme::kHash && !run_.sprays) {
    const std::uint32_t hash = EcmpHash(
        MakeFlowKey(flow.from, flow.to, flow.source_port, flow.destination_port), node.value);
    out->push_back({ports_[PickByWeight(count, hash, onward)], weight});
    return;
  }
  WideUnsigned total = 0, before = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    total += weighs ? static_cast<std::uint64_t>(onward(i)) : 1U;
  if (total == 0) return;
  // From bound to bound, so that the parts sum up to the whole.
  FluidWeight given = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    before += weighs ? static_cast<std::uint64_t>(onward(i)) : 1U;
    const auto bound = static_cast<FluidWeight>((before * weight + (total - 1)) / total);
    if (bound > given) out->push_back({ports_[i], bound - given});
    given = bound;
  }
}

BitRate FluidRoutes::Onward(NodeId node, PortId port, NodeId to) const {
  const BitRate rate = RateOf(node, run_.graph->ports(node)[port.value].link);
  if (run_.capacities.empty() || !run_.graph->is_gpu(to)) return rate;
  return std::min(
      rate, run_.capacities[capacities_].Onward(*run_.graph, node, port, routes_->class_of(to)));
}

void FluidRoutes::LeaveDead(NodeId node, std::vector<PortId>* ports) const {
  const auto dead = [&](PortId port) { return is_down(run_.graph->ports(node)[port.value].link); };
  if (std::all_of(ports->begin(), ports->end(), dead)) return;
  ports->erase(std::remove_if(ports->begin(), ports->end(), dead), ports->end());
}

std::size_t FluidRoutes::memory() const {
  return down_.capacity() / 8 + MemoryOf(ports_) + 2 * run_.graph->links().size() * sizeof(BitRate);
}

}  // namespace heddle
