// SPDX-License-Identifier: GPL-2.0-only
/// The end of a run for people: how fast flows were, which were slow, and with whom those shared
/// links.
#ifndef HEDDLE_CORE_APP_SUMMARY_H_
#define HEDDLE_CORE_APP_SUMMARY_H_

#include <functional>
#include <string>
#include <vector>

#include "core/engine.h"
#include "core/table.h"
#include "topology/graph.h"
#include "topology/routes.h"
#include "transport/fabric_domain.h"

namespace heddle {

struct RunFigures {
  DomainBooks books;         ///< of all ranks
  std::int64_t flows = 0;    ///< that there should be (queue pairs)
  std::uint64_t events = 0;  ///< of all ranks
  std::uint64_t flows_digest =
      0;  ///< of all flows' records (transport/records.h), finished or not, kept or not
  double setup_seconds = 0, run_seconds = 0;
  std::vector<double> blocked_share;  ///< by rank
  std::vector<double> memory_mib;     ///< by rank
  Time end;              ///< of the simulated work: the last flow, or the last GPU's program
  Time last_event;       ///< of all that was simulated, the last ACKs included
  std::string deadlock;  ///< the cycle that FindDeadlock() spelled out at the end, at the root;
                         ///< empty if there is none
  FlowSample sample;     ///< which of the flows that finished the result keeps
  bool keeps_flows =
      true;  ///< whether these are in the table of flows that the summary is made from
};

/// The tables that a run is summed up from, as transport/fabric.h gathers them.
struct Outcome {
  Table flows, drops, ports, pause_causes;
  std::vector<Table> controller;  ///< requests and paths; none without a controller
  std::vector<Table> statistics;  ///< /flow_sizes, /slowdown_histogram, /fct_histogram, /tier_load
};

/// Several lines, each ended.
std::string Summarize(const Graph& graph, const Routes& routes, const Outcome& outcome,
                      const RunFigures& figures);

/// Words for the collective of a job's operation.
using NameOfCollective = std::function<std::string(std::uint32_t job, std::uint32_t operation)>;

/// "GPU 0 -> GPU 8 (4 MB) ..." of the first flows that did not finish, with what is known of why.
/// `deadlock`: as in RunFigures. `name`: null if the flows are of no job.
std::string DescribeUnfinished(const Graph& graph, const Outcome& outcome,
                               const std::string& deadlock, const NameOfCollective& name);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SUMMARY_H_
