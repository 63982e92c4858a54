// SPDX-License-Identifier: GPL-2.0-only
/// Reads the lines of layers of a workload file (io/simai/simai_workload.h).
#pragma once

#include <string_view>

#include "core/traffic/workload.h"
#include "io/input/text_file.h"

namespace heddle {

/// Reads the layer on the current line of `lines`: 12 columns, of HYBRID_CUSTOMIZED 13, of which
/// the last names the layer's policy; further ones are skipped. Communications without a suffix get
/// the groups of the policy. Throws UserError with file, line and column for the first mistake; the
/// policy of a layer is checked before its other columns.
Layer ReadWorkloadLayer(std::string_view line, const LineReader& lines, Policy policy);

}  // namespace heddle
