// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/nvswitch_planes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace heddle {
namespace {

/// What makes links of two NVSwitches alike: the GPU, the delay, the error rate.
using Alike = std::tuple<std::uint32_t, std::int64_t, double>;
using Plane = std::vector<Alike>;  ///< of an NVSwitch, sorted

Alike AlikeOf(const Graph& graph, const Attachment& port) {
  const Link& link = graph.link(port.link);
  return {port.peer.value, link.delay.ps, link.error_rate};
}

/// Empty if the NVSwitch is linked to others than GPUs.
Plane PlaneOf(const Graph& graph, NodeId nvswitch) {
  Plane plane;
  for (const Attachment& port : graph.ports(nvswitch)) {
    if (!graph.is_gpu(port.peer)) return {};
    plane.push_back(AlikeOf(graph, port));
  }
  std::sort(plane.begin(), plane.end());
  return plane;
}

struct Planes {
  std::vector<std::uint32_t> first_of;  ///< by NVSwitch: the first that is like it
  JoinedPlanes figures;
};

Planes FindPlanes(const Graph& graph) {
  Planes planes;
  std::map<Plane, std::vector<std::uint32_t>> alike;
  for (std::uint32_t i = 0; i < graph.nvswitch_count(); ++i) {
    planes.first_of.push_back(i);
    const Plane plane = PlaneOf(graph, NodeId(graph.gpu_count() + i));
    if (plane.empty()) continue;
    std::vector<std::uint32_t>& members = alike[plane];
    members.push_back(i);
    planes.first_of[i] = members.front();
  }
  for (const auto& [plane, members] : alike) {
    if (members.size() == 1) continue;
    ++planes.figures.servers;
    planes.figures.most = std::max(planes.figures.most, static_cast<std::uint32_t>(members.size()));
  }
  return planes;
}

/// The place of a link's NVSwitch among NVSwitches; kNone if neither end is one.
constexpr std::uint32_t kNone = ~0U;
std::uint32_t NvSwitchOf(const Graph& graph, const Link& link) {
  for (NodeId end : {link.a, link.b}) {
    if (graph.kind(end) == NodeKind::kNvSwitch) return end.value - graph.gpu_count();
  }
  return kNone;
}

/// Sums of rates by the first NVSwitch and what makes links alike.
using Rates = std::map<std::pair<std::uint32_t, Alike>, std::int64_t>;

/// Adds the links of `graph` to `joined`: one for all that are alike.
void JoinLinks(const Graph& graph, const std::vector<std::uint32_t>& first_of, Graph* joined) {
  const auto key = [&](const Link& link, std::uint32_t nvswitch) {
    const NodeId gpu = graph.is_gpu(link.a) ? link.a : link.b;
    return std::make_pair(first_of[nvswitch], Alike(gpu.value, link.delay.ps, link.error_rate));
  };
  Rates rates;
  for (const Link& link : graph.links()) {
    const std::uint32_t nvswitch = NvSwitchOf(graph, link);
    if (nvswitch != kNone) rates[key(link, nvswitch)] += link.rate.bps;
  }
  for (const Link& link : graph.links()) {
    const std::uint32_t nvswitch = NvSwitchOf(graph, link);
    if (nvswitch == kNone) {
      joined->AddLink(link);
      continue;
    }
    if (first_of[nvswitch] != nvswitch) continue;
    const auto found = rates.find(key(link, nvswitch));
    if (found == rates.end()) continue;  // a parallel cable, which was counted
    Link whole = link;
    whole.rate = BitRate{found->second};
    rates.erase(found);
    joined->AddLink(whole);
  }
}

}  // namespace

JoinedPlanes JoinNvSwitches(const Graph& graph) {
  if (graph.routing() != nullptr || graph.scale_up() != nullptr) return {};
  Planes planes = FindPlanes(graph);
  JoinedPlanes joined = std::move(planes.figures);
  if (joined.servers == 0) return joined;
  joined.graph =
      std::make_unique<Graph>(graph.gpu_count(), graph.nvswitch_count(), graph.switch_count(),
                              graph.gpus_per_server(), graph.gpu_type());
  JoinLinks(graph, planes.first_of, joined.graph.get());
  if (!graph.declared_tiers().of_node.empty()) joined.graph->DeclareTiers(graph.declared_tiers());
  if (!graph.names().empty()) joined.graph->SetNames(graph.names());
  return joined;
}

}  // namespace heddle
