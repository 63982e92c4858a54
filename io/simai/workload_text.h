// SPDX-License-Identifier: GPL-2.0-only
/// Writer of workloads with layers, as SimAI and `heddle run` read them
/// (io/simai/simai_workload.h).
#pragma once

#include <string>

#include "core/traffic/workload.h"

namespace heddle {

/// Returns the header, the number of layers, and a line a layer; then `comment` after a '#', if it
/// is not empty: SimAI, which knows no comments, has stopped reading there. Times are written in
/// whole nanoseconds.
std::string WorkloadText(const Workload& workload, const std::string& comment);

}  // namespace heddle
