// SPDX-License-Identifier: GPL-2.0-only
/// The ways to say what a run sends. A new one is a row of the table, and its member of
/// RunArguments.
#ifndef HEDDLE_CORE_APP_SETUP_TRAFFIC_SOURCES_H_
#define HEDDLE_CORE_APP_SETUP_TRAFFIC_SOURCES_H_

#include <string>
#include <vector>

#include "collectives/choice/simai_environment.h"
#include "core/app/setup/run_arguments.h"
#include "core/base/units.h"
#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// One of them: a flag with one file, or a repeatable one with a job each.
struct TrafficSource {
  using FlowReader = std::vector<FlowRequest> (*)(const std::string& path, const Graph& graph,
                                                  Time send_latency);

  const char* flag;       ///< as messages name it
  const char* all_names;  ///< of the flag, for CLI11
  const char* value;      ///< what follows the flag, in words for the user
  const char* help;
  const char* log_key;              ///< in the JSON log's "traffic" (docs/formats/json-log.md)
  const char* digest;               ///< attribute (docs/formats/result.md); of jobs after "job N "
  const char* variable;             ///< of the environment, that stands for the flag; null: none
  std::string RunArguments::*file;  ///< null: `jobs`
  std::vector<std::string> RunArguments::*jobs;  ///< null: `file`
  FlowReader read;                               ///< null: workloads (core/app/setup/job_setup.h)

  /// The flag's values; none if it was not given.
  std::vector<std::string> Given(const RunArguments& run) const;
  /// The file that one of these values names. Throws UsageError.
  std::string FileOf(const std::string& given) const;
};

/// All of them, in the order in which help and results name them.
const std::vector<TrafficSource>& TrafficSources();

/// A variable that stands for a flag takes its place. Throws UsageError if nothing says what to
/// send, or two things do.
void ResolveTraffic(const Environment& environment, RunArguments* run);

/// The one source of a run that ResolveTraffic() has accepted.
const TrafficSource& SourceOf(const RunArguments& run);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_TRAFFIC_SOURCES_H_
