// SPDX-License-Identifier: GPL-2.0-only
/// The form of ibnetdiscover's output that has a block of lines for each node.
#ifndef HEDDLE_TOPOLOGY_INFINIBAND_FILES_DISCOVERED_BLOCKS_H_
#define HEDDLE_TOPOLOGY_INFINIBAND_FILES_DISCOVERED_BLOCKS_H_

#include <string>
#include <string_view>

#include "topology/infiniband/infiniband_network.h"

namespace heddle {

/// As ParseIbnetdiscover().
InfinibandNetwork ReadDiscoveredBlocks(std::string_view text, const std::string& name);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_INFINIBAND_FILES_DISCOVERED_BLOCKS_H_
