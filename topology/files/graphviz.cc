// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/graphviz.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "core/base/check.h"
#include "topology/graph/node_names.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace {

/// A name as a part of a quoted text of DOT.
std::string InQuotes(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

std::string GraphvizText(const Graph& graph) {
  if (graph.node_count() > kMaxDrawnNodes) {
    throw UserError(
        fmt::format("a fabric of {} nodes cannot be drawn. Expected: at most {} nodes (the "
                    "same template with fewer GPUs looks alike)",
                    graph.node_count(), kMaxDrawnNodes));
  }
  const NodeNames names(graph);
  const auto tiers = FindTiers(graph);
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_tier;
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    by_tier[tiers[i]].push_back(i);
  }
  std::string text = "graph fabric {\n  rankdir=BT;\n  node [fontsize=10];\n";
  for (const auto& [tier, nodes] : by_tier) {
    const char* shape = tier == kGpuTier ? "box" : tier == kNvSwitchTier ? "hexagon" : "ellipse";
    text += fmt::format("  {{ rank=same; node [shape={}];\n", shape);
    for (const std::uint32_t node : nodes) {
      text +=
          fmt::format("    n{0} [label=\"{1}\\n{0}\"];\n", node, InQuotes(names.Of(NodeId(node))));
    }
    text += "  }\n";
  }
  for (const Link& link : graph.links()) {
    // The lower tier first, so that dot draws it below.
    const bool swap = tiers[link.b.value] < tiers[link.a.value];
    const NodeId low = swap ? link.b : link.a;
    const NodeId high = swap ? link.a : link.b;
    text += fmt::format("  n{} -- n{} [tooltip=\"{}, {}\"];\n", low.value, high.value,
                        ToText(link.rate), ToText(link.delay));
  }
  return text + "}\n";
}

}  // namespace heddle
