// SPDX-License-Identifier: GPL-2.0-only
/// Short names of runs that are compared: what differs between the names of their files.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Returns one name for each path, all different if the paths are. A single result has its file's
/// name without suffix. Of several, parts that are equal in all are left out: parts between "_"
/// that hold a "-" ("CC_MODE-1", as sweeps name them), and in long lists the numbers between "-".
/// Equal files in different folders have their whole paths.
std::vector<std::string> RunNames(const std::vector<std::string>& paths);

}  // namespace heddle
