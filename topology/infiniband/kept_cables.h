// SPDX-License-Identifier: GPL-2.0-only
/// Which cables of an InfiniBand subnet become links of a fabric.
#pragma once

#include <string>
#include <vector>

#include "topology/infiniband/infiniband_network.h"

namespace heddle {

struct CableFilter {
  bool drop_aggregation_nodes = true;
  bool need_lids = false;  ///< drop ports of CAs that have no LID
};

/// Returns the cables whose ends are both kept: switches, and ports of CAs unless the filter drops
/// them. Cables of routers, and from a node to itself, are dropped; a warning counts what is.
std::vector<const InfinibandCable*> KeptCables(const InfinibandNetwork& network,
                                               const CableFilter& filter,
                                               std::vector<std::string>* warnings);

}  // namespace heddle
