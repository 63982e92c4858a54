// SPDX-License-Identifier: GPL-2.0-only
/// Which links a collective loads, and how much, when all its messages go at one speed.
///
/// Messages between servers take the paths that they take as packets or fluids: by the source ports
/// of their connections, hashed at each switch, or spread where switches balance. Source ports are
/// given to connections as their collectives begin. NVLinks of a GPU are one link each way.
/// Not modelled: messages that have a connection of their own (collective.connections=own) take one
/// port for all messages of a channel.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/traffic/collective_loads.h"
#include "core/traffic/source_ports.h"
#include "transport/model/fluid/fluid_network.h"
#include "transport/model/nic/lasting_connections.h"
#include "transport/run/flow/fluid_paths.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

/// A stream: a fluid on many links at once.
struct StreamPlan {
  std::vector<FluidHop> hops;  ///< each link once, ascending; the most loaded ones have all of it
  FluidVolume volume = 0;      ///< on a link of the whole weight; 0: nothing is sent
};

class StreamPlans {
 public:
  /// `run` and `loads` must outlive it.
  StreamPlans(const FluidRun* run, CollectiveLoads* loads);

  /// Directions of all cables, and those of each GPU's NVLinks together.
  std::vector<FluidNetwork::Direction> Directions() const;
  /// The same cables by number; links beyond are NVLinks.
  const FluidPaths& paths() const { return paths_; }
  /// The GPU whose NVLinks a link beyond the cables stands for.
  NodeId GpuOf(std::uint32_t link) const { return gpus_[(link - paths_.links()) / 2]; }

  /// Returns the plan of a collective, made at the first call of its kind in the group. Valid as
  /// long as the object. Throws UserError if two of its ranks have no path to each other.
  const StreamPlan& PlanOf(const CollectiveCall& call);
  std::size_t memory() const;

  /// Saves the ports of connections; plans follow from them.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& connections_;
    for (SourcePorts& ports : ports_) archive& ports;
    if constexpr (Archive::is_loading::value) plans_.clear();
  }

 private:
  /// A collective of a group but for its number among the operations.
  struct Kind {
    std::uint64_t group = 0, spec = 0, bytes = 0, sizes = 0;

    friend bool operator==(const Kind& a, const Kind& b) {
      return a.group == b.group && a.spec == b.spec && a.bytes == b.bytes && a.sizes == b.sizes;
    }
  };
  struct Hash {
    std::size_t operator()(const Kind& kind) const;
  };

  static Kind KindOf(const CollectiveCall& call);
  StreamPlan Make(const CollectiveCall& call);
  void AddInside(const ConnectionLoad& load);
  void AddBetween(const CollectiveCall& call, const ConnectionLoad& load);
  void AddBytes(std::uint32_t link, std::int64_t bytes);

  const FluidRun& run_;
  CollectiveLoads* loads_;
  FluidPaths paths_;
  std::vector<NodeId> gpus_;           ///< with NVLinks
  std::vector<std::uint32_t> inside_;  ///< by node: number in gpus_
  std::vector<SourcePorts> ports_;     ///< by node
  LastingConnections connections_;
  std::unordered_map<Kind, StreamPlan, Hash> plans_;
  // While a plan is made.
  std::vector<std::int64_t> bytes_;  ///< by link
  std::vector<std::uint32_t> used_;  ///< links with bytes
  std::vector<FluidHop> path_;
};

}  // namespace heddle
