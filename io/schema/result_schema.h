// SPDX-License-Identifier: GPL-2.0-only
/// The result file's format as data: every table, column and attribute. docs/formats/result.md
/// describes the same; a test compares both.
#pragma once

#include <string>
#include <vector>

#include "io/schema/schema.h"
#include "io/table/result_format.h"

namespace heddle {

/// Returns the minor version of the format: increases with additions that old readers may ignore.
int ResultFormatMinor();

/// Returns all tables that a result may have, with the group /run.
const std::vector<TableSchema>& ResultTables();
/// Returns the schema of a table; null if there is none.
const TableSchema* FindTableSchema(const std::string& name);

/// Returns all attributes that the root may have.
const std::vector<AttributeSchema>& RootAttributes();
/// Returns all attributes that group /run may have.
const std::vector<AttributeSchema>& RunAttributes();

}  // namespace heddle
