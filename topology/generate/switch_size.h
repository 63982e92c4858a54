// SPDX-License-Identifier: GPL-2.0-only
/// Whether a fabric's switches exist.
#pragma once

#include <string>

#include "topology/generate/fabric_plan.h"

namespace heddle {

/// The largest switch known in 2026 [bit/s]: Broadcom Tomahawk 6, 102.4 Tbit/s.
inline constexpr double kLargestSwitch = 102.4e12;

/// Returns a note if the largest switch of a plan has more than kLargestSwitch: "a switch has 1536
/// ports of 400Gbps, 614.4 Tbit/s; ..."; empty else. NVSwitches do not count.
std::string SwitchSizeNote(const FabricPlan& plan);

}  // namespace heddle
