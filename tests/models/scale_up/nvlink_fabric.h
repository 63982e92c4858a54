// SPDX-License-Identifier: GPL-2.0-only
/// Two servers of two GPUs with an NVSwitch each, joined by a leaf.
#pragma once

#include "topology/scale_up/nvlink_level.h"
#include "transport/model/scale_up/nvlink_options.h"

namespace heddle::testing {

/// GPUs 0 to 3, NVSwitches 4 and 5, leaf 6. NVLinks have 400 Gbps and 25 ns, NICs 100 Gbps and
/// 1 us.
inline Graph NvLinkFabric(const NvLinkOptions& options) {
  Graph graph(4, 2, 1, 2, "H100");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(4 + gpu / 2), BitRate{400'000'000'000}, NanoSeconds(25)});
    graph.AddLink({NodeId(gpu), NodeId(6), BitRate{100'000'000'000}, MicroSeconds(1)});
  }
  if (options.credits()) PutNvLinksOnLevel(options.Level(), &graph);
  return graph;
}

}  // namespace heddle::testing
