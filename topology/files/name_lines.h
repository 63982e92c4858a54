// SPDX-License-Identifier: GPL-2.0-only
/// Which numbers of a topology file the names of messages and tables stand for.
#pragma once

#include <string>

#include "topology/graph/graph.h"

namespace heddle {

/// "names      leaf 0 to leaf 7: nodes 20 to 27" and so on, a line for nodes of one level that
/// follow each other; at most twelve lines. The names of a file are listed by the first and the
/// last of them.
std::string NameLines(const Graph& graph);

}  // namespace heddle
