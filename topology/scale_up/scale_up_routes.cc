// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/scale_up_routes.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNoPort = ScaleUpShape::kNoPort;

/// Ports of an NPU in a dimension: one a lane, or one a lane and peer.
std::size_t ExitsIn(const Dimension& dimension) {
  return dimension.kind == Dimension::Kind::kFullyConnected
             ? std::size_t{dimension.lanes()} * dimension.size
             : dimension.lanes();
}

const ScaleUpShape& ShapeOf(const Graph& graph) {
  if (graph.scale_up() == nullptr || graph.scale_up()->dimensions.empty())
    throw UserError("a fabric without dimensions. Expected: a scale-up fabric");
  return *graph.scale_up();
}

}  // namespace

ScaleUpRoutes::ScaleUpRoutes(const Graph& graph) : graph_(graph), shape_(ShapeOf(graph)) {
  for (std::size_t d = 0; d < shape_.dimensions.size(); ++d) {
    const Dimension& dimension = shape_.dimensions[d];
    first_exit_.push_back(exits_per_npu_);
    exits_per_npu_ += ExitsIn(dimension);
    for (std::uint32_t lane = 0; lane < dimension.lanes(); ++lane)
      lanes_.push_back({static_cast<std::uint16_t>(d), static_cast<std::uint16_t>(lane)});
  }
  const std::uint32_t npus = graph.gpu_count();
  for (std::uint32_t npu = 0; npu < npus; ++npu) {
    for (std::size_t d = 0; d < first_exit_.size(); ++d)
      coordinates_.push_back(shape_.CoordinateOf(npu, d));
  }
  switch_line_.assign(graph.node_count() - npus, 0);
  first_down_.assign(graph.node_count() - npus, 0);
  for (std::uint32_t node = npus; node < graph.node_count(); ++node) AddSwitch(NodeId(node));
  exits_.assign(exits_per_npu_ * npus, kNoPort);
  for (std::uint32_t npu = 0; npu < npus; ++npu) AddExits(NodeId(npu));
}

std::size_t ScaleUpRoutes::DimensionBetween(NodeId a, NodeId b) const {
  const std::size_t dimensions = first_exit_.size();
  const std::uint32_t* const from = &coordinates_[std::size_t{a.value} * dimensions];
  const std::uint32_t* const to = &coordinates_[std::size_t{b.value} * dimensions];
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (from[d] != to[d]) return d;
  }
  throw UserError(fmt::format("a link from {} to itself", Describe(graph_, a)));
}

void ScaleUpRoutes::AddSwitch(NodeId node) {
  const std::vector<Attachment>& ports = graph_.ports(node);
  const std::uint32_t index = node.value - graph_.gpu_count();
  first_down_[index] = downs_.size();
  if (ports.size() < 2) return;
  const std::size_t d = DimensionBetween(ports[0].peer, ports[1].peer);
  switch_line_[index] = static_cast<std::uint32_t>(d);
  downs_.resize(downs_.size() + shape_.dimensions[d].size, kNoPort);
  for (std::uint32_t port = 0; port < ports.size(); ++port)
    downs_[first_down_[index] + CoordinateOf(ports[port].peer, d)] = port;
}

/// The k-th cable of a kind in a dimension is lane k: in rings, cables that begin here run
/// clockwise, cables that end here anticlockwise.
void ScaleUpRoutes::AddExits(NodeId npu) {
  const std::vector<Attachment>& ports = graph_.ports(npu);
  const std::size_t dimensions = shape_.dimensions.size();
  std::vector<std::uint32_t> clockwise(dimensions, 0), anticlockwise(dimensions, 0);
  std::vector<std::uint32_t> parallel(exits_per_npu_, 0);  // by dimension and coordinate
  for (std::uint32_t port = 0; port < ports.size(); ++port) {
    const NodeId peer = ports[port].peer;
    if (!graph_.is_gpu(peer)) {
      const std::size_t d = switch_line_[peer.value - graph_.gpu_count()];
      exits_[ExitsOf(npu, d) + clockwise[d]++] = port;
      continue;
    }
    const std::size_t d = DimensionBetween(npu, peer);
    const Dimension& dimension = shape_.dimensions[d];
    if (dimension.kind == Dimension::Kind::kFullyConnected) {
      const std::uint32_t other = CoordinateOf(peer, d);
      const std::size_t slot = first_exit_[d] + std::size_t{other} * dimension.lanes();
      exits_[ExitsOf(npu, d) + std::size_t{other} * dimension.lanes() + parallel[slot]++] = port;
    } else if (graph_.link(ports[port].link).a == npu) {
      if (clockwise[d] < dimension.clockwise) exits_[ExitsOf(npu, d) + clockwise[d]] = port;
      ++clockwise[d];
    } else {
      if (anticlockwise[d] < dimension.anticlockwise)
        exits_[ExitsOf(npu, d) + dimension.clockwise + anticlockwise[d]] = port;
      ++anticlockwise[d];
    }
  }
}

std::uint16_t ScaleUpRoutes::ChooseLane(NodeId at, NodeId destination, std::size_t d) const {
  const Dimension& dimension = shape_.dimensions[d];
  if (dimension.kind != Dimension::Kind::kRing)
    return static_cast<std::uint16_t>(destination.value % dimension.lanes());
  const std::uint32_t n = dimension.size;
  const std::uint32_t up = (CoordinateOf(destination, d) + n - CoordinateOf(at, d)) % n;
  const bool clockwise = dimension.anticlockwise == 0 || (dimension.clockwise != 0 && 2 * up <= n);
  // A packet half of the ring away keeps its direction: each hop shortens the rest.
  return static_cast<std::uint16_t>(clockwise ? destination.value % dimension.clockwise
                                              : dimension.clockwise +
                                                    destination.value % dimension.anticlockwise);
}

ScaleUpRoutes::Place ScaleUpRoutes::PlaceOf(NodeId at, NodeId destination,
                                            std::uint16_t lane) const {
  if (lane != kAnyLane) {
    const Place place = lanes_[lane];
    if (CoordinateOf(at, place.dimension) != CoordinateOf(destination, place.dimension))
      return place;
  }
  const auto d = static_cast<std::uint16_t>(DimensionBetween(at, destination));
  return {d, ChooseLane(at, destination, d)};
}

PortId ScaleUpRoutes::Next(NodeId at, NodeId destination, std::uint16_t lane) const {
  if (!graph_.is_gpu(at)) {
    const std::uint32_t index = at.value - graph_.gpu_count();
    const std::size_t d = switch_line_[index];
    return PortId(downs_[first_down_[index] + CoordinateOf(destination, d)]);
  }
  const Place place = PlaceOf(at, destination, lane);
  const Dimension& dimension = shape_.dimensions[place.dimension];
  std::size_t exit = ExitsOf(at, place.dimension) + place.lane;
  if (dimension.kind == Dimension::Kind::kFullyConnected)
    exit += std::size_t{CoordinateOf(destination, place.dimension)} * dimension.lanes();
  return PortId(exits_[exit]);
}

std::uint32_t ScaleUpRoutes::Hops(NodeId from, NodeId to, std::uint16_t lane) const {
  std::uint32_t hops = 0;
  for (NodeId at = from; at != to; ++hops) at = graph_.ports(at)[Next(at, to, lane).value].peer;
  return hops;
}

std::size_t ScaleUpRoutes::memory() const {
  return MemoryOf(first_exit_) + MemoryOf(coordinates_) + MemoryOf(lanes_) + MemoryOf(exits_) +
         MemoryOf(switch_line_) + MemoryOf(first_down_) + MemoryOf(downs_);
}

}  // namespace heddle
