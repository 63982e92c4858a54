// SPDX-License-Identifier: GPL-2.0-only
/// The fabrics of uet-htsim's cases: fat trees of 400 Gb/s and 1 us a link, one NIC a host.
///
///   ls16       4 leaves of 4 hosts, 4 spines
///   ls128      8 leaves of 16 hosts, 16 spines;  ls128os2: 8 spines, so leaves are 2:1
///   ft128      8 pods of 4 leaves of 4 hosts, 4 aggregation switches of 4 cores each
///   ft128os2   the same with 2 cores each, so aggregation is 2:1
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/routes/failures.h"

namespace heddle::testing {

/// Throws std::runtime_error for another name.
Graph MakeUecFabric(const std::string& name);

/// Links that run at a quarter of their rate from the start. Two tiers: all links of the first
/// `count` spines. Three tiers: the first `count` of the links of aggregation switch 0 to the
/// cores, and downward only.
std::vector<LinkEvent> SlowLinks(const Graph& graph, const std::string& name, std::uint32_t count);

}  // namespace heddle::testing
