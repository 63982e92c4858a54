// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle sweep`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/app/launch/sweep_command/sweep_plot.h"

namespace heddle {

struct SweepArguments {
  std::string table, launcher, script;
  std::vector<std::string> sbatch, figures;
  std::optional<std::size_t> row;
  std::optional<std::uint32_t> ranks;
  std::uint32_t jobs = 0;  ///< 0: not given
  PlotWish plot;           ///< --plot, --x, --by
  bool dry_run = false, local = false, slurm = false, collect = false, force = false;
  bool json = false;
};

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParseSweepArguments(const std::vector<std::string>& arguments, SweepArguments* given);

}  // namespace heddle
