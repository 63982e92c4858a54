// SPDX-License-Identifier: GPL-2.0-only
/// What a run writes down: rows and totals for its result while it goes on, and what its summary is
/// made of at the end.
#ifndef HEDDLE_CORE_APP_OUTPUT_RESULT_RECORDER_H_
#define HEDDLE_CORE_APP_OUTPUT_RESULT_RECORDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/execution/flow_coordinator.h"
#include "core/app/estimate/run_estimate.h"
#include "core/app/output/progress.h"
#include "core/app/output/result_files.h"
#include "core/app/output/run_attributes.h"
#include "core/app/output/run_figures.h"
#include "core/app/setup/run_arguments.h"
#include "core/app/setup/run_input.h"
#include "core/base/table.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "transport/fabric/fabric.h"
#include "transport/fabric/flow_tables.h"

namespace heddle {

/// The run that is recorded; all of it outlives the record.
struct RecordedRun {
  const RunArguments& arguments;
  const RunInput& input;
  const Communicator& world;
  Fabric& fabric;
  FlowCoordinator* coordinator;  ///< of jobs; null for traces
  RunFigures& figures;           ///< `flows` and `sample` are set; the record adds what it finds
  const RunEstimate& estimate;   ///< made before Open()
};

/// One rank's side. Without --output there is no result: flows are kept for the summary alone. All
/// functions that throw are collective.
class RunRecord {
 public:
  /// Tells the fabric which flows to keep, and reads the inputs once more for their digests. Throws
  /// SharedError.
  explicit RunRecord(const RecordedRun& run);

  /// Rows that the result will have; none without one.
  ResultRows RowsToWrite() const;
  /// Makes sure that the result can be written, or gone on with from where it was at `resumed`;
  /// writes nothing new yet. Throws SharedError.
  void Open(const std::optional<FlushPoint>& resumed);
  /// The result's expected size in words, empty without one; `warnings` gets a line if there is too
  /// little room for it. At the root only.
  std::string EstimateSize(std::vector<std::string>* warnings);
  /// Between flushes, by the wall clock, as the user asked for; zero: left to the program, or no
  /// result.
  Time flush_interval() const;

  /// The first flush: from here on a killed run can be recovered, and a disk that is full has been
  /// found. `begin`: time 0, or that of the checkpoint. Throws SharedError.
  void Start(Time begin);
  /// Flushes at a cut if it is time to, or `now`, and then to the disk: a checkpoint may rest on
  /// it. `wall_seconds`: since the program began. Throws SharedError.
  void FlushAt(const ProgressState& state, double wall_seconds, bool now);
  /// The last flush: what a checkpoint that is made now rests on. Requires a result.
  FlushPoint point() const { return output_->point(); }
  /// Whether there is something that heddle recover can make a result of.
  bool flushed() const { return output_ != nullptr && output_->point().flush > 0; }
  /// What came out, flows that did not finish included, when all events are over. The whole is at
  /// the root.
  Outcome GatherOutcome();
  /// The last flush, then the result, if there is to be one. Figures are complete. Throws
  /// SharedError.
  void Finish(const Outcome& outcome, const EngineReport& report);
  /// Deletes what was written, which is not to be trusted. Not collective.
  void Discard();

  /// What its rows and its files' buffers take in memory.
  void AddMemory(MemoryAccount* account) const;

  /// Jobs, collectives, layers, ... as of the last flush or Finish(), at the root; none for traces.
  const std::vector<Table>& job_tables() const { return job_tables_; }

  /// What is run, for the result's attributes and a checkpoint's identity; at the root, and with a
  /// result only.
  const std::vector<Attribute>& about() const { return about_; }
  /// For checkpoints, which save them and bring them back.
  FlowRecords* kept() { return &kept_; }
  RunBooks* books() { return &books_; }

 private:
  void ChooseFlows();
  void Keep(const FlowRecords& records);
  std::vector<Table> TakeRows(Time until);
  Outcome GatherTotals();
  void GatherJobTables();
  RunTotals Totals(const Outcome& outcome, const EngineReport& report);

  RecordedRun run_;
  RunBooks books_{UtcNow(), 0, 0, 0, {}};  ///< a row of progress a flush
  FlowRecords fresh_, kept_;               ///< not yet written; all that the summary needs
  std::vector<Table> job_tables_;
  std::vector<Attribute> about_;       ///< what is run, at the root
  std::unique_ptr<RunOutput> output_;  ///< null without a result
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_RESULT_RECORDER_H_
