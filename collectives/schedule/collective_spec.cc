// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/collective_spec.h"

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

}  // namespace heddle
