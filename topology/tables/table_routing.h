// SPDX-License-Identifier: GPL-2.0-only
/// Routing by forwarding tables (forwarding_tables.h): a graph with this policy sends its packets
/// by them.
///
/// GPUs of a server with a common NVSwitch reach each other over it. A GPU with several ports takes
/// those with the fewest links to the destination, in descending order of the next node. An entry
/// whose link is down drops packets: nobody makes new tables during a run.
#pragma once

#include <memory>
#include <utility>

#include "topology/routes/routing_policy.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

class TableRouting final : public RoutingPolicy {
 public:
  /// `tables` are of the graph that gets this policy, and free of loops (table_check.h).
  explicit TableRouting(std::shared_ptr<const ForwardingTables> tables)
      : tables_(std::move(tables)) {}

  /// Returns false: GPUs have no tables.
  bool gpus_transit() const override { return false; }
  /// Makes a table of routes. The graph must be the one that the tables were made for.
  std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const override;
  /// Returns the tables, which live as long as this policy.
  const ForwardingTables& tables() const { return *tables_; }

 private:
  std::shared_ptr<const ForwardingTables> tables_;
};

/// Returns the tables by which a graph routes; null if it routes by another policy.
const ForwardingTables* TablesOf(const Graph& graph);

}  // namespace heddle
