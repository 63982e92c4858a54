// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle topo show --json` prints.
#pragma once

#include <string>

#include "core/app/views/inspect/topo_route.h"
#include "io/table/json_document.h"
#include "topology/files/describe.h"
#include "topology/graph/graph.h"

namespace heddle {

/// `file`: of the fabric; `spread`: of forwarding tables, or null.
OrderedJson FabricJson(const std::string& file, const Graph& graph, const FabricOverview& facts,
                       const TableSpread* spread);

}  // namespace heddle
