// SPDX-License-Identifier: GPL-2.0-only
/// How much the switches after a port can carry on towards a destination.
///
/// Weights of equally good ports after failures (WCMP: Zhou et al., "WCMP: Weighted Cost
/// Multipathing for Improved Fairness in Data Centers", EuroSys 2014): a spine that has lost one of
/// its two links to a leaf deserves half of the packets for it, from everywhere.
///
/// Symbols: C(v, c) capacity of switch v towards class c of GPUs, r(p) rate of its port p, n(p) the
/// node that it leads to, R(p) the rates of all cables from v to n(p) that are up.
///   C(v, c) = unlimited if a GPU of c is attached to v, otherwise
///             the sum of W(p, c) over v's next hops p towards c
///   W(p, c) = min(r(p), C(n(p), c) r(p) / R(p))
/// Others who use the same links are not looked at.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "topology/paths/hop_numbers.h"
#include "topology/routes/failures.h"
#include "topology/routes/route_timeline.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Rates of all links, as they are after some changes.
class LinkRates {
 public:
  /// Starts with the graph's nominal rates in both directions.
  explicit LinkRates(const Graph& graph);
  /// Sets the rate of one direction, or of both if the event names no sender. Ignores other events.
  void Apply(const Graph& graph, const LinkEvent& event);
  /// Returns the rate of the direction away from `sender`, an end of the link.
  BitRate Of(const Graph& graph, LinkId link, NodeId sender) const {
    return rates_[2 * std::size_t{link.value} + (graph.link(link).a == sender ? 0 : 1)];
  }

 private:
  std::vector<BitRate> rates_;  ///< by link, from a to b and from b to a
};

class PathCapacities {
 public:
  static constexpr BitRate kUnlimited{std::int64_t{1} << 60};

  /// Computes all capacities, by distance from each class. Keeps no reference to its arguments.
  PathCapacities(const Graph& graph, const Routes& routes, const LinkRates& rates);
  /// Returns W of a port [bit/s], at most its rate. `graph` is the one given before.
  BitRate Onward(const Graph& graph, NodeId node, PortId port, std::uint32_t cls) const {
    const PortShare& share = ports_[hops_.Of(node, port)];
    const NodeId next = graph.ports(node)[port.value].peer;
    if (row_[next.value] == kNone) return share.rate;
    const double behind = share.part * static_cast<double>(Of(next, cls).bps);
    return behind < static_cast<double>(share.rate.bps) ? BitRate{static_cast<std::int64_t>(behind)}
                                                        : share.rate;
  }
  /// Returns C of a switch [bit/s], at most kUnlimited for a switch next to the class; 0: no path.
  /// `cls`: of the routes given.
  BitRate Of(NodeId core_node, std::uint32_t cls) const {
    return capacities_[std::size_t{row_[core_node.value]} * classes_ + cls];
  }
  /// Returns the bytes of its tables, which grow with switches times classes.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNone = ~0U;

  struct PortShare {
    BitRate rate;     ///< r
    double part = 1;  ///< r / R
  };
  /// Sets r and r / R of every port; the part stays 1 where the link is down.
  void ShareCables(const Graph& graph, const Routes& routes, const LinkRates& rates);

  HopNumbers hops_;
  std::vector<PortShare> ports_;  ///< by hops_
  std::size_t classes_;
  std::vector<std::uint32_t> row_;   ///< by node; kNone: a GPU
  std::vector<BitRate> capacities_;  ///< by row, then class
};

/// Capacities over time: new ones with each epoch of routes, and `convergence` after each change of
/// a rate.
class CapacityTimeline {
 public:
  CapacityTimeline() = default;  ///< without any
  /// Computes the capacities of all steps. `events`: as for RouteTimeline, which made the epochs.
  CapacityTimeline(const Graph& graph, const std::vector<RouteEpoch>& epochs,
                   const std::vector<LinkEvent>& events, Time convergence);

  /// Whether there are no capacities: a timeline without epochs.
  bool empty() const { return steps_.empty(); }
  /// Returns the step that an epoch begins with, by a linear search.
  std::uint32_t First(std::uint32_t epoch) const;
  /// Returns the step that holds at `now`, at or after `step`, in the same epoch.
  std::uint32_t At(std::uint32_t step, Time now) const {
    while (step + 1 < steps_.size() && steps_[step + 1].epoch == steps_[step].epoch &&
           steps_[step + 1].time <= now)
      ++step;
    return step;
  }
  /// Returns the capacities of a step from First() or At().
  const PathCapacities& operator[](std::uint32_t step) const { return steps_[step].capacities; }
  /// Returns the bytes of all steps.
  std::size_t memory() const;

 private:
  struct Step {
    Time time;
    std::uint32_t epoch;
    PathCapacities capacities;
  };
  std::vector<Step> steps_;  ///< by epoch, then time; at least one an epoch
};

}  // namespace heddle
