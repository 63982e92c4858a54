// SPDX-License-Identifier: GPL-2.0-only
/// Ranges of what a trace of Chakra says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/time_limits.h"

namespace heddle {

constexpr std::uint32_t kMaxChakraRanks = kMaxNodes;
/// Bounds one message of the file: a node, of which the longest name the ranks of all groups.
constexpr std::size_t kMaxChakraMessage = std::size_t{8} << 20;
/// Bounds the duration of one node, in us.
constexpr std::uint64_t kMaxChakraMicros = static_cast<std::uint64_t>(kLatestInput.ps / 1'000'000);
/// Bounds a message, a buffer or memory, in bytes; and operations.
constexpr std::int64_t kMaxChakraAmount = std::int64_t{1} << 53;
constexpr std::size_t kMaxChakraNodes = 0x7fffffff;  ///< of one rank, dependencies alike
constexpr std::uint32_t kMaxChakraDimensions = 31;   ///< of involved_dim

}  // namespace heddle
