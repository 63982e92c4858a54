// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/collective_spec.h"

#include <limits>

namespace heddle {

double BusFactor(Operation operation, std::uint32_t ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (operation) {
    case Operation::kAllReduce:
      return 2 * others;
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
      return others;
    default:
      return 1;
  }
}

std::int64_t ProtocolBytes(Protocol protocol, std::int64_t bytes) {
  std::int64_t flags = 0;
  if (protocol == Protocol::kLl) flags = bytes;
  if (protocol == Protocol::kLl128) flags = bytes / 15 + (bytes % 15 > 0 ? 1 : 0);  // rounded up
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return flags > kMost - bytes ? kMost : bytes + flags;
}

}  // namespace heddle
