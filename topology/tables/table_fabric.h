// SPDX-License-Identifier: GPL-2.0-only
/// A fabric that was read with its forwarding tables and the names of its nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// What a file of a network does not say.
struct CableDefaults {
  BitRate rate{100'000'000'000};  ///< of cables of unknown speed
  Time delay{500'000};            ///< of all cables [ps]
};

/// What every reader of a network gives.
struct TableFabric {
  Graph graph;                                     ///< hosts are its GPUs
  std::shared_ptr<const ForwardingTables> tables;  ///< null: the file has none
  std::vector<std::string> names;                  ///< by node, unique
  std::vector<std::string> labels;                 ///< by node, for people; empty: the names
  /// Hosts of each server, if the file says so otherwise than by neighbours; else empty.
  std::vector<std::vector<std::uint32_t>> servers;
  std::vector<std::string> warnings;  ///< about what could not be taken over
};

}  // namespace heddle
