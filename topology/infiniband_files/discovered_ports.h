// SPDX-License-Identifier: GPL-2.0-only
/// The form of ibnetdiscover's output that has a line for each port (-p).
#pragma once

#include <string>
#include <string_view>

#include "topology/infiniband/infiniband_network.h"

namespace heddle {

/// Reads this form as ParseIbnetdiscover() does. The GUID of a switch's port is taken for that of
/// the switch.
InfinibandNetwork ReadDiscoveredPorts(std::string_view text, const std::string& name);

}  // namespace heddle
