// SPDX-License-Identifier: GPL-2.0-only
/// The nodes of a rank's graph as its program looks at them: all in memory, or the last ones that
/// were looked at, and the others in the program's file.
#pragma once

#include <cstdint>

#include "collectives/graph/graph_program.h"
#include "core/containers/node_window.h"

namespace heddle {

class GraphWindow final : public NodeWindow<GraphNode> {
 public:
  /// `program` must outlive it.
  GraphWindow(const GraphProgram& program, std::uint32_t rank)
      : NodeWindow(program.ranks[rank].nodes, program.ranks[rank].followers,
                   program.ranks[rank].place, program.file.get(), program.window) {}
};

}  // namespace heddle
