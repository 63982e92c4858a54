// SPDX-License-Identifier: GPL-2.0-only
/// What people call the nodes of an InfiniBand subnet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Returns a node's description ("node01 HCA-1", "leaf3"), by node. If others have the same, its
/// name follows in brackets; if it has none, the name stands alone. `names` are unique. Characters
/// that a terminal would obey are written out.
std::vector<std::string> InfinibandLabels(const std::vector<std::string>& names,
                                          const std::vector<std::string>& descriptions);

/// Returns the hosts (the first `hosts` nodes) of each server, in the order of its first. HCAs are
/// of one server if their descriptions have the same words before the device's name: "node01 HCA-1"
/// and "node01 HCA-2", or "node01 mlx5_0" and so on, as Linux writes them. Any other host is a
/// server of its own.
std::vector<std::vector<std::uint32_t>> InfinibandServers(
    const std::vector<std::string>& descriptions, std::uint32_t hosts);

}  // namespace heddle
