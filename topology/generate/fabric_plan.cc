// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/fabric_plan.h"

#include <fmt/format.h>

#include <iterator>

#include "topology/files/link_text.h"
#include "topology/generate/flag_set.h"

namespace heddle {

void CheckPorts(const FabricPlan& plan, const std::string& fabric, const std::string& remedy) {
  std::vector<std::uint32_t> ports(plan.nodes());
  for (const FabricPlan::Cable& cable : plan.cables) {
    for (const std::uint32_t end : {cable.a, cable.b}) {
      if (++ports[end] > kMaxPorts) {
        RefuseFabric(fabric, fmt::format("more than {} links at node {}", kMaxPorts, end), remedy);
      }
    }
  }
}

Graph MakeGraph(const FabricPlan& plan) {
  Graph graph(plan.gpus, plan.nvswitches, plan.switches, plan.gpus_per_server, plan.gpu_type);
  graph.ReserveLinks(plan.cables.size());
  std::vector<Link> links;
  for (const FabricPlan::CableType& type : plan.types) {
    links.push_back({{},
                     {},
                     ParseBitRate(type.rate),
                     ParseTime(type.delay),
                     ReadErrorRate(type.error_rate).value()});
  }
  for (const FabricPlan::Cable& cable : plan.cables) {
    Link link = links.at(cable.type);
    link.a = NodeId(cable.a);
    link.b = NodeId(cable.b);
    graph.AddLink(link);
  }
  if (!plan.tiers.of_node.empty()) graph.DeclareTiers(plan.tiers);
  graph.SetRouting(plan.routing);
  return graph;
}

std::string PlanText(const FabricPlan& plan) {
  std::string text = fmt::format("{} {} {} {} {} {}\n", plan.nodes(), plan.gpus_per_server,
                                 plan.nvswitches, plan.switches, plan.cables.size(), plan.gpu_type);
  auto append = std::back_inserter(text);
  for (std::uint32_t id = plan.gpus; id < plan.nodes(); ++id) {
    fmt::format_to(append, "{} ", id);
  }
  text += '\n';
  std::vector<std::string> tails;
  for (const FabricPlan::CableType& type : plan.types) {
    tails.push_back(type.rate + " " + type.delay + " " + type.error_rate + "\n");
  }
  for (const FabricPlan::Cable& cable : plan.cables) {
    fmt::format_to(append, "{} {} {}", cable.a, cable.b, tails.at(cable.type));
  }
  return text;
}

}  // namespace heddle
