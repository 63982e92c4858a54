// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/name_lines.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "topology/graph/link_tiers.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

constexpr std::size_t kMostLines = 12;

}  // namespace

std::string NameLines(const Graph& graph) {
  const NodeNames names(graph);
  const LinkTiers tiers(graph);
  std::vector<std::string> lines;
  for (std::uint32_t first = 0; first < graph.node_count();) {
    std::uint32_t last = first;
    while (last + 1 < graph.node_count() && tiers.levels()[last + 1] == tiers.levels()[first] &&
           graph.kind(NodeId(last + 1)) == graph.kind(NodeId(first)))
      ++last;
    lines.push_back(first == last ? fmt::format("{}: node {}", names.Of(NodeId(first)), first)
                                  : fmt::format("{} to {}: nodes {} to {}", names.Of(NodeId(first)),
                                                names.Of(NodeId(last)), first, last));
    first = last + 1;
  }
  const std::size_t all = lines.size();
  if (all > kMostLines) {
    lines.resize(kMostLines - 1);
    lines.push_back(fmt::format("... and {} more groups", all - lines.size()));
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += (i == 0 ? "names      " : "           ") + lines[i] + "\n";
  return text;
}

}  // namespace heddle
