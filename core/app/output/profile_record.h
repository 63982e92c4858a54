// SPDX-License-Identifier: GPL-2.0-only
/// The profile of a run, brought together from its ranks.
#ifndef HEDDLE_CORE_APP_OUTPUT_PROFILE_RECORD_H_
#define HEDDLE_CORE_APP_OUTPUT_PROFILE_RECORD_H_

#include <string>

#include "core/app/setup/run_input.h"
#include "core/engine/engine.h"
#include "core/engine/window_profile.h"
#include "partition/run_profile.h"
#include "transport/fabric/fabric.h"

namespace heddle {

/// At the root; elsewhere an empty one. Collective. Equal on any number of ranks, but for times and
/// `ranks`.
RunProfile GatherProfile(const Communicator& world, const RunInput& input, Fabric* fabric,
                         const WindowProfile& recorded, const EngineReport& report);

/// A line or two for people: what was profiled, and what to do with it.
std::string DescribeProfile(const RunProfile& profile, const std::string& path,
                            const std::string& topology);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_PROFILE_RECORD_H_
