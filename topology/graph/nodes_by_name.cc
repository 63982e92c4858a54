// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/nodes_by_name.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/printable.h"
#include "core/options/nearest_name.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

std::string SmallLetters(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

}  // namespace

NodesByName::NodesByName(const Graph& graph) {
  const NodeNames names(graph);
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    const std::string name = names.Of(NodeId(node)), small = SmallLetters(name);
    nodes_.emplace(name, NodeId(node));
    AddAlias(small, NodeId(node));
    const std::size_t rail = small.find(" (rail ");
    if (rail != std::string::npos) AddAlias(small.substr(0, rail), NodeId(node));
  }
}

void NodesByName::AddAlias(const std::string& alias, NodeId node) {
  const auto [at, is_new] = aliases_.emplace(alias, node);
  if (!is_new) at->second = NodeId();
}

NodeId NodesByName::Get(const std::string& name, const SourceLine& where) const {
  if (const auto exact = nodes_.find(name); exact != nodes_.end()) return exact->second;
  const auto at = aliases_.find(SmallLetters(name));
  if (at == aliases_.end()) {
    std::vector<std::string> known;
    for (const auto& [other, node] : nodes_) known.push_back(other);
    std::sort(known.begin(), known.end());
    FailInput(where, "no node is named '" + Printable(name) + "'",
              "a number, or a name as heddle topo show lists them" + NearestIs(name, known));
  }
  if (!at->second.valid()) {
    FailInput(where, "several nodes are named '" + Printable(name) + "'", "the node's number");
  }
  return at->second;
}

}  // namespace heddle
