// SPDX-License-Identifier: GPL-2.0-only
/// Compares sums over the tables of a result of static congestion with each other and with its
/// attributes.
#pragma once

#include <vector>

#include "core/base/table.h"
#include "io/check/table_validation.h"
#include "io/result/result_reader.h"

namespace heddle {

/// `reader`: a result whose tables and `attributes` were found valid one by one. Loads of cables
/// sum to the hops of messages, weights to messages, tiers to their cables, and means are those of
/// the runs.
void CheckCongestionTotals(const ResultReader& reader, const std::vector<Attribute>& attributes,
                           std::vector<Finding>* findings);

}  // namespace heddle
