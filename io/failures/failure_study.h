// SPDX-License-Identifier: GPL-2.0-only
/// What broke in a run, who waited because of it, and what it cost: the findings of `heddle analyze
/// failures`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/failures/failure_costs.h"
#include "io/failures/flow_losses.h"
#include "io/failures/outages.h"

namespace heddle {

/// One outage and what it did.
struct StudiedOutage {
  Outage outage;
  std::int64_t lost_packets = 0;  ///< at its ports, because a link was down
  OutageFlows flows;              ///< zeros if flows are not known
  std::string longest;  ///< who waited longest: "server 0 / GPU 0 to server 1 / GPU 0"; or empty
  std::vector<HeldCollective> held;  ///< see FindHeldCollectives()

  /// Whether nothing was on it and nothing took another path because of it, if flows are known.
  bool is_unnoticed() const {
    return flows.on_it == 0 && flows.moved == 0 && flows.detours == 0 && lost_packets == 0;
  }
};

/// The flow that ended last; `name` is empty if there is none.
struct LastFlow {
  std::string name;
  std::int64_t end_ps = 0;
  std::uint32_t outage = FlowFate::kNoOutage;
  bool on_it = false;
  std::int64_t waited_ps = 0;  ///< for timeouts, or without a path
};

struct FailureStudy {
  std::string file;
  std::int64_t end_ps = 0;
  std::int64_t convergence_ps = 0;  ///< how long routes took to follow
  std::string unknown;              ///< why flows are not known; empty: they are
  std::vector<StudiedOutage> outages;
  std::size_t after_end = 0;          ///< events after the end of the run
  std::int64_t lost_packets = 0;      ///< because a link was down, anywhere
  std::int64_t no_route_packets = 0;  ///< at switches from which no route led on
  std::int64_t flows_started = 0;     ///< rows of flows that started
  /// Flows with rows that no outage met; all with rows if flows are not known.
  std::int64_t flows_of_others = 0;
  Recovery others;
  std::vector<JobOfFailures> jobs;
  LastFlow last_flow;
};

/// Throws UserError with the file's name if it is no result, or nothing failed in the run.
FailureStudy StudyFailures(const std::string& file);

}  // namespace heddle
