// SPDX-License-Identifier: GPL-2.0-only
/// The dimensions of a scale-up fabric as a table and back, so that paths can be traced from a
/// result.
#pragma once

#include "core/base/table.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Name of the table in a result.
constexpr const char* kDimensionTable = "topology/dimensions";

/// Returns one row a dimension of a scale-up fabric, the first one first: dimension, kind (ring,
/// mesh or switch), size, clockwise, anticlockwise, one_queue.
Table DimensionTable(const ScaleUpShape& shape);

/// Gives a graph the dimensions of these rows, and with them its routing. Its levels have names and
/// nothing else: how their links carry packets is not in the table. Throws UserError for a missing
/// column, and unless the graph has exactly the cables that such dimensions make.
void SetDimensions(const Table& rows, Graph* graph);

}  // namespace heddle
