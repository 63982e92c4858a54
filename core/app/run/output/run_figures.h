// SPDX-License-Identifier: GPL-2.0-only
/// The results of a run: its figures, and the tables from which its summary is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "core/records/flow_vocabulary.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/record/flow_sample.h"
#include "transport/run/backends/backend_records.h"

namespace heddle {

/// Counts and times of a run.
struct RunFigures {
  DomainBooks books;         ///< of all ranks
  bool has_flows = true;     ///< false: collectives are carried whole, without flows and packets
  std::int64_t flows = 0;    ///< number expected (queue pairs), with flows that never begin
  std::uint64_t events = 0;  ///< of all ranks
  /// Digest of all flows' records (core/records/flow_vocabulary.h), finished or not, kept or not.
  std::uint64_t flows_digest = 0;
  bool measured = false;  ///< its times are those of real machines
  double setup_seconds = 0, run_seconds = 0;
  std::vector<double> blocked_share;  ///< by rank
  std::vector<double> memory_mib;     ///< by rank
  /// End of the simulated work: of the last flow, or of the last GPU's program; if it stalled, of
  /// its last event.
  Time end;
  Time last_event;           ///< of the whole simulation, the last ACKs included
  bool stalled = false;      ///< work is left, and no event
  bool out_of_time = false;  ///< the simulation ended at kEndOfTime, with events left
  std::string deadlock;  ///< cycle as text from Backend::FindDeadlock() at the end, at the root;
                         ///< empty if there is none
  FlowSample sample;     ///< which of the finished flows the result keeps
  /// Which of the jobs' operations have rows in /collectives; none for traces.
  std::optional<FlowSample> collectives;
  std::uint64_t planned_collectives = 0;
  /// Whether these flows are in the table from which the summary is made.
  bool keeps_flows = true;
  std::string serving;        ///< served requests as an object of JSON, at the root; empty: none
  bool paths_by_flow = true;  ///< the hash of a flow determines its path
  std::optional<ReplayOutcome> replay;  ///< none: nothing was to be replayed

  /// Returns how many flows did not finish: some began, others never did because a GPU waited for
  /// others first.
  std::int64_t unfinished() const { return flows - books.flows_finished; }

  /// DomainBooks::idle_nic_share(), if GPUs with several NIC ports sent and all flows have ended.
  std::optional<double> idle_nic_share() const {
    if (books.nic_ports_open_ns <= 0 || books.flows_finished < books.flows_started)
      return std::nullopt;
    return books.idle_nic_share();
  }
};

/// The tables from which a run's summary is made.
struct Outcome : TotalTables {
  Table flows;
  std::vector<FlowRecord> recovered;  ///< those of the flows that lost packets, or seemed to
};

}  // namespace heddle
