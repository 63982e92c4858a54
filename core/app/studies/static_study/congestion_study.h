// SPDX-License-Identifier: GPL-2.0-only
/// Many runs of one pattern on static paths, shared among ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/app/studies/static_study/host_choice.h"
#include "core/mpi/communicator.h"
#include "core/patterns/level_patterns.h"
#include "topology/load/run_load.h"
#include "topology/load/static_paths.h"

namespace heddle {

struct CongestionRequest {
  PatternRequest pattern;
  std::shared_ptr<const HostChoice> hosts;  ///< never null when a study begins
  LoadOptions load;
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;  ///< of what patterns draw
};

struct CongestionStudy {
  std::vector<LoadFigures> runs;  ///< by number of the run
  LoadTotals totals;
};

/// What one run of a request is made of.
struct RunSetup {
  std::unique_ptr<LevelPattern> pattern;  ///< after BeginRun()
  std::vector<std::uint32_t> mapping;     ///< host by rank
};
/// Depends on nothing but the arguments.
RunSetup SetUpRun(const CongestionRequest& request, std::uint64_t run);

/// Collective. The whole study at the root, equal to the bit on any number of ranks; an empty one
/// elsewhere. Of N ranks, rank r plays the runs r, r + N, r + 2 N and so on; each run has random
/// streams of its own.
/// `show_progress`: at the root, a line to standard error. Throws SharedError on all ranks.
CongestionStudy StudyCongestion(const StaticPaths& paths, const CongestionRequest& request,
                                const Communicator& world, bool show_progress = false);

}  // namespace heddle
