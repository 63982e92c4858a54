// SPDX-License-Identifier: GPL-2.0-only
/// Options of a run that follow from its plan: the schedule of its stages, and its experts.
#pragma once

#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "io/plan/plan_space.h"

namespace heddle {

/// Returns the settings "KEY=VALUE" of a run of this plan that differ from `options`: its schedule
/// and chunks, and where experts are routed by a law their number, those of a token and the tokens
/// of a rank, which are the model's.
std::vector<std::string> SettingsOf(const FoundPlan& found, const CollectiveOptions& options);

/// Returns `options` with these settings.
CollectiveOptions OptionsOf(const FoundPlan& found, CollectiveOptions options);

}  // namespace heddle
