// SPDX-License-Identifier: GPL-2.0-only
#include "transport/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle {

Fabric::Fabric(const Graph& graph, const TransportOptions& options, const FabricLayout& layout, RankId here,
               std::uint32_t ranks)
    : graph_(graph),
      layout_(layout),
      here_(here),
      routes_(graph),
      metrics_(graph, Bytes{options.payload}),
      post_office_(layout.rank_of, here, ranks) {
  if (graph.node_count() >= EventOrder::kMaxNodes) {
    throw UserError(fmt::format("the topology has {} nodes; at most {} can be simulated", graph.node_count(),
                                EventOrder::kMaxNodes - 1));
  }
  context_.graph = &graph_;
  context_.routes = &routes_;
  context_.options = options;
  constexpr std::uint32_t kFitsInCache = 512;  // nodes
  context_.prefetch = graph.node_count() > kFitsInCache;
  context_.places = PlaceHosts(graph_, routes_);
  context_.domain_of = layout_.domain_of;
  context_.first_port.resize(graph.node_count());
  for (const std::vector<NodeId>& nodes : layout_.nodes) {
    std::uint32_t port = 0;
    for (NodeId node : nodes) {
      context_.first_port[node.value] = port;
      port += static_cast<std::uint32_t>(graph.ports(node).size());
    }
  }
  for (std::uint32_t id = 0; id < layout_.nodes.size(); ++id) {
    if (layout_.rank_of[id] != here_) continue;
    domains_.push_back(std::make_unique<FabricDomain>(DomainId(id), &context_, &post_office_, layout_.nodes[id]));
  }
}

void Fabric::Plan(std::vector<PlannedFlow> flows) {
  std::vector<std::vector<PlannedFlow>> by_domain(layout_.nodes.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    PlannedFlow& flow = flows[i];
    const FlowRequest& request = flow.request;
    if (routes_.Hops(request.source, request.destination) == Routes::kUnreachable) {
      throw UserError(fmt::format("flow {} of the input, from GPU {} to GPU {}: the topology has no path between them",
                                  i + 1, request.source.value, request.destination.value));
    }
    const DomainId domain = layout_.domain_of[request.source.value];
    if (layout_.rank_of[domain.value] != here_) continue;
    const PairMetrics pair = metrics_.Pair(request.source, request.destination);
    flow.ideal = IdealCompletionTime(pair, request.size, Bytes{context_.options.payload});
    if (context_.options.has_window) {
      flow.window = context_.options.pair_window ? pair.bdp().count : metrics_.max_bdp().count;
    }
    by_domain[domain.value].push_back(flow);
  }
  for (const auto& domain : domains_) {
    if (!by_domain[domain->id().value].empty()) domain->Plan(by_domain[domain->id().value]);
    post_office_.Add(domain.get());
  }
}

std::vector<RankId> Fabric::NeighbourRanks() const {
  std::set<RankId> ranks;
  for (const Link& link : graph_.links()) {
    const RankId a = layout_.rank_of[layout_.domain_of[link.a.value].value];
    const RankId b = layout_.rank_of[layout_.domain_of[link.b.value].value];
    if (a == b) continue;
    if (a == here_) ranks.insert(b);
    if (b == here_) ranks.insert(a);
  }
  return {ranks.begin(), ranks.end()};
}

DomainBooks Fabric::Books() const {
  DomainBooks sum;
  for (const auto& domain : domains_) {
    const DomainBooks& b = domain->books();
    sum.injected_packets += b.injected_packets;
    sum.injected_bytes += b.injected_bytes;
    sum.received_packets += b.received_packets;
    sum.received_bytes += b.received_bytes;
    sum.dropped_packets += b.dropped_packets;
    sum.dropped_bytes += b.dropped_bytes;
    sum.link_packets += b.link_packets;
    sum.flows_started += b.flows_started;
    sum.flows_finished += b.flows_finished;
    sum.out_of_order += b.out_of_order;
  }
  return sum;
}

std::uint64_t Fabric::events() const {
  std::uint64_t sum = 0;
  for (const auto& domain : domains_) sum += domain->events();
  return sum;
}

Time Fabric::now() const {
  Time last{0};
  for (const auto& domain : domains_) last = std::max(last, domain->now());
  return last;
}

std::size_t Fabric::memory() const {
  std::size_t sum = 0;
  for (const auto& domain : domains_) sum += domain->memory();
  return sum;
}

}  // namespace heddle
