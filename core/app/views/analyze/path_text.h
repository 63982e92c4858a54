// SPDX-License-Identifier: GPL-2.0-only
/// How queue pairs shared the bytes of their connections, as text for people and as CSV.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/app/views/analyze/path_figures.h"
#include "io/collisions/path_shares.h"

namespace heddle {

/// Returns several lines: how far shares are from equal ones and what that gained at most, then the
/// `shown` connections that are furthest from equal, with the path of each queue pair, and CAST's
/// last weights of as many.
std::string DescribePaths(const PathStudy& study, std::size_t shown,
                          const std::optional<PathGain>& gain);

/// Returns a line for each queue pair of each connection, with a head line.
std::string PathLines(const PathStudy& study);

}  // namespace heddle
