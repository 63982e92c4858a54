// SPDX-License-Identifier: GPL-2.0-only
/// Inputs from which a backend is made.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/traffic/collective_prices.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"
#include "transport/domain/state/transport_options.h"
#include "transport/run/physical/physical_options.h"

namespace heddle {

/// Only `graph` must outlive the backend; the other inputs are needed during MakeBackend() only.
struct BackendInput {
  const Graph& graph;  ///< must outlive the backend
  const TransportOptions& transport;
  const std::vector<DomainId>& domain_of;         ///< by node
  const std::vector<std::vector<NodeId>>& nodes;  ///< by domain, ascending
  const std::vector<RankId>& rank_of;             ///< by domain
  RankId here;
  std::uint32_t ranks;
  std::uint64_t seed;
  const std::vector<LinkEvent>& failures;  ///< expanded and sorted (topology/routes/failures.h)
  /// For backends that take whole collectives by closed forms; must outlive the backend. Null: such
  /// a backend cannot be made.
  CollectivePrices* prices = nullptr;
  PhysicalOptions physical = {};
};

}  // namespace heddle
