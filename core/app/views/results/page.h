// SPDX-License-Identifier: GPL-2.0-only
/// The pages that this program writes.
#pragma once

#include <string>

#include "core/app/views/results/report_assets.h"
#include "io/report/report.h"

namespace heddle {

/// Returns the charts' assets. Throws FileError if they were not built in, because a page needs
/// them.
ReportAssets RequireCharts();

/// Writes the page of `request`, with this program's version and defaults, to `output` ("-":
/// standard output), which may exist. Throws as RequireCharts() and MakeReport(), and FileError.
void WritePage(ReportRequest request, const std::string& output);

}  // namespace heddle
