// SPDX-License-Identifier: GPL-2.0-only
/// The names of nodes in a topology file: after its links the word "names", then an id and a name
/// for each node that has one. SimAI reads as many links as the first line says and nothing more.
#pragma once

#include <string>

#include "core/options/token_reader.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Reads what follows the links of a file, and names the nodes of its graph; nodes that are not
/// listed keep the names that the program makes (topology/graph/node_names.h). Nothing may follow.
/// Throws UserError with the line for a node that is named twice, and for names that
/// Graph::SetNames refuses.
void ReadNodeNames(TokenReader* reader, Graph* graph);

/// Returns the lines of a graph's names; empty if it has none.
std::string NodeNamesText(const Graph& graph);

}  // namespace heddle
