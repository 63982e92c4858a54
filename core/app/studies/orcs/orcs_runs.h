// SPDX-License-Identifier: GPL-2.0-only
/// What ORCS says of single runs: --printnamelist, --printptrn, and paths that are broken.
#pragma once

#include <string>

#include "core/app/studies/orcs/orcs_arguments.h"
#include "core/app/studies/static_study/congestion_study.h"
#include "topology/load/static_network.h"

namespace heddle {

/// Returns names and patterns of all runs, if they are asked for; paths without an end and in
/// loops, if some run has any, once for each message (ORCS: twice).
std::string OrcsRunsText(const OrcsArguments& given, const CongestionRequest& request,
                         const StaticNetwork& network, const CongestionStudy& study);

}  // namespace heddle
