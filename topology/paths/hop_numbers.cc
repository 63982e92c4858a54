// SPDX-License-Identifier: GPL-2.0-only
#include "topology/paths/hop_numbers.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {

HopNumbers::HopNumbers(const Graph& graph) : first_{0} {
  first_.reserve(graph.node_count() + 1);
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    first_.push_back(first_.back() + static_cast<HopIndex>(graph.ports(NodeId(node)).size()));
  }
}

Hop HopNumbers::At(HopIndex hop) const {
  HEDDLE_EXPECT(hop < count());
  const auto node = std::upper_bound(first_.begin(), first_.end(), hop) - 1;
  return {NodeId(static_cast<std::uint32_t>(node - first_.begin())), PortId(hop - *node)};
}

}  // namespace heddle
