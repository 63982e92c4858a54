// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/network_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace heddle {
namespace {

class Maker {
 public:
  Maker(const StaticNetwork& network, const CableDefaults& defaults)
      : network_(network),
        defaults_(defaults),
        node_of_(network.node_count(), StaticNetwork::kNone) {
    for (std::uint32_t host = 0; host < network.host_count(); ++host)
      Number(network.NodeOfHost(host));
    for (std::uint32_t node = 0; node < network.node_count(); ++node) {
      if (node_of_[node] == StaticNetwork::kNone) Number(node);
    }
  }

  TableFabric Make() {
    const std::uint32_t hosts = network_.host_count();
    TableFabric fabric{
        Graph(hosts, 0, network_.node_count() - hosts, 1, "NONE"), {}, {}, {}, {}, {}};
    AddLinks(&fabric.graph);
    fabric.tables = MakeTables(fabric.graph);
    fabric.names = std::move(names_);
    fabric.warnings = Warnings(fabric.graph);
    return fabric;
  }

 private:
  using Ends = std::pair<std::uint32_t, std::uint32_t>;

  void Number(std::uint32_t node) {
    node_of_[node] = static_cast<std::uint32_t>(names_.size());
    names_.push_back(network_.NodeName(node));
  }

  /// The link of each cable, in the order of the first of its two cables.
  void AddLinks(Graph* graph) {
    std::map<Ends, std::vector<std::uint32_t>> waiting;  // cables without one back so far
    link_of_.assign(network_.cable_count(), LinkId(0));
    std::vector<Link> links;
    for (std::uint32_t cable = 0; cable < network_.cable_count(); ++cable) {
      const StaticNetwork::Cable& here = network_.cables()[cable];
      auto& back = waiting[{here.to, here.from}];
      if (!back.empty() && here.from != here.to) {
        Join(cable, &links[link_of_[back.front()].value]);
        link_of_[cable] = link_of_[back.front()];
        back.erase(back.begin());
        continue;
      }
      waiting[{here.from, here.to}].push_back(cable);
      link_of_[cable] = LinkId(static_cast<std::uint32_t>(links.size()));
      if (here.rate == 0) ++unknown_;
      const std::int64_t rate = here.rate == 0 ? defaults_.rate.bps : here.rate;
      links.push_back(
          {NodeId(node_of_[here.from]), NodeId(node_of_[here.to]), BitRate{rate}, defaults_.delay});
    }
    for (const auto& [ends, cables] : waiting) one_way_ += cables.size();
    for (const Link& link : links) graph->AddLink(link);
  }

  void Join(std::uint32_t cable, Link* link) {
    const std::int64_t rate = network_.cables()[cable].rate;
    if (rate == 0 || rate == link->rate.bps) return;
    ++unequal_;
    link->rate = std::min(link->rate, BitRate{rate});
  }

  std::shared_ptr<const ForwardingTables> MakeTables(const Graph& graph) {
    auto tables = std::make_shared<ForwardingTables>(graph);
    for (std::uint32_t node = 0; node < network_.node_count(); ++node) {
      const NodeId at(node_of_[node]);
      if (graph.is_gpu(at)) continue;
      for (std::uint32_t host = 0; host < network_.host_count(); ++host) {
        const std::uint32_t cable = network_.Next(node, host);
        if (cable == StaticNetwork::kNone) continue;
        const std::uint32_t next = node_of_[network_.cables()[cable].to];
        if (graph.is_gpu(NodeId(next)) && next != host) {
          ++through_hosts_;
        } else {
          tables->Set(at, NodeId(host), PortOf(graph, at, link_of_[cable]));
        }
      }
    }
    return tables;
  }

  std::vector<std::string> Warnings(const Graph& graph) const {
    std::vector<std::string> texts;
    const auto warn = [&](std::size_t count, const std::string& what) {
      if (count > 0) texts.push_back(fmt::format("{} {}", count, what));
    };
    warn(unknown_, "cables have no rate: " + ToText(defaults_.rate) + " is taken");
    warn(unequal_, "cables have another rate in each direction: the lower one is taken");
    warn(one_way_, "cables have none back: one without routes is added to each");
    warn(through_hosts_, "routes go through a host: they are left out");
    std::size_t several = 0;
    for (std::uint32_t host = 0; host < graph.gpu_count(); ++host)
      several += graph.ports(NodeId(host)).size() > 1 ? 1 : 0;
    warn(
        several,
        "hosts have several cables: packets leave by one with the fewest links to the destination");
    return texts;
  }

  const StaticNetwork& network_;
  const CableDefaults& defaults_;
  std::vector<std::uint32_t> node_of_;  ///< of the graph, by the network's node
  std::vector<std::string> names_;
  std::vector<LinkId> link_of_;  ///< by cable
  std::size_t unknown_ = 0, unequal_ = 0, one_way_ = 0, through_hosts_ = 0;
};

}  // namespace

TableFabric MakeFabric(const StaticNetwork& network, const CableDefaults& defaults) {
  return Maker(network, defaults).Make();
}

}  // namespace heddle
