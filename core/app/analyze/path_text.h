// SPDX-License-Identifier: GPL-2.0-only
/// How queue pairs shared the bytes of their connections, as text for people and as CSV.
#ifndef HEDDLE_CORE_APP_ANALYZE_PATH_TEXT_H_
#define HEDDLE_CORE_APP_ANALYZE_PATH_TEXT_H_

#include <cstddef>
#include <string>

#include "io/collisions/path_shares.h"

namespace heddle {

/// Several lines: how far shares are from equal ones and what that gained at most, then the `shown`
/// connections that are furthest from equal, with the path of each queue pair, and CAST's last
/// weights of as many. `gain`: a line of ComparePaths(), or nothing.
std::string DescribePaths(const PathStudy& study, std::size_t shown, const std::string& gain);

/// A line: by how much the connections were faster than in `other`, the result `file` of the same
/// traffic. Throws UserError if it is of other traffic.
std::string ComparePaths(const PathStudy& study, const ConnectionTimes& other,
                         const std::string& file);

/// A line for each queue pair of each connection, with a head line.
std::string PathLines(const PathStudy& study);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ANALYZE_PATH_TEXT_H_
