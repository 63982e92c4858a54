// SPDX-License-Identifier: GPL-2.0-only
/// Writes traces of Chakra, as ASTRA-sim 2 and heddle read them.
#pragma once

#include <cstdint>
#include <string>

#include "core/chakra/chakra_trace.h"

namespace heddle {

/// Returns the file of a rank. Durations are in us, rounded; where that is not exact, the attribute
/// heddle_duration_ps has them, which other programs skip.
std::string ChakraBytes(const ChakraTrace& trace, std::uint32_t rank);

/// Returns the file of groups {"1": [0, 1], ...}; empty if all collectives are of all ranks.
std::string ChakraGroupsText(const ChakraTrace& trace);

}  // namespace heddle
