// SPDX-License-Identifier: GPL-2.0-only
/// Routes of a fabric whose GPUs pass on (direct_links.h): within a server over its NVLinks, one
/// path for each pair; all else by equal cost, where GPUs do not forward.
#pragma once

#include <cstdint>
#include <memory>

#include "topology/graph/scale_up.h"
#include "topology/routes/routing_policy.h"

namespace heddle {

/// NVLinks between GPUs cannot go down.
class DirectLinkRouting final : public RoutingPolicy {
 public:
  /// Returns false: GPUs pass on over their servers' NVLinks only, which the table knows.
  bool gpus_transit() const override { return false; }
  /// Makes a table that asks DirectLinks within a server, and equal cost elsewhere.
  std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const override;
};

/// Lets GPUs pass on, if DirectLinks::pass_on(): the links get the level, without limit of buffers,
/// and the graph routes that know them. Returns the number of servers of which this is true; 0: the
/// graph is as it was.
std::uint32_t LetGpusPassOn(ScaleUpLevel level, Graph* graph);

}  // namespace heddle
