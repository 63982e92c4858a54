// SPDX-License-Identifier: GPL-2.0-only
/// Two results: what is equal, and where and how much they differ.
#ifndef HEDDLE_IO_CHECK_RESULT_COMPARISON_H_
#define HEDDLE_IO_CHECK_RESULT_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/check/column_difference.h"
#include "io/check/flow_summary.h"

namespace heddle {

struct ComparisonOptions {
  double tolerance = 0;  ///< relative, for floating-point numbers and times
  std::vector<std::string>
      ignore;             ///< "flows", "flows/fct_ps", "seed", "transport.congestion_control"
  std::size_t worst = 3;  ///< rows to show a column
  bool with_run = false;  ///< the group /run, too
};

/// "-" where a file has no such attribute.
struct AttributeDifference {
  std::string name, a, b;
  bool counts = true;  ///< false: named only
};

struct TableDifference {
  std::string name;
  std::vector<std::string> structure;  ///< "column request: only in A"
  std::uint64_t matched = 0;           ///< rows that both have
  std::uint64_t only_a = 0, only_b = 0;
  std::string first_only_a, first_only_b;  ///< names of rows
  std::vector<ColumnDifference> columns;   ///< that differ

  bool any() const { return !structure.empty() || only_a > 0 || only_b > 0 || !columns.empty(); }
};

struct ResultComparison {
  std::vector<AttributeDifference> attributes;
  std::vector<std::string> tables_only_a, tables_only_b;
  std::vector<TableDifference> tables;  ///< that differ
  std::size_t tables_compared = 0;      ///< in both, not ignored
  std::uint64_t rows_compared = 0;
  std::optional<FlowSummary> a, b;  ///< unless the file lacks what they are made of

  bool equal() const;
};

/// Reads both files, a block of rows at a time. Throws UserError if one cannot be read, UsageError
/// if `ignore` has a name that neither has.
ResultComparison CompareResults(const std::string& a, const std::string& b,
                                const ComparisonOptions& options);

}  // namespace heddle

#endif  // HEDDLE_IO_CHECK_RESULT_COMPARISON_H_
