// SPDX-License-Identifier: GPL-2.0-only
/// The paths that flows took while links failed and came back: one for each time between two
/// changes of routes.
///
/// Routes follow a failure as they did in the run (topology/routes/route_timeline.h), and a flow's
/// hash is known, so its path is known at any time. A flow whose port the central controller
/// changed has the path of the port that was in force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/analysis/result_view.h"
#include "topology/routes/failures.h"
#include "topology/routes/route_timeline.h"

namespace heddle {

/// A part of a flow's life with the same routes.
struct PathStretch {
  std::int64_t from_ps = 0, to_ps = 0;
  std::uint32_t epoch = 0;    ///< number of the routes; 0: of the healthy fabric
  bool has_path = true;       ///< whether the routes led to the destination
  std::vector<LinkId> links;  ///< of its data, the sender's first; without a path, up to its end
};

class PathsOverTime {
 public:
  /// `flows`: table `flows` of the result, which must outlive it. Throws UserError for tables that
  /// do not fit the topology.
  PathsOverTime(const ReportSource& source, const Table& flows,
                const std::vector<FailureEvent>& events);

  /// How long routes took to follow a failure [ps].
  std::int64_t convergence_ps() const { return convergence_.ps; }
  /// Returns when the routes of an epoch came into force [ps].
  std::int64_t TimeOf(std::uint32_t epoch) const { return timeline_.epochs()[epoch].time.ps; }

  /// Replaces *stretches with those of a row, by time. A flow without an end lives up to `end_ps`.
  /// Empty for a flow that never started.
  void Of(std::size_t row, std::int64_t end_ps, std::vector<PathStretch>* stretches) const;
  /// Returns the links of its data in the healthy fabric.
  std::vector<LinkId> Healthy(std::size_t row) const;
  /// Returns the links of its acknowledgements with the routes of a stretch.
  std::vector<LinkId> OfAcks(std::size_t row, std::uint32_t epoch) const;

 private:
  struct Choice {
    std::int64_t time = 0;
    std::uint16_t port = 0;
  };
  /// Fills choices_ from table "controller/requests".
  void ReadChoices(const ReportSource& source);
  /// Returns the source port of a row at `time` [ps]; the controller's first choice holds from the
  /// start on.
  std::uint16_t PortAt(std::size_t row, std::int64_t time) const;
  /// Whether the routes of an epoch can differ for a row. Always true for a row with an NVSwitch.
  bool Concerns(std::size_t row, std::uint32_t epoch) const;
  /// Collects the links up to the destination, or to where no route leads on. Returns whether it
  /// arrives.
  bool Follow(const Routes& routes, NodeId from, NodeId to, std::uint16_t source_port,
              std::uint16_t destination_port, std::vector<LinkId>* links) const;

  const Graph& graph_;
  const Table& flows_;
  Time convergence_;
  RouteTimeline timeline_;
  /// By source and request: the controller's choices, by time.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Choice>> choices_;
  const std::vector<std::uint32_t>*src_, *dst_, *request_ = nullptr;
  const std::vector<std::uint16_t>*source_port_, *destination_port_;
  const std::vector<std::int64_t>*start_, *fct_;
  const std::vector<std::uint8_t>* state_;
};

}  // namespace heddle
