// SPDX-License-Identifier: GPL-2.0-only
/// Decisions of the central controller as tables.
#pragma once

#include <vector>

#include "core/base/table.h"
#include "transport/run/controller/central_controller.h"

namespace heddle {

/// Returns the controller's choices and the paths that it reserved (/controller/requests,
/// /controller/paths). Empty if `controller` is null: without a controller, and on all ranks but
/// the root.
std::vector<Table> ControllerTables(const CentralController* controller);

}  // namespace heddle
