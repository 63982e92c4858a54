// SPDX-License-Identifier: GPL-2.0-only
/// Records a run: rows and totals for its result during the run, and the data of its summary at the
/// end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/execution/execution_context.h"
#include "collectives/tables/collective_tables.h"
#include "collectives/tables/least_times.h"
#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/estimate/run_estimate.h"
#include "core/app/run/output/progress.h"
#include "core/app/run/output/run_figures.h"
#include "core/app/run/recorder/result_files.h"
#include "core/app/run/recorder/run_attributes.h"
#include "core/app/run/recorder/run_identity.h"
#include "core/app/run/setup/run_input.h"
#include "core/base/table.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "io/result/result_parts.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// The run to record; all of it outlives the recorder.
struct RecordedRun {
  const RunArguments& arguments;
  const RunInput& input;
  const Communicator& world;
  Backend& backend;
  ExecutionContext* programs;   ///< of jobs; null for traffic without programs of GPUs
  RunFigures& figures;          ///< `flows` and `sample` are set; the recorder fills in the rest
  const RunEstimate& estimate;  ///< made before Open()
  /// Tables that the traffic adds, their rows at the root. Collective.
  std::function<std::vector<Table>()> own_tables;
};

/// One rank's side. Without --output there is no result, and flows are kept for the summary only.
/// All functions that throw are collective.
class ResultRecorder {
 public:
  /// Orders the backend to keep flows, and reads the inputs again for their digests. Throws
  /// SharedError.
  explicit ResultRecorder(const RecordedRun& run);

  /// Returns the number of rows that the result will have; none without a result.
  ResultRows RowsToWrite() const;
  /// Checks that the result can be written, or continued from `resumed`; writes nothing new yet.
  /// Throws SharedError.
  void Open(const std::optional<FlushPoint>& resumed);
  /// Returns the result's expected size as text, empty without a result; adds a line to `warnings`
  /// if the disk has too little space. At the root only.
  std::string EstimateSize(std::vector<std::string>* warnings);
  /// Returns the wall-clock time between flushes as the user gave it; zero: automatic, or no
  /// result.
  Time flush_interval() const;

  /// Makes the first flush. From here on a killed run can be recovered, and a full disk has been
  /// detected. `begin`: time 0, or that of the checkpoint. Throws SharedError.
  void Start(Time begin);
  /// Flushes at a cut if a flush is due. If `now`, flushes in any case and waits for the disk,
  /// because a checkpoint may refer to it. `wall_seconds`: since the program began. Throws
  /// SharedError.
  void FlushAt(const ProgressState& state, double wall_seconds, bool now);
  /// Returns the last flush; a checkpoint made now refers to it. Requires a result.
  FlushPoint point() const { return output_->point(); }
  /// Whether heddle recover can make a result of the files.
  bool flushed() const { return output_ != nullptr && output_->point().flush > 0; }
  /// Gathers the outcome after the last event, unfinished flows included; complete at the root
  /// only.
  Outcome GatherOutcome();
  /// Makes the last flush, then `before_result` on all ranks, then the result if one is wanted.
  /// `figures` must be complete. Throws SharedError.
  void Finish(const Outcome& outcome, const EngineReport& report,
              const std::function<void()>& before_result);
  /// Returns the names of the monitors without a row that the user may miss. With monitor.kinds=all
  /// a monitor without rows is no surprise, as long as another has some. At the root, after
  /// Finish(). None if the run was resumed: rows before that are not counted.
  std::vector<std::string> EmptyMonitors() const;
  /// Deletes the files of a run whose contents are invalid. Not collective.
  void Discard();

  /// Adds the memory of rows and of the files' buffers.
  void AddMemory(MemoryAccount* account) const;

  /// Returns jobs, collectives, layers, ... as of the last flush or Finish(), at the root; none for
  /// traces. Collectives come with Finish() only, and without rows if they are too many for the
  /// summary.
  const std::vector<Table>& job_tables() const { return job_tables_; }
  /// Why not all collectives are in job_tables(), as a line of the summary; empty if they are.
  std::string CollectivesNote() const;
  /// Whether records of collectives gather in memory until a flush.
  bool GathersCollectives() const;
  /// Fills in what the estimate has to know of collectives.
  void DescribeRecords(EstimateSource* source) const;

  /// Inputs and options, at the root and with a result only.
  const std::vector<Attribute>& about() const { return about_; }
  /// Returns the same as a checkpoint's identity.
  const RunIdentity& identity() const { return identity_; }
  /// Returns the kept flows, which checkpoints save and restore.
  FlowRecords* kept() { return &kept_; }
  RunBooks* books() { return &books_; }  ///< saved and restored by checkpoints

 private:
  /// Decides which flows the backend keeps, and whether the summary needs all of them.
  void ChooseFlows();
  /// Decides whether programs record collectives: for the result, or for a summary that can list
  /// them.
  void ChooseCollectives();
  /// Whether so many records have gathered that a flush is pressing. Not collective.
  bool HasManyRecords() const;
  /// Keeps the unfinished ones, which the summary lists in any case.
  void KeepUnfinished(const std::vector<FlowRecord>& flows);
  using Sink = ResultFiles::RowSink;
  /// Moves ended flows, and the `open` ones, to the result and the summary; the backend drops them.
  /// Collective.
  void TakeFlows(const std::vector<FlowRecord>& open);
  /// Writes rows of these flows in order; without flows each of their tables once, empty.
  void WriteFlows(std::vector<FlowLists> lists, const Sink& to);
  TrafficEnd EndSoFar() const { return {run_.world, run_.backend.now()}; }  ///< now, on all ranks
  /// Writes samples of monitors before `end` (`is_end`: all), steps and collectives since the last
  /// call.
  void TakeRows(TrafficEnd end, bool is_end, const Sink& to);
  /// Returns this rank's parts of collectives since the last call, the sampled ones.
  Table TakeCollectives();
  /// Returns a function that gives a collective's algorithm and least time; physical runs have no
  /// least time.
  PlanOf Plans();
  /// Moves the summary's collectives to job_tables_. Collective.
  void TakeShownCollectives();
  /// Keeps collectives of the merged logs for the summary, unless they are too many.
  void Watch(const Table& block);
  /// Gathers the totals without flows, and the digest of flows. Collective.
  Outcome GatherTotals();
  /// Fills job_tables_ at the root, collectives without rows. Collective.
  void GatherJobTables();
  /// Returns /layers of all ranks, which may have more rows than memory has room for. At the root.
  LongTable Layers() const;
  /// Returns tables and attributes of the result without rows of logs, at the root. Collective.
  RunTotals Totals(const Outcome& outcome, const EngineReport& report);

  RecordedRun run_;
  RunBooks books_{UtcNow(), 0, 0, 0, {}};  ///< one row of progress for each flush
  FlowRecords kept_;                       ///< rows that the summary needs
  std::vector<Table> job_tables_;
  std::vector<LayerRecord> layers_;  ///< of the ranks that ran, sorted, at the root
  Table shown_;                      ///< collectives for the summary, at the root
  LeastTimes least_times_;
  bool too_many_ = false;                        ///< whether the summary leaves them out
  std::map<std::string, std::int64_t> samples_;  ///< rows of each monitor; of all ranks at the end
  bool resumed_ = false;
  std::vector<Attribute> about_;         ///< inputs and options, at the root
  RunIdentity identity_;                 ///< made of them
  std::unique_ptr<ResultFiles> output_;  ///< null without a result
};

}  // namespace heddle
