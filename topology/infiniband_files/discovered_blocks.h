// SPDX-License-Identifier: GPL-2.0-only
/// The form of ibnetdiscover's output that has a block of lines for each node.
#pragma once

#include <string>
#include <string_view>

#include "topology/infiniband/infiniband_network.h"

namespace heddle {

/// Reads this form as ParseIbnetdiscover() does.
InfinibandNetwork ReadDiscoveredBlocks(std::string_view text, const std::string& name);

}  // namespace heddle
