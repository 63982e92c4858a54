// SPDX-License-Identifier: GPL-2.0-only
/// Reader of ASTRA-sim 2's network.yml: N dimensions of rings, full meshes and switches.
///
/// Source: ASTRA-sim 2 (Won et al., ISPASS 2023) and its analytical network backends.
/// docs/formats/network.md lists the keys. GB/s are 2^30 bytes a second there. Messages are sent
/// whole, a ring runs in both directions, chunks queue once for each dimension, and times are whole
/// nanoseconds, as in its backends.
#pragma once

#include <string>
#include <string_view>

#include "topology/scale_up/scale_up_network.h"

namespace heddle {

/// Whether a text is such a file, and none of ASTRA-SIM 1.0.
bool IsAstra2Network(std::string_view text);
/// Throws UserError with file and line for the first mistake.
ScaleUpNetwork ParseAstra2Network(std::string_view text, const std::string& name);

}  // namespace heddle
