// SPDX-License-Identifier: GPL-2.0-only
/// The time lines of a run's GPUs as a Chrome trace (JSON), for Perfetto (ui.perfetto.dev) and
/// chrome://tracing.
///
/// Source: the Trace Event Format: complete events ("X") with `ts` and `dur` in us, three decimals
/// (ns, truncated); metadata events ("M") name tracks. A process is a job, a thread a track of a
/// GPU: "GPU 5 compute", "GPU 5 communication", "GPU 5 flows". Intervals that overlap go to further
/// tracks ("GPU 5 flows 2"), because complete events on a thread must nest. Thread ids only number
/// the tracks. Flows sent by an NVSwitch belong to the job of their receiver; flows outside all
/// jobs are in a process after the jobs.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// The tables of a result from which a trace is made; flows are optional.
struct TraceTables {
  Table shape, jobs, ranks, layers, collectives, steps;
  std::optional<Table> flows = std::nullopt;
  std::vector<std::string> names = {};  ///< of nodes; empty: by kind and number
};

/// Writes the trace to `out` event by event; the caller checks its state. Unfinished flows are left
/// out. Throws UserError if a column is missing.
void ExportPerfetto(const TraceTables& tables, std::ostream& out);

}  // namespace heddle
