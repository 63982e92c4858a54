// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/flow_lanes.h"

#include <cstddef>

namespace heddle {
namespace {

bool IsInPhases(const AttributeMap& root) {
  return root.Text("option phases.collectives").value_or("off") != "off";
}

}  // namespace

bool HasDimensions(const Graph& graph) {
  return graph.scale_up() != nullptr && !graph.scale_up()->dimensions.empty();
}

std::string WhyNoLanes(const AttributeMap& root) {
  if (!IsInPhases(root)) return "";
  for (const char* option :
       {"phases.algorithm", "phases.reduce_scatter", "phases.all_gather", "phases.all_to_all"}) {
    // One algorithm over all dimensions: such messages keep to no lane, but their rows name one.
    const std::string word = root.Text(std::string("option ") + option).value_or("");
    if (word.rfind("one", 0) == 0)
      return std::string("the result does not say which lanes messages of ") + option + "=" + word +
             " took";
  }
  return "";
}

FlowLanes::FlowLanes(const Graph& graph, const AttributeMap& root) : graph_(graph) {
  if (HasDimensions(graph) && IsInPhases(root)) routes_.emplace(graph);
}

std::uint16_t FlowLanes::LaneOf(NodeId from, NodeId to, std::uint16_t channel) const {
  const ScaleUpShape& shape = *graph_.scale_up();
  std::uint32_t lane = channel;
  for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
    const Dimension& dimension = shape.dimensions[d];
    if (lane >= dimension.lanes()) {
      lane -= dimension.lanes();
      continue;
    }
    const std::uint32_t size = dimension.size;
    const std::uint32_t up =
        (shape.CoordinateOf(to.value, d) + size - shape.CoordinateOf(from.value, d)) % size;
    const bool stays = dimension.queues() == dimension.lanes() || up == 1;
    const bool others_equal = to.value == from.value +
                                              shape.StrideOf(d) * shape.CoordinateOf(to.value, d) -
                                              shape.StrideOf(d) * shape.CoordinateOf(from.value, d);
    return stays && up != 0 && others_equal ? channel : ScaleUpRoutes::kAnyLane;
  }
  return ScaleUpRoutes::kAnyLane;
}

std::vector<Hop> FlowLanes::Trace(NodeId from, NodeId to, std::uint16_t channel) const {
  const std::uint16_t lane = LaneOf(from, to, channel);
  std::vector<Hop> path;
  for (NodeId at = from; at != to;) {
    path.push_back({at, routes_->Next(at, to, lane)});
    at = graph_.ports(at)[path.back().port.value].peer;
  }
  return path;
}

}  // namespace heddle
