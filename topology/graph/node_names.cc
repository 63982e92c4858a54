// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/node_names.h"

#include <fmt/format.h>

#include <array>

#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

constexpr std::int64_t kNoRail = -1, kUnknownRail = -2;

}  // namespace

NodeNames::NodeNames(const Graph& graph) : graph_(graph) {
  if (!graph.names().empty()) return;
  level_ = LinkTiers(graph).levels();
  number_.assign(graph.node_count(), 0);
  rail_.assign(graph.node_count(), kUnknownRail);
  std::array<std::uint32_t, LinkTiers::kMostLevel + 1> count{};
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    if (graph.kind(NodeId(node)) != NodeKind::kSwitch) continue;
    const std::uint8_t level = level_[node];
    has_levels_ = has_levels_ || level > 1;
    number_[node] = level <= LinkTiers::kMostLevel ? count[level]++ : node;
  }
  if (graph.gpus_per_server() > 1) FindRails();
}

void NodeNames::FindRails() {
  for (std::uint32_t gpu = 0; gpu < graph_.gpu_count(); ++gpu) {
    const std::int64_t place = graph_.PlaceInServer(NodeId(gpu));
    for (const Attachment& port : graph_.ports(NodeId(gpu))) {
      std::int64_t& rail = rail_[port.peer.value];
      rail = rail == kUnknownRail || rail == place ? place : kNoRail;
    }
  }
}

std::string NodeNames::Of(NodeId node) const {
  if (!graph_.names().empty()) return graph_.names()[node.value];
  switch (graph_.kind(node)) {
    case NodeKind::kGpu:
      return graph_.gpus_per_server() == 1
                 ? fmt::format("GPU {}", node.value)
                 : fmt::format("server {} / GPU {}", graph_.ServerOf(node),
                               graph_.PlaceInServer(node));
    case NodeKind::kNvSwitch:
      return fmt::format("NVSwitch {}", node.value - graph_.gpu_count());
    case NodeKind::kSwitch:
      break;
  }
  return OfSwitch(node);
}

std::string NodeNames::OfSwitch(NodeId node) const {
  const std::uint32_t number = number_[node.value];
  if (!has_levels_) return fmt::format("switch {}", number);
  switch (level_[node.value]) {
    case 1:
      return rail_[node.value] >= 0 ? fmt::format("leaf {} (rail {})", number, rail_[node.value])
                                    : fmt::format("leaf {}", number);
    case 2:
      return fmt::format("spine {}", number);
    case 3:
      return fmt::format("core {}", number);
    default:
      return fmt::format("level-{} switch {}", level_[node.value], number);
  }
}

std::string NodeNames::Link(NodeId node, PortId port) const {
  const auto& ports = graph_.ports(node);
  const NodeId peer = ports[port.value].peer;
  std::uint32_t cables = 0, cable = 0;
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    if (ports[i].peer != peer) continue;
    if (i == port.value) cable = cables;
    ++cables;
  }
  const std::string text = Of(node) + " -> " + Of(peer);
  return cables > 1 ? fmt::format("{} (cable {})", text, cable) : text;
}

}  // namespace heddle
