// SPDX-License-Identifier: GPL-2.0-only
/// The routing of scale-up fabrics for the rest of the program (paths, tables of switches): one
/// path for each pair, by dimension order as ScaleUpRoutes has it without a lane.
#pragma once

#include <memory>

#include "topology/routes/routing_policy.h"

namespace heddle {

/// Policy of a graph with dimensions. Links cannot go down.
class ScaleUpRouting final : public RoutingPolicy {
 public:
  /// Returns true: NPUs forward packets of others.
  bool gpus_transit() const override { return true; }
  /// Makes a table on ScaleUpRoutes, in which every NPU is a class.
  std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const override;
};

}  // namespace heddle
