// SPDX-License-Identifier: GPL-2.0-only
/// The network of a study of static congestion, drawn with the load of its cables.
#pragma once

#include <vector>

#include "core/app/studies/static_study/congestion_study.h"
#include "topology/files/heat_drawing.h"

namespace heddle {

/// Returns the heat of each cable, by HeatOfUse().
std::vector<double> HeatOf(const StaticPaths& paths, const CongestionRequest& request,
                           const CongestionStudy& study);

/// Draws nodes by level and cables by HeatOf(), with means over the runs.
HeatDrawing DrawLoad(const StaticPaths& paths, const CongestionRequest& request,
                     const CongestionStudy& study);

}  // namespace heddle
