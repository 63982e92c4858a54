// SPDX-License-Identifier: GPL-2.0-only
/// Paths by forwarding tables, for many walks: the entries for one destination lie together.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/load/graph_paths.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// Takes the paths that GraphPaths takes in the same graph. A GPU whose only link leads to a switch
/// needs no lookup in its routes.
class TablePaths final : public GraphPaths {
 public:
  /// `graph` routes by `tables`; both outlive it.
  TablePaths(const Graph& graph, const ForwardingTables& tables,
             std::vector<std::string> names = {}, std::vector<std::string> labels = {});

  /// Looks up the tables' entries; a source with other links than one to a switch is walked by
  /// GraphPaths::Walk().
  WalkEnd Walk(std::uint32_t source, std::uint32_t destination,
               std::vector<std::uint32_t>* cables) const override;

 private:
  /// A port of a switch.
  struct Port {
    std::uint32_t cable = 0;
    std::uint32_t next = 0;  ///< node
  };

  std::uint32_t gpus_, switches_;
  std::vector<std::uint16_t> port_of_;  ///< by GPU, then node after the GPUs
  std::vector<std::uint32_t> first_;    ///< of ports_, by node after the GPUs
  std::vector<Port> ports_;
  std::vector<Port> nic_;  ///< by GPU; next is a GPU, its own: it has more than one link
};

}  // namespace heddle
