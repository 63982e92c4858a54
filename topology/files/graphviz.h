// SPDX-License-Identifier: GPL-2.0-only
/// A fabric as text for Graphviz (`dot -Tsvg`): one rank of the drawing a tier, GPUs at the bottom.
#pragma once

#include <cstdint>
#include <string>

#include "topology/graph/graph.h"

namespace heddle {

/// Larger drawings are illegible, and take more than a minute to lay out.
inline constexpr std::uint32_t kMaxDrawnNodes = 200;

/// Returns the drawing as DOT. Throws UserError if there are more than kMaxDrawnNodes nodes.
std::string GraphvizText(const Graph& graph);

}  // namespace heddle
