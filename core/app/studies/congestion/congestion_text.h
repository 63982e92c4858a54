// SPDX-License-Identifier: GPL-2.0-only
/// The table that `heddle congestion` prints.
#pragma once

#include <string>

#include "core/app/studies/static_study/congestion_study.h"

namespace heddle {

/// Bandwidth with its confidence, shares of messages by weight, sums of congestion, delays, pairs
/// without a path, and the cables with most messages. `source`: name of the network; `routes`:
/// which were counted.
std::string CongestionText(const StaticPaths& paths, const CongestionRequest& request,
                           const CongestionStudy& study, const std::string& source,
                           const std::string& routes);

}  // namespace heddle
