// SPDX-License-Identifier: GPL-2.0-only
/// The assets of reports, embedded when the program is built (core/cmake/EmbedReport.cmake).
#pragma once

#include "io/report/report.h"

namespace heddle {

/// Returns what the build embedded; the chart's assets are empty if it did not find uPlot.
ReportAssets EmbeddedReportAssets();
/// Returns the version of uPlot that the build requires.
const char* UplotVersion();

}  // namespace heddle
