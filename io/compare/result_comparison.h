// SPDX-License-Identifier: GPL-2.0-only
/// Compares two results: what is equal, and where and how much they differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/check/flow_summary.h"
#include "io/compare/column_difference.h"

namespace heddle {

struct ComparisonOptions {
  double tolerance = 0;  ///< relative, for floating-point numbers and times
  /// "flows", "flows/fct_ps", "seed", "transport.congestion_control".
  std::vector<std::string> ignore;
  std::size_t worst = 3;  ///< rows to show for each column
  bool with_run = false;  ///< whether to compare group /run, too
};

/// "-" if a file has no such attribute.
struct AttributeDifference {
  std::string name, a, b;
  bool counts = true;  ///< false: listed, but the results may still count as equal
};

struct TableDifference {
  std::string name;
  std::vector<std::string> structure;  ///< "column request: only in A"
  std::uint64_t matched = 0;           ///< number of common rows
  std::uint64_t only_a = 0, only_b = 0;
  std::string first_only_a, first_only_b;  ///< names of rows
  std::vector<ColumnDifference> columns;   ///< that differ

  /// Whether the tables differ at all, in columns or in rows.
  bool any() const { return !structure.empty() || only_a > 0 || only_b > 0 || !columns.empty(); }
};

struct ResultComparison {
  std::vector<AttributeDifference> attributes;
  std::vector<std::string> tables_only_a, tables_only_b;
  std::vector<TableDifference> tables;  ///< that differ
  std::size_t tables_compared = 0;      ///< in both, not ignored
  std::uint64_t rows_compared = 0;
  std::optional<FlowSummary> a, b;  ///< none if the file lacks the data for it

  /// Whether no table and no attribute that counts differs.
  bool equal() const;
};

/// Reads both files in blocks of rows. Throws UserError if a file cannot be read, UsageError if
/// `ignore` has a name that exists in neither.
ResultComparison CompareResults(const std::string& a, const std::string& b,
                                const ComparisonOptions& options);

}  // namespace heddle
