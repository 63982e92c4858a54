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
  explicit HopNumbers(const Graph& graph);
  HopIndex Of(NodeId node, PortId port) const { return first_[node.value] + port.value; }
  Hop At(HopIndex hop) const;
  std::uint32_t count() const { return first_.back(); }

 private:
  std::vector<HopIndex> first_;  ///< by node, and the end of the last
};

}  // namespace heddle
