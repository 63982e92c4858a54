// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/topology/shapes/fabric_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "tests/support/message_of.h"
#include "topology/shapes/families.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFar = 0xFFFFFFFF;

struct Maker {
  std::unique_ptr<FabricMaker> maker;
  FlagSet flags;
};

Maker Parse(const std::string& words) {
  std::istringstream in(words);
  std::string name, flag, value;
  in >> name;
  Maker parsed{FindFabric(Families(), name).fabric.make(), {}};
  parsed.maker->Declare(&parsed.flags);
  while (in >> flag >> value) parsed.flags.Set(flag.substr(flag.find_first_not_of('-')), value);
  parsed.maker->Settle(parsed.flags);
  return parsed;
}

/// Links from a node to every other. Whether GPUs forward is given.
std::vector<std::uint32_t> Distances(const Graph& graph, std::uint32_t from, bool gpus_forward) {
  std::vector<std::uint32_t> distance(graph.node_count(), kFar), queue = {from};
  distance[from] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const NodeId node(queue[head]);
    if (node.value != from && graph.is_gpu(node) && !gpus_forward) continue;
    for (const Attachment& port : graph.ports(node)) {
      if (distance[port.peer.value] != kFar) continue;
      distance[port.peer.value] = distance[node.value] + 1;
      queue.push_back(port.peer.value);
    }
  }
  return distance;
}

bool IsSwitch(const Graph& graph, NodeId node) { return graph.kind(node) == NodeKind::kSwitch; }

/// Flow of whole units between switches, each cable one unit in either direction.
class UnitFlow {
 public:
  explicit UnitFlow(const Graph& graph)
      : graph_(graph), side_(graph.node_count(), kNeither), net_(graph.links().size()) {
    for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
      const Side side = gpu < graph.gpu_count() / 2 ? kFirst : kSecond;
      for (const Attachment& port : graph.ports(NodeId(gpu))) {
        if (!IsSwitch(graph, port.peer)) continue;
        EXPECT_NE(side_[port.peer.value], side == kFirst ? kSecond : kFirst);
        side_[port.peer.value] = side;
      }
    }
  }

  std::uint32_t Most() {
    std::uint32_t units = 0;
    while (AddOne()) ++units;
    return units;
  }

 private:
  enum Side : std::uint8_t { kNeither, kFirst, kSecond };

  /// Finds a way that has room and uses it.
  bool AddOne() {
    std::vector<std::pair<std::uint32_t, Attachment>> came(graph_.node_count(), {kFar, {}});
    std::vector<std::uint32_t> queue;
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      if (side_[node] == kFirst) queue.push_back(node), came[node].first = node;
    }
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::uint32_t node = queue[head];
      if (side_[node] == kSecond) return Use(node, came);
      for (const Attachment& port : graph_.ports(NodeId(node))) {
        const std::uint32_t peer = port.peer.value;
        if (!IsSwitch(graph_, port.peer) || came[peer].first != kFar) continue;
        if (net_[port.link.value] == Way(port, node)) continue;
        came[peer] = {node, port};
        queue.push_back(peer);
      }
    }
    return false;
  }

  bool Use(std::uint32_t node, const std::vector<std::pair<std::uint32_t, Attachment>>& came) {
    for (; came[node].first != node; node = came[node].first) {
      const Attachment& port = came[node].second;
      net_[port.link.value] += Way(port, came[node].first);
    }
    return true;
  }

  /// The direction of a link from `from`: 1 or -1.
  int Way(const Attachment& port, std::uint32_t from) const {
    return graph_.link(port.link).a.value == from ? 1 : -1;
  }

  const Graph& graph_;
  std::vector<Side> side_;
  std::vector<int> net_;  ///< by link: units from a to b
};

}  // namespace

FabricPlan PlanFabric(const std::string& words) {
  const Maker parsed = Parse(words);
  return parsed.maker->Plan(parsed.flags);
}

Graph MakeFabric(const std::string& words) { return MakeGraph(PlanFabric(words)); }

std::vector<std::string> NotesOnFabric(const std::string& words) {
  const Maker parsed = Parse(words);
  return parsed.maker->Notes(parsed.flags);
}

std::string Refusal(const std::string& words) {
  return MessageOf([&] { PlanFabric(words); });
}

FabricFacts FactsOf(const Graph& graph) {
  FabricFacts facts;
  facts.gpus = graph.gpu_count();
  facts.nvswitches = graph.nvswitch_count();
  facts.switches = graph.switch_count();
  facts.links = graph.links().size();
  const std::vector<std::uint32_t> all = Distances(graph, 0, true);
  facts.is_connected = std::count(all.begin(), all.end(), kFar) == 0;
  facts.all_pairs_meet = true;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
    const std::vector<std::uint32_t> distance = Distances(graph, gpu, false);
    for (std::uint32_t other = 0; other < graph.gpu_count(); ++other) {
      if (distance[other] == kFar) {
        facts.all_pairs_meet = false;
      } else {
        facts.diameter = std::max(facts.diameter, distance[other]);
      }
    }
  }
  for (std::uint32_t node = graph.gpu_count(); node < graph.node_count(); ++node) {
    if (!IsSwitch(graph, NodeId(node))) continue;
    std::size_t degree = 0;
    for (const Attachment& port : graph.ports(NodeId(node))) degree += IsSwitch(graph, port.peer);
    ++facts.degrees[degree];
    facts.cables += degree;
  }
  facts.cables /= 2;
  return facts;
}

std::uint32_t Bisection(const Graph& graph) { return UnitFlow(graph).Most(); }

std::uint32_t Distance(const Graph& graph, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t distance = Distances(graph, from, false)[to];
  return distance == kFar ? 0 : distance;
}

}  // namespace heddle
