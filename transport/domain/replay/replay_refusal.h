// SPDX-License-Identifier: GPL-2.0-only
/// What rules out replays for a whole run.
#pragma once

#include <string>

#include "topology/graph/graph.h"
#include "transport/domain/state/transport_options.h"

namespace heddle {

/// Returns why nothing can be replayed in a run; empty if something can. `links_fail`: the run has
/// failures.
std::string WhyNoReplay(const TransportOptions& options, const Graph& graph, bool links_fail);

}  // namespace heddle
