// SPDX-License-Identifier: GPL-2.0-only
/// Paths through the dimensions of a scale-up fabric, by arithmetic.
///
/// A packet with a lane stays on it: on its ring, its parallel link or its switch, until it has the
/// destination's coordinate in that dimension. Other packets go by dimension order (Dally and
/// Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE ToC
/// 1987), the first dimension first; in a ring in the direction with fewer links, clockwise if both
/// are equal. Which of several lanes such a packet takes depends on its destination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

class ScaleUpRoutes {
 public:
  static constexpr std::uint16_t kAnyLane = 0xffff;  ///< FlowPost::kAnyLane

  /// `graph` has dimensions (Graph::scale_up) and the cables that MakeScaleUpGraph makes; it must
  /// outlive the routes. Throws UserError for one without.
  explicit ScaleUpRoutes(const Graph& graph);

  /// Returns the port by which `at`, an NPU or a switch, sends on a packet for the NPU
  /// `destination`, which it is not. `lane`: a lane's number, if `at` and `destination` differ in
  /// its dimension; or kAnyLane.
  PortId Next(NodeId at, NodeId destination, std::uint16_t lane) const;
  /// Returns the number of links that a packet crosses between two NPUs, by following Next().
  std::uint32_t Hops(NodeId from, NodeId to, std::uint16_t lane = kAnyLane) const;
  /// Returns the number of lanes of all dimensions; their numbers are below this.
  std::size_t lanes() const { return lanes_.size(); }
  /// Returns the bytes of its tables, without the graph.
  std::size_t memory() const;

 private:
  struct Place {
    std::uint16_t dimension = 0, lane = 0;  ///< lane of the dimension
  };

  /// Returns the coordinate of an NPU in dimension `d`, from a table.
  std::uint32_t CoordinateOf(NodeId npu, std::size_t d) const {
    return coordinates_[std::size_t{npu.value} * first_exit_.size() + d];
  }
  /// Returns where the ports of an NPU's dimension begin in exits_.
  std::size_t ExitsOf(NodeId npu, std::size_t d) const {
    return std::size_t{npu.value} * exits_per_npu_ + first_exit_[d];
  }
  /// Fills the exits of an NPU: the k-th cable of a kind in a dimension is lane k. Cables of rings
  /// that begin here run clockwise, cables that end here anticlockwise.
  void AddExits(NodeId npu);
  /// Fills the ports of a switch by its NPUs' coordinates. Requires the coordinates of all NPUs.
  void AddSwitch(NodeId node);
  /// Returns the first dimension in which two NPUs differ. Throws UserError if there is none.
  std::size_t DimensionBetween(NodeId a, NodeId b) const;
  /// Returns the dimension and lane of the next hop: the packet's own lane while it is needed, else
  /// by dimension order.
  Place PlaceOf(NodeId at, NodeId destination, std::uint16_t lane) const;
  /// Returns the lane of dimension `d` for a packet without one, by the number of the destination.
  std::uint16_t ChooseLane(NodeId at, NodeId destination, std::size_t d) const;

  const Graph& graph_;
  const ScaleUpShape& shape_;
  std::vector<std::size_t> first_exit_;     ///< by dimension
  std::vector<std::uint32_t> coordinates_;  ///< by NPU and dimension: each hop asks for several
  std::vector<Place> lanes_;                ///< by number of a lane
  std::size_t exits_per_npu_ = 0;
  std::vector<std::uint32_t> exits_;        ///< ports of NPUs
  std::vector<std::uint32_t> switch_line_;  ///< by switch: its dimension
  std::vector<std::size_t> first_down_;     ///< by switch: its ports in downs_
  std::vector<std::uint32_t> downs_;        ///< ports of switches, by coordinate
};

}  // namespace heddle
