// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/priced_outcome.h"

#include <utility>

#include "core/app/run/serving/path_prices.h"
#include "core/serving/priced_serving.h"

namespace heddle {

ServingOutcome ServeByPrices(const ServingInput& input, const Graph& graph) {
  const PathPrices prices(graph, input.plan);
  PricedServing run(input.plan, input.requests, prices);
  run.Run();
  ServingRecords found;
  for (const ServingInstance& instance : run.machine().instances()) {
    instance.AddRecords(&found.records);
    found.totals.push_back(instance.totals());
    for (const auto& [gap, count] : instance.gaps()) found.gaps[gap] += count;
  }
  found.sent_bytes = run.sent_bytes();
  return OutcomeOf(input, std::move(found));
}

}  // namespace heddle
