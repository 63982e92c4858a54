// SPDX-License-Identifier: GPL-2.0-only
/// The inputs of a run, read and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/job/job.h"
#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/plans/plan_options.h"
#include "core/app/run/serving/serving_input.h"
#include "core/app/run/setup/all_options.h"
#include "core/app/run/setup/environment.h"
#include "core/app/run/setup/like.h"
#include "core/goal/goal_job.h"
#include "core/records/calibration_row.h"
#include "core/traffic/flow_request.h"
#include "partition/partition.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"

namespace heddle {

/// Everything that a run reads, checked. The same on every rank.
struct RunInput : AllOptions {
  std::unique_ptr<Graph> graph;
  std::uint32_t passing_servers = 0;  ///< whose GPUs pass on (topology/scale_up/direct_links.h)
  std::string joined_planes;          ///< NVSwitches that act as one (nvlink.spray); empty: none do
  AppliedLike applied_like;           ///< what the option `like` has set
  AppliedPlans applied_plans;         ///< what plans of jobs have set
  /// One line for each variable that was used, or is known but has no effect.
  std::vector<std::string> environment;
  std::vector<std::string> warnings;
  /// What files of other programs were taken for: ASTRA-SIM's. Empty: there is nothing to say.
  std::string fabric_format, system_format;
  std::vector<FlowRequest> flows;            ///< of a trace
  std::vector<Job> jobs;                     ///< jobs of workloads, if the run has no trace
  std::vector<GoalJob> schedules;            ///< of --goal, and of each --job goal=FILE
  std::unique_ptr<ServingInput> serving;     ///< of --serve; null: the run has another source
  std::vector<CalibrationRow> calibration;   ///< of --calibration; empty: none
  std::vector<FailureEvent> failure_events;  ///< as the user gave them
  std::vector<LinkEvent> failures;           ///< of single links
  DomainOptions grouping;
  std::string topology_digest;  ///< set if a profile is read or written
  Domains domains;
  Assignment assignment;
};

/// Reads and checks the inputs of a command line that ResolveTraffic() has accepted. Throws Error.
void LoadRun(const RunArguments& run, std::uint32_t ranks, const Environment& environment,
             RunInput* input);

}  // namespace heddle
