// SPDX-License-Identifier: GPL-2.0-only
/// Compares completion times of SimAI and heddle, and collects the table that the validation
/// prints.
#pragma once

#include <map>
#include <string>

#include "tests/validation/simai_case.h"

namespace heddle::testing {

/// SimAI's results, from fct.txt.
using Answers = std::map<FlowName, FlowTimes>;

struct FlowPicoseconds {
  std::int64_t start = 0, fct = 0, ideal = 0;
};
using OwnAnswers = std::map<FlowName, FlowPicoseconds>;

/// heddle's results from the table of flows, with ideal times by SimAI's formula if `metrics` are
/// given. Throws if a flow did not finish.
OwnAnswers AnswersOf(const Table& flows, const PathMetrics* metrics = nullptr, Bytes payload = {});

std::string Text(const FlowName& name);

/// Compares two sets of results for the same input.
struct FctComparison {
  std::size_t flows = 0, equal = 0;       ///< equal: to the nanosecond
  double simai_slowest = 0, slowest = 0;  ///< [ns]
  double simai_mean = 0, mean = 0;        ///< [ns]
  double largest = 0;  ///< largest difference of a flow, as a share of SimAI's time
  FlowName largest_flow;

  double slowest_difference() const { return slowest / simai_slowest - 1; }
  double mean_difference() const { return mean / simai_mean - 1; }
};

/// Throws if the flows are not the same.
FctComparison Compare(const Answers& simai, const OwnAnswers& own);

/// A row of the table. `bound` is text, `difference` a share.
struct TableRow {
  std::string name, mode, bound;
  FctComparison figures;
  const char* which = "";  ///< what `difference` refers to
  double difference = 0;
  std::string remark;
};

/// The rows are printed together when all tests have run.
void AddRow(const TableRow& row);

}  // namespace heddle::testing
