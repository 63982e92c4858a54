// SPDX-License-Identifier: GPL-2.0-only
/// The least time of a collective on its fabric: what its busiest port needs for the bytes of the
/// messages of the schedule that was chosen, if it lacks nothing and nobody else sends. A GPU may
/// use all its ports, however few connections it has. Headers, flags of protocols, latencies
/// and dependencies of messages come on top, so the collective takes longer. The busiest port is
/// that of port_load.h.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "collectives/closed_form/wire_figures.h"
#include "collectives/job/placed_job.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"

namespace heddle {

class LeastTimes {
 public:
  /// `graph` must outlive it.
  explicit LeastTimes(const Graph& graph) : graph_(graph) {
    wire_.header = 0;
    wire_.queue_pairs = kAllPorts;
  }

  /// Returns the least time of a collective of a group of a job; each kind is computed once a
  /// group. 0: it sends nothing, or its messages are not known before it runs (Algorithm::kPhases).
  Time Of(const PlannedCollective& collective, std::uint32_t job, std::uint32_t group);

 private:
  static constexpr std::uint32_t kAllPorts = 1U << 20;  ///< queue pairs: more than ports

  /// Job, group; and what is done: operation, type of group, bytes, root, peer.
  using Key = std::tuple<std::uint32_t, std::uint32_t, Operation, GroupType, std::int64_t,
                         std::uint32_t, std::uint32_t>;

  const Graph& graph_;
  WireFigures wire_;
  std::map<Key, Time> known_;
};

}  // namespace heddle
