// SPDX-License-Identifier: GPL-2.0-only
/// Which rank plays which node, for a backend whose traffic is real.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "partition/partition.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Makes one domain a rank, domain r of rank r: the nodes that it plays. The GPUs `players`
/// (ascending, each once) are dealt in order, `each` a rank; so the GPUs of a server are on
/// neighbouring ranks, which the launcher places on hosts. An NVSwitch is played where the first of
/// its GPUs is; all other nodes count as rank 0's and do nothing. The lookahead is Time::Max().
/// Throws UserError with all three numbers unless `ranks` is what this takes.
Domains PlayedNodes(const Graph& graph, const std::vector<NodeId>& players, std::uint32_t ranks,
                    std::uint32_t each);

}  // namespace heddle
