// SPDX-License-Identifier: GPL-2.0-only
/// Arguments of `heddle accuracy`.
#pragma once

#include <string>
#include <vector>

#include "core/app/base/cli/parse_arguments.h"
#include "core/app/launch/sweep/sweep_runs.h"

namespace heddle {

struct AccuracyArguments {
  std::vector<std::string> fabrics, workloads;
  std::string calibration;  ///< for the backends that take it; empty: none
  std::string backends = "packet,analytical";
  std::string folder = "accuracy", csv;
  std::vector<std::string> settings;  ///< --set of each run
  std::string like;
  bool force = false, json = false;
};

/// Declares the flags, which write to `given`.
void AddArguments(CLI::App* app, AccuracyArguments* given);

/// Returns the backends after --backends, each a name or NAME:KEY=VALUE, of which the first is the
/// reference. Throws UsageError unless there are two or more, all known and different.
std::vector<std::string> BackendsOf(const AccuracyArguments& given);

/// Returns the run of a workload on a fabric, with the result FOLDER/FABRIC_WORKLOAD_BACKEND.h5.
SweepRun RunOf(const AccuracyArguments& given, const std::string& fabric,
               const std::string& workload, const std::string& backend);

}  // namespace heddle
