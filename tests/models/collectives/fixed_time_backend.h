// SPDX-License-Identifier: GPL-2.0-only
/// The analytical backend with one price for all: every collective ends a fixed time after its last
/// participant has begun.
#pragma once

#include <string>
#include <vector>

#include "partition/partition.h"
#include "topology/graph/graph.h"
#include "transport/run/backends/analytical_backend.h"

namespace heddle::testing {

struct FixedPrices final : CollectivePrices {
  explicit FixedPrices(Time of_each) : price(of_each) {}
  Time PriceOf(const CollectiveCall&) override { return price; }
  std::string Describe() const override { return "transport        a fixed time\n"; }

  Time price;
};

/// What the backend is made of, on one rank. It must outlive the backend.
struct FixedTime {
  FixedTime(const Graph& of, const Domains& cut, Time collective)
      : graph(of), domains(cut), ranks(cut.nodes.size(), RankId(0)), prices(collective) {}

  BackendInput Input() {
    return {graph,         options,  domains.domain_of,
            domains.nodes, ranks,    RankId(0),
            /*ranks=*/1,
            /*seed=*/1,    failures, &prices};
  }

  const Graph& graph;
  const Domains& domains;
  std::vector<RankId> ranks;
  TransportOptions options;
  std::vector<LinkEvent> failures;
  FixedPrices prices;
};

}  // namespace heddle::testing
