// SPDX-License-Identifier: GPL-2.0-only
/// GPUs that NVSwitches join: those of a server, or of a rack.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

/// Returns by GPU the lowest GPU that it reaches over NVSwitches alone; itself, if it has none.
std::vector<std::uint32_t> NvLinkGroups(const Graph& graph);

}  // namespace heddle
