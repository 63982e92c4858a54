// SPDX-License-Identifier: GPL-2.0-only
/// `heddle congestion --checkinputfile`: are the routes of a network whole?
#pragma once

#include <string>

#include "core/app/base/routing/fabric_input.h"

namespace heddle {

struct RouteCheck {
  bool whole = true;  ///< every host reaches every other one
  std::string text;   ///< loops as circles of switches, missing routes as pairs of hosts
};

/// `fabric`: read with TableUse::kAsTheyAre.
RouteCheck CheckRoutes(const FabricInput& fabric);

}  // namespace heddle
