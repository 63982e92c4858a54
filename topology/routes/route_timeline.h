// SPDX-License-Identifier: GPL-2.0-only
/// Which routes apply when: a list of epochs, known before a run starts.
///
/// Routes are immutable and shared, so domains at different simulated times can use different
/// epochs, and a restart finds its epoch by time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/units.h"
#include "topology/routes/failures.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Routes from `time` on, until the next epoch begins.
struct RouteEpoch {
  Time time;
  std::shared_ptr<const Routes> routes;
  Routes::Change change;  ///< differences from the previous epoch

  /// Whether the paths to or from a GPU may differ from the previous epoch: its class changed, it
  /// moved, or one of its own links (NVLink included) changed.
  bool Affects(NodeId gpu) const;
};

class RouteTimeline {
 public:
  /// Derives the routes of all epochs. `events` as returned by ExpandFailures(); changes of a rate
  /// make no epoch. Routes react to a change after `convergence` (0: at once). Throws UserError if
  /// that is below 0 or too large.
  RouteTimeline(std::shared_ptr<const Routes> initial, const std::vector<LinkEvent>& events,
                Time convergence = {});

  /// Returns the epochs, ascending in time. The first is at time 0 with the initial routes; later
  /// times differ, except that a change that takes effect at time 0 makes a second epoch at 0,
  /// which then applies.
  const std::vector<RouteEpoch>& epochs() const { return epochs_; }

  /// Returns the number of the epoch that applies at `time` >= 0: the last one that began at or
  /// before it.
  std::uint32_t At(Time time) const;

 private:
  std::vector<RouteEpoch> epochs_;
};

}  // namespace heddle
