// SPDX-License-Identifier: GPL-2.0-only
/// Serving with transfers in closed form.
#pragma once

#include "core/app/run/serving/serving_outcome.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Serves all requests, each transfer as if it were alone. `input` must outlive the outcome.
ServingOutcome ServeByPrices(const ServingInput& input, const Graph& graph);

}  // namespace heddle
