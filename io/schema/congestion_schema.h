// SPDX-License-Identifier: GPL-2.0-only
/// The format of results of static congestion as data: every table, column and attribute.
/// docs/formats/congestion.md describes the same; a test compares both.
#pragma once

#include <vector>

#include "io/schema/schema.h"

namespace heddle {

const std::vector<TableSchema>& CongestionTables();
const std::vector<AttributeSchema>& CongestionAttributes();

}  // namespace heddle
