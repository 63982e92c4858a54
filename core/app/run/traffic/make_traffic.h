// SPDX-License-Identifier: GPL-2.0-only
/// The choice of a run's kind of traffic: one line for each kind.
#pragma once

#include <memory>

#include "core/app/run/arguments/recording.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// Makes the traffic of a schedule or of jobs if the input has them, else of a trace. `input` and
/// `backend` must outlive it. `has_result`: whether there is a result that may keep the steps of
/// all GPUs. Throws UserError for what the backend cannot carry.
std::unique_ptr<RunTraffic> MakeTraffic(const RunInput& input, const Backend& backend,
                                        const Recording& recording, bool has_result);

}  // namespace heddle
