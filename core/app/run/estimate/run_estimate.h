// SPDX-License-Identifier: GPL-2.0-only
/// The expected cost of a run, printed before it starts: events, packet-hops, memory, disk and
/// time; afterwards, the error of that estimate.
///
/// Flows and packet-hops are counted from the input and the routes. Memory that is allocated before
/// the run is counted in its data structures; its growth is estimated from the flows that are open
/// at once. Time is packet-hops over a rate measured on one machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/run/estimate/memory_report.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"
#include "core/base/memory_account.h"
#include "core/base/table.h"
#include "core/mpi/communicator.h"
#include "core/system/memory_limit.h"
#include "io/schema/result_size.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// One rank's expected memory. Plain bytes, to be gathered.
struct MemoryEstimate {
  MemoryAccount structures;   ///< at the peak
  std::int64_t before = 0;    ///< resident before any input was read
  std::int64_t now = 0;       ///< resident now, with the backend made
  std::int64_t overhead = 0;  ///< allocator overhead, MPI's shared segments, code not yet loaded

  /// Returns the most resident memory that is expected [byte].
  std::int64_t peak() const { return before + structures.total() + overhead; }
  /// Returns the expected growth from now on [byte]; at least 0.
  std::int64_t growth() const { return peak() > now ? peak() - now : 0; }
};

/// The same on all ranks except `memory`, which is complete at the root only.
struct RunEstimate {
  bool has_flows = true;  ///< false: nothing but memory and the result is estimated
  double flows = 0, packet_hops = 0, events = 0;
  double seconds = 0;                  ///< wall-clock time of the simulation
  bool replays = false;                ///< events and time may be far less
  std::string faster;                  ///< Backend::FasterWith() of a long run of jobs
  std::vector<MemoryEstimate> memory;  ///< by rank
  ResultSize result;                   ///< 0 without a result
  MemoryDemand demand;                 ///< of this rank's node

  std::int64_t most_memory() const;  ///< largest of all ranks [byte]
};

/// What the estimate is made from.
struct EstimateSource {
  const RunInput* input = nullptr;
  const Backend* backend = nullptr;
  RunTraffic* traffic = nullptr;
  ResultRows rows;               ///< of the result; none without a result
  std::int64_t kept_rows = 0;    ///< rows of flows kept in memory until the end
  double collectives = 0;        ///< recorded, sampled or not
  double shown_collectives = 0;  ///< rows of them kept at the end for the summary
  bool flushes = false;          ///< whether records leave the memory at every flush
  MemoryAccount now;             ///< this rank's
  ProcessMemory before;
};

/// Returns how many times faster a run over a fabric of `gpus` GPUs is on ranks with a core each
/// than on one (docs/performance.md, measured on two ranks).
double SpeedupOf(std::uint32_t gpus, double ranks);

/// Estimates the run; memory is complete at the root only. Collective.
RunEstimate EstimateRun(const Communicator& world, const EstimateSource& source);

/// "expected         59 M flows, 1.9 G packet-hops, 2.7 G events, about 6 min, 513 MiB a rank",
///     with the line's end.
std::string DescribeShortly(const RunEstimate& estimate);

/// Returns the whole estimate with a table of memory; lines with their ends. At the root.
std::string DescribeEstimate(const RunEstimate& estimate, const std::string& result_size);

/// Throws Error with exit code 7 if this rank's node has too little memory. The message names the
/// memory needed, the memory available and remedies.
void CheckMemory(const MemoryDemand& demand, const MemoryEstimate& mine);

/// Measured figures, to compare with the estimate.
struct RunMeasured {
  double packet_hops = 0, events = 0, seconds = 0;
  std::int64_t most_memory = 0;  ///< largest of all ranks [byte]
};
/// Errors of an estimate: estimated over measured, minus 1; 0 where nothing was measured.
struct EstimateError {
  double packet_hops = 0, events = 0, memory = 0, seconds = 0;
  bool replays = false;  ///< events and time of what was replayed are not there
};
/// Returns relative errors, + where too much was estimated.
EstimateError CompareEstimate(const RunEstimate& estimate, const RunMeasured& measured);
/// "estimate was     packet-hops +0.0 %, events +1.2 %, memory +12.0 %, time -20.0 %", with the
///     line's end.
std::string Describe(const EstimateError& error);

/// Returns the attributes of /run: estimated_*.
std::vector<Attribute> EstimateAttributes(const RunEstimate& estimate);

}  // namespace heddle
