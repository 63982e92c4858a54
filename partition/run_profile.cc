// SPDX-License-Identifier: GPL-2.0-only
#include "partition/run_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/check.h"

namespace heddle {
namespace {

enum Kind { kServer, kLeaf, kOtherSwitch, kController, kKinds };

Kind KindOf(const Graph& graph, const Domains& domains, std::size_t domain) {
  if (domain >= domains.nodes.size()) return kController;
  const NodeId first = domains.nodes[domain].front();  // GPUs have the lowest ids
  if (graph.is_gpu(first)) return kServer;
  const auto& ports = graph.ports(first);
  const bool leaf = std::any_of(ports.begin(), ports.end(),
                                [&](const Attachment& port) { return graph.is_gpu(port.peer); });
  return leaf ? kLeaf : kOtherSwitch;
}

}  // namespace

Domains DomainsOf(const RunProfile& profile, const Graph& graph) {
  DomainOptions options;
  options.lookahead = profile.contraction;
  options.grain = profile.grain;
  options.ranks = profile.grain_ranks;
  Domains domains = MakeDomains(graph, options);
  const std::size_t found = domains.nodes.size();
  if (profile.events.size() != found && profile.events.size() != found + 1) {
    throw UserError(fmt::format(
        "the profile has {} domains, and the topology {}. Expected: a profile of this topology",
        profile.events.size(), found));
  }
  return domains;
}

std::vector<double> EventCosts(const RunProfile& profile, const Graph& graph,
                               const Domains& profiled) {
  constexpr double kUnmeasured = 100;  // [ns], if nothing was measured at all
  std::array<double, kKinds> ns{}, events{};
  double all_ns = 0, all_events = 0;
  for (std::size_t domain = 0; domain < profile.events.size(); ++domain) {
    const Kind kind = KindOf(graph, profiled, domain);
    ns[kind] += profile.measured_ns[domain];
    events[kind] += profile.measured_events[domain];
    all_ns += profile.measured_ns[domain];
    all_events += profile.measured_events[domain];
  }
  const double mean = all_ns > 0 && all_events > 0 ? all_ns / all_events : kUnmeasured;
  std::vector<double> costs;
  for (std::size_t domain = 0; domain < profile.events.size(); ++domain) {
    const Kind kind = KindOf(graph, profiled, domain);
    costs.push_back(ns[kind] > 0 && events[kind] > 0 ? ns[kind] / events[kind] : mean);
  }
  return costs;
}

std::vector<DomainId> Containers(const Domains& profiled, const Domains& coarser) {
  std::vector<DomainId> containers;
  for (const std::vector<NodeId>& nodes : profiled.nodes) {
    const DomainId container = coarser.domain_of[nodes.front().value];
    const bool torn = std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      return coarser.domain_of[node.value] != container;
    });
    if (torn) {
      throw UserError(
          fmt::format("the profile's {} domains are too coarse for these {}. Expected: one "
                      "recorded with --grain 1",
                      profiled.nodes.size(), coarser.nodes.size()));
    }
    containers.push_back(container);
  }
  return containers;
}

std::vector<std::int64_t> MeasuredWeights(const RunProfile& profile, const Graph& graph,
                                          const Domains& domains) {
  const Domains profiled = DomainsOf(profile, graph);
  const std::vector<double> costs = EventCosts(profile, graph, profiled);
  const std::vector<DomainId> containers = Containers(profiled, domains);
  std::vector<double> ns(domains.nodes.size(), 0);
  for (std::size_t i = 0; i < containers.size(); ++i)
    ns[containers[i].value] += profile.events[i] * costs[i];
  std::vector<std::int64_t> weights;
  for (const double cost : ns)
    weights.push_back(std::max<std::int64_t>(1, std::llround(cost / 1000)));
  return weights;
}

}  // namespace heddle
