// SPDX-License-Identifier: GPL-2.0-only
/// The comparison itself: runs, table, sentences, page.
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/fabrics/fabric_arguments.h"
#include "core/app/launch/fabrics/fabric_files.h"
#include "core/app/launch/fabrics/fabric_text.h"

namespace heddle {

struct Comparison {
  int code = 0;                       ///< exit code of the first run that failed, or 0
  std::vector<FabricResult> results;  ///< in the order of the fabrics; empty if a run failed
  std::string page;                   ///< file; empty if a run failed
};

/// Returns all files that CompareFabrics() writes: fabrics, results, logs, page.
std::vector<std::string> FilesOfComparison(const FabricArguments& given,
                                           const std::vector<ComparedFabric>& fabrics);

/// Runs the workload on all fabrics, unless they have complete results of it. Prints notes, a line
/// for each run, the table and the verdicts, and writes the page. `fabrics`: of ChooseFabrics().
/// Throws UsageError for too many processes, FileError for files that exist with other contents and
/// for a program without charts, and UserError for results that are none.
Comparison CompareFabrics(const FabricArguments& given, const std::vector<ComparedFabric>& fabrics);

}  // namespace heddle
