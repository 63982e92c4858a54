// SPDX-License-Identifier: GPL-2.0-only
/// Where a backend without packets learns how long collectives take. The closed forms know
/// algorithms, of which backends know nothing (collectives/closed_form/closed_prices.h).
#pragma once

#include <string>

#include "core/traffic/collective_carrier.h"
#include "core/traffic/collective_loads.h"

namespace heddle {

/// One for each MPI rank; equal calls have equal prices on all of them.
class CollectivePrices {
 public:
  virtual ~CollectivePrices() = default;
  /// Returns the time from when the last of its ranks begins to the end of the collective; > 0.
  /// Independent of `rank` and `start` of the call, and of all other calls.
  virtual Time PriceOf(const CollectiveCall& call) = 0;
  /// Returns what prices are made of, for the run's head. Whole lines.
  virtual std::string Describe() const = 0;
  /// Returns what collectives send over which connections; null: not known.
  virtual CollectiveLoads* loads() { return nullptr; }
};

}  // namespace heddle
