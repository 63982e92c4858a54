// SPDX-License-Identifier: GPL-2.0-only
/// The findings of `heddle analyze collisions` about one result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/collisions/collision_analysis.h"
#include "io/collisions/flow_comparison.h"
#include "io/collisions/flow_paths.h"
#include "io/collisions/spine_load.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Collisions of flows between servers on the ports of switches, without the last hops to GPUs.
struct CollisionCounts {
  std::uint64_t pairs = 0;         ///< of flows; a pair counts once, for any number of shared ports
  std::uint32_t ports_used = 0;    ///< with a flow
  std::uint32_t ports = 0;         ///< with two or more flows
  std::uint32_t most_on_port = 0;  ///< flows
  std::int64_t shared_ps = 0;      ///< time with two or more flows, summed over ports
};

/// Counts for the same paths, with and without regard to time.
struct CollisionFigures {
  CollisionCounts any_time;  ///< shared_ps: 0
  CollisionCounts at_once;
};

struct CollisionStudy {
  std::string file;
  Graph graph;
  Table flows;
  bool topology_changed = false;    ///< links failed or changed during the run
  std::size_t between_servers = 0;  ///< flows
  std::size_t unfinished = 0;       ///< flows
  CollisionAnalysis over_time;      ///< of the flows at their simulated times
  CollisionFigures figures;
  std::vector<SpineTier> spines;
  CompletionFigures completion;
  bool controlled = false;                         ///< the run had the central controller
  std::size_t chosen = 0;                          ///< flows whose source port it chose
  std::int64_t mean_wait_ps = 0, max_wait_ps = 0;  ///< time that flows waited for the controller
  /// With a controller: counts for the hosts' own source ports, at the same times.
  std::optional<CollisionFigures> own_ports;
};

/// Reads a result and analyses it. Throws UserError with the file's name if it is no result, lacks
/// a table or a column, or does not keep its flows.
CollisionStudy StudyCollisions(const std::string& file);

}  // namespace heddle
