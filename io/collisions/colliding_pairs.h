// SPDX-License-Identifier: GPL-2.0-only
/// Number of pairs of flows that collide anywhere: a pair that shares several ports counts once.
///
/// Counts millions of pairs without listing them, by inclusion and exclusion: of the pairs that
/// overlap in time, add those on each port, subtract those that share each two ports, add those of
/// each three, and so on. Skips sets of ports that fewer than two flows share. O(2^h n log n) for n
/// flows with h ports each; paths of fabrics have few ports (leaf, spine, leaf: 2).
#pragma once

#include <cstdint>
#include <vector>

#include "io/collisions/collision_analysis.h"

namespace heddle {

/// Returns the number of pairs of flows that overlap in time and share a port. Requires that each
/// flow's ports are ascending (ContestedPorts()), and that `users` was made from the same lists and
/// spans.
std::uint64_t CountCollidingPairs(const PortLists& ports_of_flows,
                                  const std::vector<FlowSpan>& spans, const PortUsers& users);

}  // namespace heddle
