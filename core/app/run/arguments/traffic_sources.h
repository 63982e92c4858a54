// SPDX-License-Identifier: GPL-2.0-only
/// The sources of a run's traffic. A new one needs a row of the table and a member of RunArguments.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "core/base/units.h"
#include "core/goal/goal_schedule.h"
#include "core/options/environment_variables.h"
#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// A file with flows or a schedule, and what its reader must know.
struct FlowFile {
  const std::string& path;
  const Graph& graph;
  Time send_latency;                   ///< of the software, for starts before it
  const std::string& start_unit;       ///< RunArguments::start_unit
  std::uint64_t goal_window;           ///< GoalWindow::operations
  std::vector<std::string>* warnings;  ///< the reader adds to them
};

/// A source of traffic: a flag with one file, or a repeatable flag with one job each.
struct TrafficSource {
  using FlowReader = std::vector<FlowRequest> (*)(const FlowFile& file);
  using ScheduleReader = GoalSchedule (*)(const FlowFile& file);

  const char* flag;       ///< as in messages
  const char* all_names;  ///< all names of the flag, for CLI11
  const char* value;      ///< description of the flag's value for users
  const char* help;
  const char* log_key;              ///< in the JSON log's "traffic" (docs/formats/json-log.md)
  const char* digest;               ///< attribute (docs/formats/result.md); of jobs after "job N "
  const char* variable;             ///< environment variable that replaces the flag; null: none
  std::string RunArguments::*file;  ///< null: `jobs`
  std::vector<std::string> RunArguments::*jobs;  ///< null: `file`
  FlowReader read;                               ///< null: no flows
  ScheduleReader read_schedule = nullptr;        ///< null: no schedule
  bool serves = false;                           ///< it is a deployment, which serves requests

  /// Whether it is a workload (core/app/run/setup/job_setup.h).
  bool has_jobs() const { return read == nullptr && read_schedule == nullptr && !serves; }

  /// Returns the flag's values; none if it was not given.
  std::vector<std::string> Given(const RunArguments& run) const;
  /// Returns the file named in one of these values. Throws UsageError.
  std::string FileOf(const std::string& given) const;
};

/// Reads a schedule in GOAL. Throws UserError if it has more ranks than the fabric has GPUs, or
/// messages that cannot match; adds what is odd otherwise to `warnings`. `window`: as ReadGoal's.
GoalSchedule ReadRunnableGoal(const std::string& path, const Graph& graph, std::uint64_t window,
                              std::vector<std::string>* warnings);

/// Returns all sources, in the order of the help text and of results.
const std::vector<TrafficSource>& TrafficSources();

/// Sets a source from the environment variable that replaces its flag, and puts jobs of schedules
/// behind those of workloads, as all tables number them so. Throws UsageError if no source is
/// given, or two are (but for jobs beside a deployment), and for flags that belong to another
/// source.
void ResolveTraffic(const Environment& environment, RunArguments* run);

/// Returns the only source of a run that ResolveTraffic() has accepted; that of the jobs, if a
/// deployment is beside them.
const TrafficSource& SourceOf(const RunArguments& run);

}  // namespace heddle
