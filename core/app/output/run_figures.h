// SPDX-License-Identifier: GPL-2.0-only
/// What a run found: its figures, and the tables that it is summed up from.
#ifndef HEDDLE_CORE_APP_OUTPUT_RUN_FIGURES_H_
#define HEDDLE_CORE_APP_OUTPUT_RUN_FIGURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "transport/record/flow_records.h"
#include "transport/record/flow_sample.h"

namespace heddle {

/// Counts and times of a run.
struct RunFigures {
  DomainBooks books;         ///< of all ranks
  std::int64_t flows = 0;    ///< that there should be (queue pairs)
  std::uint64_t events = 0;  ///< of all ranks
  std::uint64_t flows_digest =
      0;  ///< of all flows' records (transport/record/flow_records.h), finished or not, kept or not
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

/// The tables that a run is summed up from, as transport/fabric/fabric.h gathers them.
struct Outcome {
  Table flows, drops, ports, pause_causes;
  std::vector<Table> controller;  ///< requests and paths; none without a controller
  std::vector<Table> statistics;  ///< /flow_sizes, /slowdown_histogram, /fct_histogram, /tier_load
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_RUN_FIGURES_H_
