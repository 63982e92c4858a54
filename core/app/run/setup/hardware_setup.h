// SPDX-License-Identifier: GPL-2.0-only
/// Fits the options of collectives to the hardware of a fabric.
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/choice/collective_options.h"
#include "core/options/options.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Returns what a fabric's first GPU and its ports say. `infiniband`: read from InfiniBand's files.
FabricHardware HardwareOf(const Graph& graph, bool infiniband);

/// Ports of NICs of the GPU that has the most.
std::uint32_t MostNicPorts(const Graph& graph);

/// Whether a server has several NVSwitches.
bool HasNvSwitchPlanes(const Graph& graph);

/// Lets the NVSwitches of a server act as one where they may (nvlink.spray).
void JoinPlanesOf(std::unique_ptr<Graph>* graph);

/// Chooses latencies, rates and channels of NCCL's kernels for these GPUs and NICs, except what
/// the user has set. Call it when `like` has been applied.
void FitToHardware(const FabricHardware& fabric, OptionSet* options,
                   CollectiveOptions* collectives);

}  // namespace heddle
