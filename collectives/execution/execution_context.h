// SPDX-License-Identifier: GPL-2.0-only
/// State shared by all participants of this MPI rank: the jobs, the latencies of messages before
/// they start, and the records of collectives.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/choice/issue_delay.h"
#include "collectives/execution/execution_records.h"
#include "collectives/execution/participation.h"
#include "collectives/execution/phase_record.h"
#include "collectives/job/placed_job.h"
#include "core/base/memory_account.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

class StateReader;
class StateWriter;

struct ExecutionContext {
  CollectiveOptions options;  ///< referenced by the jobs
  std::vector<std::unique_ptr<PlacedJob>> jobs;
  IssueDelay delay;
  const bool lasting;  ///< messages take lasting connections
  /// Delay of messages between two ranks, from when they may be sent; none: `delay` has it.
  std::optional<Time> message_delay;
  /// How far programs that are graphs lag the domain's clock, so that all that has happened until
  /// their time is known (trace_clock.h); 0: there are none.
  Time graph_lag;
  bool timeline = false;            ///< records every GPU's steps
  bool records_collectives = true;  ///< fills `collectives`
  std::vector<CollectiveRecord> collectives;
  std::vector<LayerRecord> layers;
  std::vector<StepRecord> steps;
  std::vector<FinishRecord> finishes;
  std::map<PhaseRecord::Key, PhaseDelays> phase_delays;  ///< of collectives in phases
  std::vector<GroupFlow> scratch;

  /// `chosen` is copied; jobs are to be added.
  explicit ExecutionContext(const CollectiveOptions& chosen)
      : options(chosen), delay(chosen), lasting(chosen.lasting()) {}

  /// Returns the record of a collective since the last TakeCollectives(), a new one if need be.
  CollectiveRecord& RecordOf(std::uint32_t job, std::uint32_t operation, std::uint32_t group) {
    if (!records_collectives) return unrecorded_;
    const std::uint64_t key = (static_cast<std::uint64_t>(job) << 52) ^
                              (static_cast<std::uint64_t>(operation) << 20) ^ group;
    const auto [at, is_new] = record_index_.try_emplace(key, collectives.size());
    if (is_new) {
      collectives.emplace_back();
      collectives.back().job = job;
      collectives.back().operation = operation;
      collectives.back().group = group;
    }
    return collectives[at->second];
  }

  /// Adds what a chunk waited for in a phase; passes count together.
  void AddDelays(const CollectiveName& name, std::uint32_t phase, const PhaseDelays& found);

  /// Returns and forgets the records. A collective in progress gets another record afterwards,
  /// which is joined to this one (core/records/collective_rows.h).
  std::vector<CollectiveRecord> TakeCollectives() {
    record_index_.clear();
    return std::exchange(collectives, {});
  }

  /// Memory of the records [byte].
  std::size_t record_memory() const {
    return MemoryOf(collectives) + MemoryOf(layers) + MemoryOf(steps) + MemoryOf(finishes) +
           MemoryOf(scratch) + MemoryOfHash(record_index_) + MemoryOfTree(phase_delays);
  }

  /// Saves for a checkpoint what GPUs of several domains recorded together. Any MPI rank may add it
  /// to its own records.
  void SaveCollectives(StateWriter* to) const;
  /// Joins saved records to these. Throws UserError for records that no job has.
  void AddCollectives(StateReader* from);
  /// Drops what Begin() of the agents recorded; call it before they are loaded.
  void ForgetRecords();

  /// Posts a message to the transport; it may be sent from `ready` on. `first`: whether it is at
  /// the beginning of its source's participation.
  void Post(const PlacedJob& job, Participation* part, const GroupFlow& flow, Time ready,
            bool first, FlowPoster* port) const;
  /// Returns the name of the sum at switch `at` that a message feeds or carries on
  /// (FlowPost::stream).
  StreamName StreamOf(const MessageName& name, Participant at) const;
  /// Returns a participant's call of a collective that begins at `start`, for a backend that
  /// carries whole collectives.
  static CollectiveCall CallOf(PlacedJob& job, const Participation& part, Time start);

 private:
  std::unordered_map<std::uint64_t, std::size_t> record_index_;
  CollectiveRecord unrecorded_;
};

}  // namespace heddle
