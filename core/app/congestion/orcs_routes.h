// SPDX-License-Identifier: GPL-2.0-only
/// What ORCS says about the routes of a network: --checkinputfile and --routequal.
#ifndef HEDDLE_CORE_APP_CONGESTION_ORCS_ROUTES_H_
#define HEDDLE_CORE_APP_CONGESTION_ORCS_ROUTES_H_

#include <string>

#include "topology/load/static_network.h"

namespace heddle {

/// A line for each pair of hosts whose way is broken, as ORCS names it; empty if there is none.
std::string DescribeBroken(const StaticNetwork& network);

/// Loads of inner cables when all pairs talk at once, as text.
std::string RouteQualityText(const StaticNetwork& network);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_CONGESTION_ORCS_ROUTES_H_
