// SPDX-License-Identifier: GPL-2.0-only
/// What dividing messages over queue pairs can gain: even parts against the best ones, on the paths
/// that hashes of drawn source ports give (docs/models/static_congestion.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/studies/static_study/congestion_study.h"
#include "core/mpi/communicator.h"
#include "topology/load/graph_paths.h"

namespace heddle {

inline constexpr std::uint32_t kMostQueuePairs = 1024;

/// Paths of a run's queue pairs at most, which take about a gigabyte.
inline constexpr std::uint64_t kMostPaths = 10'000'000;

/// Shares by run: the time that the hosts' cables need alone over that of the fullest cable, so of
/// all messages of the pattern, in all its levels, at once. In (0, 1].
struct QueuePairSplit {
  std::uint32_t queue_pairs = 0;  ///< of a message; 0: no study
  std::vector<double> even, best;
  double tolerance = 0;  ///< by how much the best shares may be too small at most
};

/// Collective. Run r has the source ports of `heddle run --seed (seed + r)` with
/// nic.source_ports=random. Equal on any number of ranks. With LoadOptions::unit_links all cables
/// count alike. `show_progress`: at the root, a line to standard error. Throws SharedError on all
/// ranks: messages without a path.
QueuePairSplit StudyQueuePairs(const GraphPaths& paths, const CongestionRequest& request,
                               std::uint32_t queue_pairs, const Communicator& world,
                               bool show_progress = false);

/// Throws UserError if a run has more paths than kMostPaths.
void CheckQueuePairs(const CongestionRequest& request, std::uint32_t queue_pairs);

/// Describes what even parts reach and what the best ones would; whole lines.
std::string QueuePairText(const QueuePairSplit& split);

}  // namespace heddle
