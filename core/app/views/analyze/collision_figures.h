// SPDX-License-Identifier: GPL-2.0-only
/// The JSON of `heddle analyze collisions`, and words that its text shares.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/collisions/collision_study.h"
#include "io/collisions/worst_ports.h"
#include "io/table/json_document.h"
#include "topology/graph/node_names.h"

namespace heddle {

/// Returns "#2 server 0 / GPU 2 -> server 1 / GPU 2, #4 ...": rows and ends of a period's flows.
std::string NamesOfFlows(const CollisionStudy& study, const NodeNames& names,
                         const FullPeriod& period);

/// Returns what the figures leave out, a sentence each.
std::vector<std::string> CaveatsOf(const CollisionStudy& study);

/// Returns the figures of DescribeCollisions() about one result.
OrderedJson CollisionJson(const CollisionStudy& study, std::size_t worst);

/// Returns the object of --json. `results`: of CollisionJson(), one a result; `against`: that of
/// the result with which they are compared, or null.
OrderedJson CollisionsJson(std::vector<OrderedJson> results, OrderedJson against);

}  // namespace heddle
