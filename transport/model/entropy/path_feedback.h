// SPDX-License-Identifier: GPL-2.0-only
/// What a sender learns of the path of one of its packets.
#pragma once

#include <cstdint>

namespace heddle {

enum class PathFeedback : std::uint8_t {
  kGood,     ///< acknowledged without a mark
  kMarked,   ///< acknowledged, with an ECN mark
  kTrimmed,  ///< a NACK: a full queue cut its payload off
  kLost      ///< a retransmission timeout, or known to be lost without having been trimmed
};

}  // namespace heddle
