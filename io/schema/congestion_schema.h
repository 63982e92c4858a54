// SPDX-License-Identifier: GPL-2.0-only
/// The format of results of static congestion as data: every table, column and attribute.
/// docs/formats/congestion.md describes the same; a test compares both.
#pragma once

#include <vector>

#include "io/schema/schema.h"

namespace heddle {

/// Returns all tables that such a result may have.
const std::vector<TableSchema>& CongestionTables();
/// Returns all attributes of the root.
const std::vector<AttributeSchema>& CongestionAttributes();

}  // namespace heddle
