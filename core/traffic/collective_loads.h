// SPDX-License-Identifier: GPL-2.0-only
/// What a collective sends from where to where, for models that let whole collectives share links
/// (docs/models/flow.md).
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/collective_carrier.h"

namespace heddle {

/// What a collective sends from one node to another over one connection.
struct ConnectionLoad {
  NodeId from, to;  ///< invalid: an NVSwitch
  /// Its number among the connections of the group between these nodes; messages of one channel
  /// have one connection.
  std::uint32_t channel = 0;
  std::int64_t bytes = 0;  ///< of all messages together, with headers
  bool inside = false;     ///< by NVLinks of one server
};

/// One for each MPI rank; equal calls have equal loads on all of them.
class CollectiveLoads {
 public:
  using Visit = std::function<void(const ConnectionLoad&)>;

  /// Returns for how long the busiest port would send if all links were used evenly: a part of the
  /// price (CollectivePrices::PriceOf), or all of it.
  virtual Time BusyTimeOf(const CollectiveCall& call) = 0;
  /// Visits all connections. One connection may come in several visits, whose bytes add up.
  virtual void ForEachConnection(const CollectiveCall& call, const Visit& visit) = 0;

 protected:
  ~CollectiveLoads() = default;
};

}  // namespace heddle
