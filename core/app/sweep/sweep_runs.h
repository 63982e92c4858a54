// SPDX-License-Identifier: GPL-2.0-only
/// The runs that a table stands for: every combination of what it varies, each with a name that
/// only its own values make.
#ifndef HEDDLE_CORE_APP_SWEEP_SWEEP_RUNS_H_
#define HEDDLE_CORE_APP_SWEEP_SWEEP_RUNS_H_

#include <string>
#include <vector>

#include "core/app/sweep/sweep_table.h"

namespace heddle {

struct SweepRun {
  std::string name;    ///< "rail_1MiB_CC_MODE-3": a word a varied key, in the table's order
  std::string result;  ///< OUTPUT/NAME.h5
  std::vector<std::string> words;  ///< arguments of `heddle run`, without the command's name
  std::vector<std::string>
      values;  ///< of the axes, as in the table (files by their names), in their order
  std::string workload_file;  ///< of a `collective`: written before the run; empty if there is none
  std::string workload_text;
};

/// All runs; the last axis changes fastest, so that the number of a run is its place. Throws
/// UserError naming table and run for combinations that `heddle run` refuses, two runs of one name,
/// names that are too long, and too many runs.
std::vector<SweepRun> ExpandSweep(const SweepTable& table);

/// Whether the run's result is there and whole. Throws nothing: a damaged file is none.
bool IsDone(const SweepRun& run);

/// What a whole result was made of other than what the run is now, in words: the table or a file
/// was changed since. Empty if nothing. Files that are not there any more are not compared. Throws
/// UserError if the result cannot be read.
std::string FindChange(const SweepRun& run);

/// Writes the run's workload if it has one and it is not there yet. Creates folders. Throws
/// FileError.
void WriteInputs(const SweepRun& run);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SWEEP_SWEEP_RUNS_H_
