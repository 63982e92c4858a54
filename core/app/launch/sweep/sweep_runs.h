// SPDX-License-Identifier: GPL-2.0-only
/// The runs of a table: every combination of its varied values.
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/sweep_table/sweep_table.h"
#include "core/app/run/arguments/input_files.h"

namespace heddle {

struct SweepRun {
  std::string name;                ///< "rail_1MiB_dcqcn" (core/app/launch/sweep/sweep_names.h)
  std::string result;              ///< OUTPUT/NAME.h5
  std::vector<std::string> words;  ///< arguments of `heddle run`, without the command's name
  /// Values of the axes as in the table (files by their names), in the order of the axes.
  std::vector<std::string> values;
  std::string workload_file;  ///< of a `collective`: written before the run; empty otherwise
  std::string workload_text;
  std::vector<std::string> shown = {};  ///< `values` as people read them: "64 KiB", labels
};

/// Returns all runs; the last axis changes fastest, so the index of a run is its number. Throws
/// UserError with table and run for combinations that `heddle run` refuses, two runs of the same
/// name, names that are too long, and too many runs.
std::vector<SweepRun> ExpandSweep(const SweepTable& table);

/// Whether the run's result exists and is complete. Does not throw: a damaged file counts as
/// missing.
bool IsDone(const SweepRun& run);

/// Returns a text about the inputs of a complete result that differ from the run's, because the
/// table or a file was changed; empty if none differ. Files that no longer exist are not compared.
/// Throws UserError if the result cannot be read.
std::string FindChange(const SweepRun& run);

/// Returns the files that the run reads, except the workload of a `collective`.
std::vector<InputFile> InputsOf(const SweepRun& run);

/// Writes the run's workload if it has one that does not exist yet. Creates folders. Throws
/// FileError; also for an existing file with another workload, of what the table said before,
/// unless `force`.
void WriteInputs(const SweepRun& run, bool force);

}  // namespace heddle
