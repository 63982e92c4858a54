// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/graph/graph_program.h"

namespace heddle {

void GraphProgram::Spill(GraphRank* rank) {
  if (rank->nodes.empty()) return;
  if (file == nullptr) file = std::make_shared<SpillFile>();
  rank->place = SpilledNodes::Spill(&rank->nodes, &rank->followers, file.get());
}

}  // namespace heddle
