// SPDX-License-Identifier: GPL-2.0-only
/// The paths of flows as fluids need them: links by number, and the times that packets would take.
///
/// Links are numbered by direction: those of a node's ports follow each other, nodes in their
/// order. A path is the one that packets take now (fluid_routes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "topology/paths/path_tracer.h"
#include "transport/model/fluid/fluid_network.h"
#include "transport/run/flow/fluid_routes.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

/// What a lone flow takes, packet by packet (as IdealTimes in transport/domain/state/ideal_time.h).
struct FluidTimes {
  Time there;  ///< from its start to the arrival of its last byte
  Time back;   ///< from there to the last ACK at its source
  /// From the moment at which its last byte leaves the narrowest link, as a fluid, to its arrival:
  /// delays, and a packet's time on the other links. There - volume / rate of the narrowest link.
  Time after;
  Time ideal;  ///< there + back, if all links had their best rates
};

/// Of a flow and of its ACKs.
struct FluidPath {
  struct Hop {
    BitRate rate, best;  ///< now, and the highest that it ever has
    Time delay;
  };
  bool open = false;                  ///< both ways lead to the other end, over links that are up
  std::vector<FluidHop> there, back;  ///< links; of sprayed flows, with their parts
  std::vector<Hop> hops_there, hops_back;  ///< of one of its paths, from end to end
  FluidWindow window;                      ///< none if flows have no window
  // Kept by FluidPaths: flows of a connection are often alike.
  std::int64_t known_size = 0;
  FluidTimes known;  ///< of a flow of this size > 0
};

class FluidPaths {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// `run` must outlive it.
  explicit FluidPaths(const FluidRun* run);

  /// Directions of all cables, by link number.
  std::vector<FluidNetwork::Direction> Directions() const;
  std::uint32_t links() const { return first_link_.back(); }
  /// Number of a node's first port; there is one for the end.
  std::uint32_t first_link(NodeId node) const { return first_link_[node.value]; }

  /// What an instant of FluidRun::instants changes; they come in order.
  void Apply(std::size_t instant) { routes_.Apply(instant); }
  const FluidRoutes& routes() const { return routes_; }
  /// When each direction of a cable marks now, by link number. Needs FluidRun::ecn.
  std::vector<EcnTable::Thresholds> Marks() const;
  EcnTable::Thresholds MarksOf(NodeId node, LinkId link) const;
  /// The node and its port from which a link leads away.
  std::pair<NodeId, PortId> PortOf(std::uint32_t link) const;
  /// What a direction of a cable carries now.
  FluidRate RateOf(std::uint32_t link) const;
  /// Finds the path of a flow, which is not open if there is none.
  FluidPath Find(NodeId source, NodeId destination, std::uint16_t source_port,
                 std::uint16_t destination_port) const;
  /// Appends the links on the way there, of sprayed flows with their parts. Returns whether they
  /// lead to the other end.
  bool FindLinks(NodeId source, NodeId destination, std::uint16_t source_port,
                 std::uint16_t destination_port, std::vector<FluidHop>* links) const {
    hops_.clear();
    return Follow({source, destination, source_port, destination_port}, /*data=*/true, links,
                  &hops_);
  }
  /// Bytes on each link of its path, headers included, of a flow with this payload; and packets.
  std::int64_t WireBytes(NodeId source, NodeId destination, std::int64_t size) const;
  std::int64_t Packets(NodeId source, NodeId destination, std::int64_t size) const;
  /// Valid until the next call.
  const FluidTimes& TimesOf(FluidPath* path, NodeId source, NodeId destination,
                            std::int64_t size) const;
  std::size_t memory() const;

 private:
  using Parts = std::map<NodeId, FluidWeight>;
  /// Whether all of it arrives. `data`: no ACKs.
  bool Follow(const NicFlow& flow, bool data, std::vector<FluidHop>* links,
              std::vector<FluidPath::Hop>* hops) const;
  bool Spread(const NicFlow& flow, bool data, std::vector<FluidHop>* links) const;
  FluidTimes FindTimes(const FluidPath& path, NodeId source, NodeId destination,
                       std::int64_t size) const;
  /// From the first bit of a flow to the arrival of its last one. `rate`: of FluidPath::Hop.
  Time TimeThere(const FluidPath& path, BitRate FluidPath::Hop::*rate, NodeId source,
                 NodeId destination, std::int64_t size) const;
  Time TimeBack(const FluidPath& path, BitRate FluidPath::Hop::*rate) const;
  FluidWindow WindowOf(const FluidPath& path, NodeId source, NodeId destination) const;
  Time Wire(BitRate rate, std::int64_t bytes) const;

  const FluidRun& run_;
  FluidRoutes routes_;
  std::vector<std::uint32_t> first_link_;     ///< by node, and the end
  mutable std::vector<FluidPath::Hop> hops_;  ///< scratch
};

}  // namespace heddle
