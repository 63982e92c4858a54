// SPDX-License-Identifier: GPL-2.0-only
/// Checks one table of a result against the schema: columns, types, units, values, order of rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/check/column_values.h"
#include "io/result/result_reader.h"
#include "io/schema/result_schema.h"

namespace heddle {

/// A deviation of a file from docs/formats/result.md.
struct Finding {
  std::string place;  ///< "/flows/fct_ps", "attribute seed"
  std::string text;   ///< what was found. Expected: ...
};

/// The optional contents that a file must have according to its attributes.
struct ResultKind {
  bool jobs = false, controller = false;
  std::vector<std::string> monitors;  ///< "queues", "pfc"
  bool cut = false;                   ///< whether the file is incomplete: its run did not end
};

/// Whether a table or a column is required (`must`) or allowed (`may`).
struct Presence {
  bool must, may;
};
/// Returns what `kind` implies. `table`: of a monitor, whose last part is the monitor's name.
Presence PresenceOf(Present present, const std::string& table, const ResultKind& kind);

/// Checks names, types, units and descriptions of the columns. Returns whether all agree with the
/// schema.
bool ValidateColumns(const TableSchema& schema, const Table& header, const ResultKind& kind,
                     std::vector<Finding>* findings);

/// Reads all rows in blocks and checks values and order; also passes each block to `also`. Requires
/// that ValidateColumns found nothing. Returns the number of rows.
std::uint64_t ValidateRows(const ResultReader& reader, const TableSchema& schema,
                           const ValueBounds& bounds, const std::function<void(const Table&)>& also,
                           std::vector<Finding>* findings);

}  // namespace heddle
