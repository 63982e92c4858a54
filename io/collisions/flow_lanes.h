// SPDX-License-Identifier: GPL-2.0-only
/// Lanes that flows of a result keep to in a fabric of dimensions.
///
/// Messages of collectives in phases stay on the lane that their row names as channel, as long as
/// their ends differ in its dimension only (collectives/phased); other messages go by dimension
/// order and keep to none. A fabric without dimensions has no lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "io/result/attribute_map.h"
#include "topology/graph/graph.h"
#include "topology/paths/path_tracer.h"
#include "topology/scale_up/scale_up_routes.h"

namespace heddle {

/// Whether flows were sent over the dimensions of a fabric, and not over Ethernet.
bool HasDimensions(const Graph& graph);

/// Why the rows of a result with these attributes do not determine the lanes of its flows; empty:
/// they do, or there are none.
std::string WhyNoLanes(const AttributeMap& root);

class FlowLanes {
 public:
  /// `root`: attributes of the result. The graph must outlive it.
  FlowLanes(const Graph& graph, const AttributeMap& root);

  /// Whether flows may keep to lanes; if not, routes determine their paths.
  bool any() const { return routes_.has_value(); }
  /// Returns the ports along the path of a flow between two different GPUs, the source's first.
  /// Call it if any().
  std::vector<Hop> Trace(NodeId from, NodeId to, std::uint16_t channel) const;

 private:
  /// Returns `channel` if the flow keeps to its lane, else ScaleUpRoutes::kAnyLane.
  std::uint16_t LaneOf(NodeId from, NodeId to, std::uint16_t channel) const;

  const Graph& graph_;
  std::optional<ScaleUpRoutes> routes_;
};

}  // namespace heddle
