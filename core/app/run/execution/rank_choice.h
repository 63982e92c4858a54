// SPDX-License-Identifier: GPL-2.0-only
/// `heddle run --ranks N|auto`: one command for all cores of a workstation. The process becomes
/// `mpirun -n N heddle run ...`, so nobody need know MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/app/base/processes/launch_limits.h"

namespace heddle {

/// The value of --ranks, which is taken out of the words; none: it is not there. Throws UsageError
/// if it has no value, or is there twice.
std::optional<std::string> TakeRanks(std::vector<std::string>* words);

/// What a run on some ranks would take.
struct RankForecast {
  double seconds = 0;            ///< on one rank
  std::uint32_t busy_ranks = 1;  ///< ranks with domains, if all cores had one
  std::uint32_t gpus = 0;        ///< of the fabric
};

/// A number of ranks and the reason for it.
struct RankChoice {
  std::uint32_t ranks = 1;
  std::string reason;  ///< "about 12 s on 1 rank, 7 s on 2"
};

/// Returns the number of ranks, up to `cores`, that ends first by the estimate: starting MPI takes
/// time, too. As many as have domains, at most.
RankChoice ChooseRanks(const RankForecast& forecast, std::uint32_t cores);

/// Returns the command that runs `words`, the arguments behind "run", on the ranks that `value`, a
/// number or "auto", asks for; empty: this process runs them, on one rank. Says on standard error
/// why, unless the words ask for quiet. Throws UsageError for a value that is no number of ranks or
/// more than this machine has room for, within mpirun, and for "auto" within a batch job; UserError
/// for inputs.
std::vector<std::string> CommandOnRanks(const std::string& value,
                                        const std::vector<std::string>& words,
                                        const LaunchPlace& place);

}  // namespace heddle
