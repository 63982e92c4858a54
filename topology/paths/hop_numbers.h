// SPDX-License-Identifier: GPL-2.0-only
/// Numbers all ports of a fabric, in the order of nodes, then ports.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"
#include "topology/paths/path_tracer.h"

namespace heddle {

/// Number of a port, which stands for its link in the direction away from its node.
using HopIndex = std::uint32_t;

class HopNumbers {
 public:
  /// Copies what it needs; `graph` may go. Links that are added later are unknown to it.
  explicit HopNumbers(const Graph& graph);
  /// Returns the number of a port, below count(). The port must exist.
  HopIndex Of(NodeId node, PortId port) const { return first_[node.value] + port.value; }
  /// Returns the port of a number below count(), by binary search over the nodes.
  Hop At(HopIndex hop) const;
  /// Returns the number of ports: two for each link.
  std::uint32_t count() const { return first_.back(); }

 private:
  std::vector<HopIndex> first_;  ///< by node, and the end of the last
};

}  // namespace heddle
