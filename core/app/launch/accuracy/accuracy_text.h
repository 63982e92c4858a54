// SPDX-License-Identifier: GPL-2.0-only
/// How far one backend is from another, as text.
#pragma once

#include <string>
#include <vector>

#include "io/analysis/result_accuracy.h"
#include "io/table/json_document.h"

namespace heddle {

/// Two runs that were compared.
struct ComparedRuns {
  std::string fabric, workload;                     ///< as given
  std::string reference, other;                     ///< backends
  double reference_seconds = 0, other_seconds = 0;  ///< of wall-clock time, set-up included
  double packet_hops = 0;                           ///< of the reference
  ResultAccuracy accuracy;
};

/// Describes the runs for people. Whole lines.
std::string AccuracyText(const ComparedRuns& runs);

/// Returns the object of --json, of all runs that were compared.
OrderedJson AccuracyDocument(const std::vector<ComparedRuns>& all);

/// Returns the columns of AccuracyLines(), as a line of CSV.
std::string AccuracyHeader();
/// Returns a line of CSV for the step and for each kind of collective.
std::string AccuracyLines(const ComparedRuns& runs);

}  // namespace heddle
