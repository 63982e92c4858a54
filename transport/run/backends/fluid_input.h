// SPDX-License-Identifier: GPL-2.0-only
/// What runs of fluids are made of, messages or streams, and what they refuse.
#pragma once

#include <string>

#include "transport/run/backends/backend_input.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

/// Throws UserError "--backend flow: `what`. Expected: --backend packet, or `instead`".
[[noreturn]] void RefuseFluids(const std::string& what, const std::string& instead);
/// Throws UserError for what fluids do not know: scale-up links, switches that add, Ultra Ethernet,
/// requests, the central controller, monitors, links that lose packets.
void CheckFluidInput(const BackendInput& input);
/// Whether switches mark packets of messages, and senders heed that.
bool FluidsHaveMarks(const TransportOptions& options);
/// Returns what all domains of the run have in common, but for the metrics, `reports`, `lag` and
/// the sample. `routes` and `post_office` must outlive it.
FluidRun MakeFluidRun(const BackendInput& input, const Routes* routes, PostOffice* post_office);

}  // namespace heddle
