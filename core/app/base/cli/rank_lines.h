// SPDX-License-Identifier: GPL-2.0-only
/// Lists of ranks as text, and lines of memory by rank: a column for each rank, or minimum and
/// maximum if there are many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// "rank 2", "ranks 2, 3 and 7", "17 of 64 ranks (0, 1, 2, ...)". `ranks` is not empty.
std::string DescribeRanks(const std::vector<std::uint32_t>& ranks, std::uint32_t of);

/// "memory           MiB                  all ranks     rank 0     rank 1", with the line's end.
std::string RankHead(std::size_t ranks);

/// "  ports                                  120.10      60.05      60.05", with the line's end.
/// `bytes`: of each rank; printed in MiB.
std::string RankLine(const std::string& name, const std::vector<std::int64_t>& bytes);

}  // namespace heddle
