// SPDX-License-Identifier: GPL-2.0-only
/// Reads a fabric of any known format, with the routing that a command line asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/app/base/routing/routing_input.h"
#include "topology/graph/graph.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// Whether a fabric's tables are used, or only looked at.
enum class TableUse {
  kChecked,    ///< loops are refused, pairs without a path are a warning; the graph routes by them
  kAsTheyAre,  ///< whatever is wrong with them; the graph does not route by them
};

struct FabricInput {
  std::unique_ptr<Graph> graph;                    ///< routes by `tables`, if there are any
  std::shared_ptr<const ForwardingTables> tables;  ///< null: equal-cost routes
  std::vector<std::string> names;                  ///< by node; empty: the graph's own
  std::vector<std::string> labels;                 ///< by node, for people; empty: the names
  /// Hosts of each server, if the file says so otherwise than by neighbours; else empty.
  std::vector<std::vector<std::uint32_t>> servers;
  std::vector<std::string> warnings;
  std::string format;         ///< what the file was taken for, if the run is to say so
  bool infiniband = false;    ///< read from InfiniBand's files
  bool routing_used = false;  ///< by the reader: `tables` are what the routing named
};

/// Whether a file is a network in DOT, by its beginning or the end of its name.
bool IsDotFile(const std::string& path);

/// Reads a topology file of SimAI or HPCC, one of htsim, a server's of NCCL, a network file of
/// ASTRA-SIM, a network in ORCS's DOT with its tables, or what ibnetdiscover prints, whose tables
/// may be a dump of a subnet manager: a file's beginning shows which. `routing` replaces a file's
/// own tables. Throws UserError.
FabricInput ReadFabric(const std::string& path, const RoutingArguments& routing,
                       TableUse use = TableUse::kChecked);

}  // namespace heddle
