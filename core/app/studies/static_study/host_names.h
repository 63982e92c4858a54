// SPDX-License-Identifier: GPL-2.0-only
/// Files that name hosts: mappings, a line for each run.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "topology/load/static_paths.h"

namespace heddle {

/// Returns the numbers of a network's hosts.
std::unordered_map<std::string, std::uint32_t> HostsByName(const StaticPaths& paths);

/// Parses one run a line: names of hosts by rank, '#' before comments. Throws UserError that names
/// `file` and line.
std::vector<std::vector<std::uint32_t>> ParseMappings(const std::string& text,
                                                      const std::string& file,
                                                      const StaticPaths& paths,
                                                      std::uint32_t ranks);

}  // namespace heddle
