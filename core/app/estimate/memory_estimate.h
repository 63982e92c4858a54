// SPDX-License-Identifier: GPL-2.0-only
/// How much a rank's data structures grow during a run: from the flows that are open at once.
#ifndef HEDDLE_CORE_APP_ESTIMATE_MEMORY_ESTIMATE_H_
#define HEDDLE_CORE_APP_ESTIMATE_MEMORY_ESTIMATE_H_

#include <cstddef>
#include <cstdint>

#include "core/base/memory_account.h"
#include "transport/fabric/fabric.h"

namespace heddle {

/// What is under way on a rank at its peak, about.
struct Underway {
  double flows = 0;     ///< queue pairs that are open
  double packets = 0;   ///< data and ACKs
  double message = 0;   ///< mean size of a flow [byte]
  double boundary = 0;  ///< share of the links between domains that lead to other ranks, in [0, 1]
  bool posted = false;  ///< flows of collectives
};

/// Packets that `flows` flows of `message` bytes from one GPU have under way: full windows, but no
/// more than a few of them together, as they share the GPU's links.
double PacketsOf(double flows, double message, const FabricContext& context);

/// `rows`: of flows that are kept until the end; `written`: rows of the result.
MemoryAccount GrowthOf(const Underway& underway, const Fabric& fabric, double rows, double written);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ESTIMATE_MEMORY_ESTIMATE_H_
