// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"
#include "topology/files/name_lines.h"
#include "topology/graph/node_names.h"
#include "topology/graph/oversubscription.h"
#include "topology/graph/tiers.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

using TierPair = std::pair<std::uint32_t, std::uint32_t>;

/// Number of links between two tiers, by rate and delay.
using LinkGroups = std::map<TierPair, std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>>;

LinkGroups GroupLinks(const Graph& graph, const std::vector<std::uint32_t>& tiers) {
  LinkGroups groups;
  for (const Link& link : graph.links()) {
    const auto tier = std::minmax(tiers[link.a.value], tiers[link.b.value]);
    ++groups[tier][{link.rate.bps, link.delay.ps}];
  }
  return groups;
}

std::string TierPairName(const Graph& graph, const TierPair& tiers) {
  return TierName(graph, tiers.first) + " - " + TierName(graph, tiers.second);
}

std::vector<TierSwitches> SwitchesOf(const Graph& graph, const std::vector<std::uint32_t>& tiers) {
  std::map<std::uint32_t, std::size_t> nodes;
  for (const std::uint32_t tier : tiers) {
    if (tier >= kLeafTier) ++nodes[tier];
  }
  std::vector<TierSwitches> switches;
  for (const auto& [tier, count] : nodes) switches.push_back({TierName(graph, tier), count});
  return switches;
}

std::vector<TierLinks> LinksOf(const Graph& graph, const LinkGroups& groups) {
  std::vector<TierLinks> links;
  for (const auto& [tiers, kinds] : groups) {
    for (const auto& [kind, count] : kinds)
      links.push_back({TierPairName(graph, tiers), count, BitRate{kind.first}, Time{kind.second}});
  }
  return links;
}

std::string CountsText(const Graph& graph, const FabricOverview& facts) {
  std::string text = fmt::format("nodes      {}: {} GPUs ({}), {} NVSwitches, {} switches\n",
                                 graph.node_count(), graph.gpu_count(), Printable(graph.gpu_type()),
                                 graph.nvswitch_count(), graph.switch_count());
  text += fmt::format("servers    {} of {} GPUs\n", facts.servers, graph.gpus_per_server());
  for (const TierSwitches& tier : facts.tiers)
    text += fmt::format("{:<10} {} switches\n", tier.name, tier.switches);
  return text;
}

std::string LinksText(const Graph& graph, const FabricOverview& facts) {
  std::string text = fmt::format("links      {}\n", graph.links().size());
  for (const TierLinks& links : facts.links)
    text += fmt::format("  {:<18} {} x {}, {}\n", links.tiers, links.number, ToText(links.rate),
                        ToText(links.delay));
  Time lowest = Time::Max();
  Time highest{0};
  for (const TierLinks& links : facts.links) {
    lowest = std::min(lowest, links.delay);
    highest = std::max(highest, links.delay);
  }
  if (!facts.links.empty())
    text += fmt::format("delays     {} to {}\n", ToText(lowest), ToText(highest));
  return text;
}

std::string OversubscriptionText(const Graph& graph) {
  std::string text;
  for (const TierBandwidth& tier : TierBandwidths(graph)) {
    if (tier.is_top()) {
      text +=
          fmt::format("{:<10} {:.0f} Gbps down, top of the fabric\n", tier.name, tier.down_gbps);
    } else {
      text += fmt::format("{:<10} {:.0f} Gbps down : {:.0f} Gbps up = {:.2f} : 1\n", tier.name,
                          tier.down_gbps, tier.up_gbps, tier.ratio());
    }
  }
  return text;
}

/// Returns a GPU of another server under one of `gpu`'s switches, or none.
NodeId LeafNeighbour(const Graph& graph, NodeId gpu) {
  const std::uint32_t server = graph.ServerOf(gpu);
  for (const Attachment& port : graph.ports(gpu)) {
    if (graph.kind(port.peer) == NodeKind::kSwitch) {
      for (const Attachment& other : graph.ports(port.peer)) {
        if (graph.is_gpu(other.peer) && graph.ServerOf(other.peer) != server) {
          return other.peer;
        }
      }
    }
  }
  return {};
}

/// Between GPUs of one server, under one leaf, and the farthest ones.
std::vector<EqualPaths> PathsOf(const Graph& graph, const Routes& routes,
                                const Diameter& diameter) {
  std::vector<EqualPaths> found;
  const auto add = [&](const char* name, NodeId from, NodeId to) {
    if (to.valid() && to != from)
      found.push_back({name, from, to, routes.Hops(from, to), CountPaths(graph, routes, from, to)});
  };
  const auto reachable = [&](NodeId to) {
    return to.valid() && routes.Hops(NodeId(0), to) != Routes::kUnreachable ? to : NodeId();
  };
  const bool has_mate = graph.gpus_per_server() > 1 && graph.gpu_count() > 1;
  add("same server", NodeId(0), has_mate ? reachable(NodeId(1)) : NodeId());
  add("same leaf", NodeId(0), reachable(LeafNeighbour(graph, NodeId(0))));
  add("farthest", diameter.from, diameter.to);
  return found;
}

std::string PathsText(const Graph& graph, const FabricOverview& facts) {
  std::string text = "equal-cost paths\n";
  const NodeNames names(graph);
  for (const EqualPaths& paths : facts.paths)
    text += fmt::format("  {:<12} {} to {}: {} hops, {:.0f} paths\n", paths.name,
                        names.Of(paths.from), names.Of(paths.to), paths.hops, paths.number);
  return text;
}

std::size_t CountParallelCables(const Graph& graph) {
  std::size_t extra = 0;
  std::vector<NodeId> peers;
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    peers.clear();
    for (const Attachment& port : graph.ports(NodeId(i))) {
      if (port.peer.value > i) {
        peers.push_back(port.peer);
      }
    }
    std::sort(peers.begin(), peers.end());
    extra += static_cast<std::size_t>(peers.end() - std::unique(peers.begin(), peers.end()));
  }
  return extra;
}

/// Returns a GPU that the first GPU cannot reach, or none. Reachability is symmetric here.
NodeId FindUnreachable(const Graph& graph, const Routes& routes) {
  for (std::uint32_t i = 1; i < graph.gpu_count(); ++i) {
    if (routes.Hops(NodeId(0), NodeId(i)) == Routes::kUnreachable) {
      return NodeId(i);
    }
  }
  return {};
}

double CountFrom(const Graph& graph, const Routes& routes, NodeId node, NodeId to,
                 std::unordered_map<std::uint32_t, double>* known) {
  if (node == to) {
    return 1;
  }
  if (const auto found = known->find(node.value); found != known->end()) {
    return found->second;
  }
  std::vector<PortId> ports;
  routes.NextHops(node, to, &ports);
  double paths = 0;
  for (const PortId port : ports) {
    paths += CountFrom(graph, routes, graph.ports(node)[port.value].peer, to, known);
  }
  return (*known)[node.value] = paths;
}

}  // namespace

double CountPaths(const Graph& graph, const Routes& routes, NodeId from_gpu, NodeId to_gpu) {
  std::unordered_map<std::uint32_t, double> known;
  return CountFrom(graph, routes, from_gpu, to_gpu, &known);
}

Diameter FindDiameter(const Graph& graph, const Routes& routes) {
  Diameter best;
  const auto consider = [&](NodeId from, NodeId to) {
    const std::uint32_t hops = routes.Hops(from, to);
    if (hops != Routes::kUnreachable && hops > best.hops) {
      best = {hops, from, to};
    }
    return hops;
  };
  // All pairs of two classes have the same distance over the core; only a pair with a cable or an
  // NVSwitch of its own is closer. So one pair at that distance is enough, and the search visits
  // few pairs of classes.
  for (std::uint32_t a = 0; a < routes.class_count(); ++a) {
    for (std::uint32_t b = 0; b < routes.class_count(); ++b) {
      std::uint32_t far = Routes::kUnreachable;
      for (const Attachment& port : graph.ports(routes.members(a).front())) {
        if (routes.is_core(port.peer)) {
          far = std::min(far, routes.HopsToClass(port.peer, b));
        }
      }
      if (far != Routes::kUnreachable && far + 1 <= best.hops) {
        continue;
      }
      bool found = false;
      for (auto from = routes.members(a).begin(); from != routes.members(a).end() && !found;
           ++from) {
        for (auto to = routes.members(b).begin(); to != routes.members(b).end() && !found; ++to) {
          found = *from != *to && consider(*from, *to) == far + 1 && far != Routes::kUnreachable;
        }
      }
    }
  }
  return best;
}

std::vector<std::string> FabricWarnings(const Graph& graph, const Routes& routes) {
  std::vector<std::string> warnings;
  if (const std::size_t extra = CountParallelCables(graph); extra > 0) {
    warnings.push_back(
        fmt::format("{} cables are parallel to another one (SimAI would use one)", extra));
  }
  if (const NodeId gpu = FindUnreachable(graph, routes); gpu.valid()) {
    const NodeId mate = FindRailMate(graph, routes, NodeId(0), gpu);
    const NodeNames names(graph);
    warnings.push_back(
        names.Of(NodeId(0)) + " cannot reach " + names.Of(gpu) +
        (mate.valid() ? fmt::format(" but by NVLink to {}: the fabric is rail-only", names.Of(mate))
                      : ""));
  }
  if (graph.gpu_count() % graph.gpus_per_server() != 0) {
    warnings.push_back(fmt::format("the last server has only {} of {} GPUs",
                                   graph.gpu_count() % graph.gpus_per_server(),
                                   graph.gpus_per_server()));
  }
  for (const auto& [tiers, kinds] : GroupLinks(graph, FindTiers(graph))) {
    std::set<std::int64_t> rates;
    for (const auto& [kind, count] : kinds) {
      rates.insert(kind.first);
    }
    if (rates.size() > 1) {
      warnings.push_back(fmt::format("links {} have {} different rates", TierPairName(graph, tiers),
                                     rates.size()));
    }
  }
  return warnings;
}

FabricOverview OverviewOf(const Graph& graph, const TellStep& tell) {
  if (tell) tell("finds the routes");
  const Routes routes(graph);
  const auto tiers = FindTiers(graph);
  if (tell) tell(fmt::format("finds the diameter of {} classes", routes.class_count()));
  FabricOverview facts;
  facts.diameter = FindDiameter(graph, routes);
  facts.servers = graph.server_count();
  facts.tiers = SwitchesOf(graph, tiers);
  facts.links = LinksOf(graph, GroupLinks(graph, tiers));
  facts.classes = routes.class_count();
  facts.paths = PathsOf(graph, routes, facts.diameter);
  facts.warnings = FabricWarnings(graph, routes);
  return facts;
}

std::string DescribeFabric(const Graph& graph, const FabricOverview& facts) {
  std::string text =
      CountsText(graph, facts) + LinksText(graph, facts) + OversubscriptionText(graph);
  text += fmt::format("diameter   {} hops, GPU to GPU\n", facts.diameter.hops);
  text += fmt::format("routes     {} classes of destinations\n", facts.classes);
  text += PathsText(graph, facts);
  text += NameLines(graph);
  for (const std::string& warning : facts.warnings) {
    text += "warning    " + warning + "\n";
  }
  return text;
}

std::string DescribeFabric(const Graph& graph, const TellStep& tell) {
  return DescribeFabric(graph, OverviewOf(graph, tell));
}

}  // namespace heddle
