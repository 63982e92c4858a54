// SPDX-License-Identifier: GPL-2.0-only
/// Ways through the dimensions of a scale-up fabric, by arithmetic.
///
/// A packet with a lane stays on it: on its ring, its parallel link or its switch, until it has the
/// destination's coordinate in that dimension. Other packets go by dimension order (Dally and
/// Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE ToC
/// 1987), the first dimension first; in a ring the shorter way, clockwise if both are equal. Which
/// of several lanes such a packet takes depends on its destination.
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

  /// The port by which `at`, an NPU or a switch, sends on a packet for the NPU `destination`, which
  /// it is not. `lane`: a lane's number, if `at` and `destination` differ in its dimension; or
  /// kAnyLane.
  PortId Next(NodeId at, NodeId destination, std::uint16_t lane) const;
  /// Links on the way.
  std::uint32_t Hops(NodeId from, NodeId to, std::uint16_t lane = kAnyLane) const;
  /// Lanes of all dimensions; their numbers are below this.
  std::size_t lanes() const { return lanes_.size(); }
  std::size_t memory() const;

 private:
  struct Place {
    std::uint16_t dimension = 0, lane = 0;  ///< lane of the dimension
  };

  std::uint32_t CoordinateOf(NodeId npu, std::size_t d) const {
    return coordinates_[std::size_t{npu.value} * first_exit_.size() + d];
  }
  /// Where ports of an NPU's dimension begin in exits_.
  std::size_t ExitsOf(NodeId npu, std::size_t d) const {
    return std::size_t{npu.value} * exits_per_npu_ + first_exit_[d];
  }
  void AddExits(NodeId npu);
  void AddSwitch(NodeId node);
  std::size_t DimensionBetween(NodeId a, NodeId b) const;
  Place PlaceOf(NodeId at, NodeId destination, std::uint16_t lane) const;
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
