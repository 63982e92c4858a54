// SPDX-License-Identifier: GPL-2.0-only
/// A case with a workload and SimAI's report of it (tests/data/cases/c*, doc_*), and the figures of
/// such a report.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "tests/support/simulate.h"
#include "topology/graph/graph.h"
#include "transport/domain/state/transport_options.h"

namespace heddle::testing {

/// A figure of ncclFlowModel_EndToEnd.csv.
struct ReportFigure {
  std::uint32_t layer = 0;
  std::string column;  ///< as in the file; "all": the lines of totals
  std::int64_t ps = 0;
};

/// Reads the times of a report, layer by layer, then the totals of its last line. Throws if the
/// format is another.
std::vector<ReportFigure> ReadEndToEnd(std::istream& report);

/// Inputs of a case: topology, workload, SimAI.conf, and the environment that about.txt names.
struct WorkloadCase {
  explicit WorkloadCase(const std::string& name);
  Graph graph;
  TransportOptions transport;
  CollectiveOptions collectives;
  Job job;
};

/// heddle's report of a run, through its export.
std::vector<ReportFigure> ReportOf(const Job& job, const Observed& outcome);

}  // namespace heddle::testing
