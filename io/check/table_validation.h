// SPDX-License-Identifier: GPL-2.0-only
/// One table of a result against the schema: columns, types, units, values, order of rows.
#ifndef HEDDLE_IO_CHECK_TABLE_VALIDATION_H_
#define HEDDLE_IO_CHECK_TABLE_VALIDATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/check/column_values.h"
#include "io/result/result_reader.h"
#include "io/result/result_schema.h"

namespace heddle {

/// Something in a file that is not as docs/formats/result.md says.
struct Finding {
  std::string place;  ///< "/flows/fct_ps", "attribute seed"
  std::string text;   ///< what was found. Expected: ...
};

/// Which optional parts a file has to have, from its attributes.
struct FileKind {
  bool jobs = false, controller = false;
  std::vector<std::string> monitors;  ///< "queues", "pfc"
  bool cut = false;                   ///< made of a run that did not end
};

/// Whether a table, or a column of it, has to be there (`must`), or may (`may`).
struct Presence {
  bool must, may;
};
Presence PresenceOf(Present present, const std::string& table, const FileKind& kind);

/// Looks at names, types, units and descriptions of the columns. Whether all are as the schema
/// says.
bool ValidateColumns(const TableSchema& schema, const Table& header, const FileKind& kind,
                     std::vector<Finding>* findings);

/// Reads all rows, a block at a time, and looks at values and order; each block goes to `also`,
/// too. Requires that ValidateColumns found nothing. Returns the number of rows.
std::uint64_t ValidateRows(const ResultReader& reader, const TableSchema& schema,
                           const ValueBounds& bounds, const std::function<void(const Table&)>& also,
                           std::vector<Finding>* findings);

}  // namespace heddle

#endif  // HEDDLE_IO_CHECK_TABLE_VALIDATION_H_
