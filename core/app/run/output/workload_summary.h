// SPDX-License-Identifier: GPL-2.0-only
/// The summary of a run of workloads for people: duration of each job, where the time of its GPUs
/// went, and the bus bandwidths of its collectives.
#pragma once

#include <string>

#include "core/base/table.h"

namespace heddle {

/// Returns several lines, each with its line end. The tables are those of
/// collectives/tables/job_tables.h and collective_tables.h.
std::string SummarizeJobs(const Table& jobs, const Table& ranks, const Table& collectives,
                          const Table& layers);

}  // namespace heddle
