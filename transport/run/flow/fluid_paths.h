// SPDX-License-Identifier: GPL-2.0-only
/// The paths of flows as fluids need them: links by number, and the times that packets would take.
///
/// Links are numbered by direction: those of a node's ports follow each other, nodes in their
/// order. A path is the one that packets take: the source chooses a port by the flow, switches by
/// the hash of its ends and ports, or by packet; then all equal next hops carry the same part of
/// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "topology/paths/path_tracer.h"
#include "transport/model/fluid/fluid_network.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

/// What a lone flow takes, packet by packet (as IdealTimes in transport/domain/state/ideal_time.h).
struct FluidTimes {
  Time there;  ///< from its start to the arrival of its last byte
  Time back;   ///< from there to the last ACK at its source
  /// From the moment at which its last byte leaves the narrowest link, as a fluid, to its arrival:
  /// delays, and a packet's time on the other links. There - volume / rate of the narrowest link.
  Time after;
};

/// Of a flow and of its ACKs.
struct FluidPath {
  struct Hop {
    BitRate rate;
    Time delay;
  };
  std::vector<FluidHop> there, back;       ///< links; of sprayed flows, with their parts
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

  /// Finds the path of a flow. Throws UserError if there is none.
  FluidPath Find(NodeId source, NodeId destination, std::uint16_t source_port,
                 std::uint16_t destination_port) const;
  /// Bytes on each link of its path, headers included, of a flow with this payload; and packets.
  std::int64_t WireBytes(NodeId source, NodeId destination, std::int64_t size) const;
  std::int64_t Packets(NodeId source, NodeId destination, std::int64_t size) const;
  /// Valid until the next call.
  const FluidTimes& TimesOf(FluidPath* path, NodeId source, NodeId destination,
                            std::int64_t size) const;
  std::size_t memory() const;

 private:
  void Follow(const NicFlow& flow, std::vector<FluidHop>* links,
              std::vector<FluidPath::Hop>* hops) const;
  FluidTimes FindTimes(const FluidPath& path, NodeId source, NodeId destination,
                       std::int64_t size) const;
  FluidWindow WindowOf(const FluidPath& path, NodeId source, NodeId destination) const;
  void Spray(NodeId from, NodeId to, std::vector<FluidHop>* links) const;
  Time Wire(BitRate rate, std::int64_t bytes) const;

  const FluidRun& run_;
  std::vector<std::uint32_t> first_link_;  ///< by node, and the end
};

}  // namespace heddle
