// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/collective_spec.h"

namespace heddle {

const char* ToText(Algorithm algorithm) {
  static constexpr const char* kNames[] = {"TREE", "RING", "NVLS", "NVLS_TREE", "DIRECT"};
  return kNames[static_cast<int>(algorithm)];
}

const char* ToText(Protocol protocol) {
  static constexpr const char* kNames[] = {"LL", "LL128", "SIMPLE", "NONE"};
  return kNames[static_cast<int>(protocol)];
}

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

}  // namespace heddle
