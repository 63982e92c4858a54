// SPDX-License-Identifier: GPL-2.0-only
/// Bandwidth of each tier of switches towards the GPUs and away from them, and their ratio.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

struct TierBandwidth {
  std::uint32_t tier = 0;
  std::string name;      ///< "leaf"
  double down_gbps = 0;  ///< of all links towards the GPUs
  double up_gbps = 0;    ///< of all links away from them; 0 at the top of the fabric

  /// Whether no links lead up from this tier; ratio() then is undefined.
  bool is_top() const { return up_gbps <= 0; }
  /// Returns the oversubscription, down over up; for tiers below the top only.
  double ratio() const { return down_gbps / up_gbps; }
};

/// Returns one row for each tier of switches that has links towards the GPUs, ascending.
std::vector<TierBandwidth> TierBandwidths(const Graph& graph);

}  // namespace heddle
