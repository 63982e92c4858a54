// SPDX-License-Identifier: GPL-2.0-only
/// Checks inputs before runs are started: what `heddle run` would refuse at once is said before a
/// folder is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"

namespace heddle {

/// A file that will be there when the run starts.
struct FutureFile {
  std::string path, text;
};

/// Reads all inputs of `heddle run WORDS` on so many ranks, as the run would, and returns its
/// warnings. Texts of `future` are read instead of files. Throws the Error with which the run would
/// end.
std::vector<std::string> CheckRun(const std::vector<std::string>& words, std::uint32_t ranks,
                                  const std::vector<FutureFile>& future = {});

/// Throws FileError if `folder`, or what stands where a folder above it would be, is none.
void CheckFolder(const std::string& folder);

/// Returns the runs that must be checked so that each value, and each combination of files, is:
/// ascending indices.
std::vector<std::size_t> RunsToCheck(const std::vector<SweepRun>& runs);

}  // namespace heddle
