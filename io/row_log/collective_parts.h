// SPDX-License-Identifier: GPL-2.0-only
/// Makes the rows of a result's /collectives from the parts in the row logs
/// (core/records/collective_rows.h).
#pragma once

#include <memory>

#include "core/base/table.h"
#include "io/table/row_source.h"

namespace heddle {

constexpr const char* kCollectiveTable = "collectives";

/// `parts` and `again` both yield the rows of kCollectivePartTable, sorted by job, operation and
/// group: the first is read here, to count collectives, the second for the rows. `operations`: the
/// result's table. Throws FileError if a column is missing or a part has no operation.
std::unique_ptr<RowSource> JoinCollectiveParts(std::unique_ptr<RowSource> parts,
                                               std::unique_ptr<RowSource> again,
                                               const Table& operations);

}  // namespace heddle
