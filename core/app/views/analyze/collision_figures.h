// SPDX-License-Identifier: GPL-2.0-only
/// The figures of `heddle analyze collisions`, of which its text and its JSON are made.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "io/collisions/collision_study.h"
#include "io/table/json_document.h"
#include "topology/graph/node_names.h"

namespace heddle {

/// A time in which a port had the same flows.
struct NamedPeriod {
  SharedPeriod when;
  std::size_t flows = 0;
  std::string names = {};  ///< "#2 server 0 / GPU 2 -> server 1 / GPU 2, ...": row and ends
};

/// The periods of a port with the most flows, the longest first among equals; and the number of all
/// periods.
struct FullestPeriods {
  std::vector<NamedPeriod> periods;
  std::size_t all = 0;
};

/// The most shared ports, at most `worst`, and how many are shared at all.
struct WorstPorts {
  std::vector<PortSharing> ports;
  std::size_t all = 0;
  std::map<HopIndex, FullestPeriods> fullest;  ///< of `ports`
};

/// Orders ports by pairs that overlap, then by the time in which they were shared.
WorstPorts FindWorst(const CollisionStudy& study, const NodeNames& names, std::size_t worst);

/// Returns what the figures leave out, a sentence each.
std::vector<std::string> CaveatsOf(const CollisionStudy& study);

/// Returns the figures of DescribeCollisions() about one result.
OrderedJson CollisionJson(const CollisionStudy& study, std::size_t worst);

/// Returns the object of --json. `results`: of CollisionJson(), one a result; `against`: that of
/// the result with which they are compared, or null.
OrderedJson CollisionsJson(std::vector<OrderedJson> results, OrderedJson against);

}  // namespace heddle
