// SPDX-License-Identifier: GPL-2.0-only
/// The time lines of a run's GPUs as a Chrome trace (JSON), which Perfetto (ui.perfetto.dev) and
/// chrome://tracing show.
///
/// Source: the Trace Event Format: complete events ("X") with `ts` and `dur` in us, three decimals
/// (ns, cut down); metadata events ("M") name what they are on. A process is a job, a thread a
/// track of a GPU: "GPU 5 compute", "GPU 5 communication", "GPU 5 flows". What overlaps on one of
/// these goes to further tracks ("GPU 5 flows 2"): complete events on a thread must nest. Thread
/// ids only number the tracks. Flows that an NVSwitch sends are in the job of their receiver; flows
/// outside of all jobs are in a process behind the jobs.
#ifndef HEDDLE_IO_EXPORT_EXPORT_PERFETTO_H_
#define HEDDLE_IO_EXPORT_EXPORT_PERFETTO_H_

#include <optional>
#include <ostream>

#include "core/base/table.h"

namespace heddle {

/// The tables of a result that a trace is made from; flows only if they are to be in it.
struct TraceTables {
  Table shape, jobs, ranks, layers, collectives, steps;
  std::optional<Table> flows;
};

/// Writes the trace event by event to `out`, whose state the caller checks. Flows that did not
/// finish are left out. Throws UserError if a column is missing.
void ExportPerfetto(const TraceTables& tables, std::ostream& out);

}  // namespace heddle

#endif  // HEDDLE_IO_EXPORT_EXPORT_PERFETTO_H_
