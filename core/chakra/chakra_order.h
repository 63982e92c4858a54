// SPDX-License-Identifier: GPL-2.0-only
/// In which order the nodes of a rank may run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/chakra/chakra_trace.h"

namespace heddle {

/// Returns indices of nodes, each after the nodes that it waits for; of those that may come next,
/// the lowest one does. Nodes that wait for a cycle are left out.
std::vector<std::uint32_t> OrderNodes(const ChakraRank& rank);

/// Returns indices of nodes that wait for each other in a ring, each for the next and the last for
/// the first, the lowest one first; empty if there are none.
std::vector<std::uint32_t> FindCycle(const ChakraRank& rank);

/// Returns such a ring in words: "1 for 2 for 1", by ids; empty if there is none.
std::string DescribeCycle(const ChakraRank& rank);

}  // namespace heddle
