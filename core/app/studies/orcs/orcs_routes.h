// SPDX-License-Identifier: GPL-2.0-only
/// What ORCS says about the routes of a network: --checkinputfile and --routequal.
#pragma once

#include <cstdint>
#include <string>

#include "topology/load/static_network.h"

namespace heddle {

/// Returns a line if the path between two hosts is broken, as ORCS names it; empty if it is not.
/// ORCS does not say which pair has a loop: a remark after it does.
std::string DescribePath(const StaticNetwork& network, std::uint32_t source,
                         std::uint32_t destination);

/// Returns the lines of all pairs of hosts.
std::string DescribeBroken(const StaticNetwork& network);

/// Loads of inner cables when all pairs talk at once, as text.
std::string RouteQualityText(const StaticNetwork& network);

}  // namespace heddle
