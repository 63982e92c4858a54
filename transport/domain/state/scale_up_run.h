// SPDX-License-Identifier: GPL-2.0-only
/// What is the same for all scale-up links of a run.
#pragma once

#include <optional>

#include "topology/graph/graph.h"
#include "topology/scale_up/direct_links.h"
#include "topology/scale_up/scale_up_routes.h"
#include "transport/model/scale_up/scale_up_options.h"

namespace heddle {

struct ScaleUpRun {
  /// `graph` has scale-up links (Graph::scale_up).
  ScaleUpRun(const Graph& graph, const ScaleUpOptions& chosen) : options(chosen) {
    if (!graph.scale_up()->dimensions.empty()) {
      routes.emplace(graph);
    } else if (graph.nvswitch_count() == 0) {
      direct.emplace(graph);
    }
  }

  ScaleUpOptions options;
  /// Between the GPUs of a fabric of dimensions, all of which are on scale-up links; without it
  /// only some links are.
  std::optional<ScaleUpRoutes> routes;
  /// Between the GPUs of servers without NVSwitches, which pass on.
  std::optional<DirectLinks> direct;
  /// Every flow goes over one link (FlowDriver::neighbours_only).
  bool neighbours_only = false;
};

}  // namespace heddle
