// SPDX-License-Identifier: GPL-2.0-only
/// The profile of a run, gathered from its ranks.
#pragma once

#include <string>

#include "core/app/run/setup/run_input.h"
#include "core/engine/engine.h"
#include "core/engine/window_profile.h"
#include "partition/run_profile.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// Gathers the profile at the root, an empty one elsewhere. Collective. Independent of the number
/// of ranks, except for times and `ranks`.
RunProfile GatherProfile(const Communicator& world, const RunInput& input, Backend* backend,
                         const WindowProfile& recorded, const EngineReport& report);

/// Returns one or two lines: what was profiled, and how to use it.
std::string DescribeProfile(const RunProfile& profile, const std::string& path,
                            const std::string& topology);

}  // namespace heddle
