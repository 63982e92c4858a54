// SPDX-License-Identifier: GPL-2.0-only
/// A fabric as a picture: text for Graphviz (`dot -Tsvg`), one rank a tier, GPUs at the bottom.
#ifndef HEDDLE_TOPOLOGY_FILES_GRAPHVIZ_H_
#define HEDDLE_TOPOLOGY_FILES_GRAPHVIZ_H_

#include <cstdint>
#include <string>

#include "topology/graph/graph.h"

namespace heddle {

/// More than this cannot be read any more, nor laid out in a minute.
inline constexpr std::uint32_t kMaxDrawnNodes = 200;

/// Throws UserError if there are more than kMaxDrawnNodes nodes.
std::string GraphvizText(const Graph& graph);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_FILES_GRAPHVIZ_H_
