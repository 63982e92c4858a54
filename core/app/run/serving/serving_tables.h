// SPDX-License-Identifier: GPL-2.0-only
/// Served requests as tables of a result (docs/formats/result.md).
#pragma once

#include <vector>

#include "core/app/run/serving/serving_outcome.h"
#include "core/base/table.h"

namespace heddle {

/// Returns "serving/requests", "serving/instances" and "serving/gpus".
std::vector<Table> ServingTables(const ServingOutcome& outcome);

}  // namespace heddle
