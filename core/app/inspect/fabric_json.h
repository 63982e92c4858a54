// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle topo show --json` prints.
#ifndef HEDDLE_CORE_APP_INSPECT_FABRIC_JSON_H_
#define HEDDLE_CORE_APP_INSPECT_FABRIC_JSON_H_

#include <string>

#include "core/app/inspect/topo_route.h"
#include "io/table/json_document.h"
#include "topology/files/describe.h"
#include "topology/graph/graph.h"

namespace heddle {

/// `file`: of the fabric; `spread`: of forwarding tables, or null.
OrderedJson FabricJson(const std::string& file, const Graph& graph, const FabricOverview& facts,
                       const TableSpread* spread);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_INSPECT_FABRIC_JSON_H_
