// SPDX-License-Identifier: GPL-2.0-only
/// The checkpoints of `heddle run`: what of a run they hold, and whether a run may go on from one.
#ifndef HEDDLE_CORE_APP_RUN_RUN_CHECKPOINT_H_
#define HEDDLE_CORE_APP_RUN_RUN_CHECKPOINT_H_

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/execution/flow_coordinator.h"
#include "core/app/output/result_files.h"
#include "core/app/output/run_attributes.h"
#include "core/app/setup/checkpoint_schedule.h"
#include "core/app/setup/run_arguments.h"
#include "core/app/setup/run_input.h"
#include "core/checkpoint/checkpoint.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "core/system/signals.h"
#include "transport/fabric/fabric.h"
#include "transport/fabric/flow_tables.h"

namespace heddle {

/// What there is to save, where it lives.
struct SavedRun {
  Fabric* fabric;
  FlowCoordinator* coordinator;  ///< null without jobs
  FlowRecords* kept;             ///< flows that this rank keeps for the summary
  bool* keeps_flows;             ///< whether these are all that ended
  RunBooks* books;
};

/// One rank's side. Functions are collective unless they say otherwise.
class RunCheckpoint {
 public:
  /// Whether a run with these arguments can be saved: it has a result, and an engine with cuts. Not
  /// collective.
  static bool Possible(const RunArguments& arguments);

  /// `inputs`: InputAttributes(), at the root. `run` must outlive it.
  /// `start`: of the program, from which --max-wall counts. `signals`: heeded until AfterRun(),
  /// SIGINT from now on.
  RunCheckpoint(const RunArguments& arguments, const RunInput& input,
                const std::vector<Attribute>& inputs, const SavedRun& run,
                const Communicator& world, std::chrono::steady_clock::time_point start,
                std::optional<SignalScope>* signals);

  /// Takes over the state that --restart asks for; returns how far the results were. Nothing if the
  /// run starts at time 0. Throws SharedError (exit code 3) if there is no checkpoint (unless
  /// auto), it is damaged, or of something else.
  std::optional<FlushPoint> Restore();

  /// For the engine: nothing to do but where `end` says so.
  const CutOrders* orders() const { return &orders_; }
  double longest_interval() const { return schedule_.longest_interval(); }

  /// What is to be done at a cut, the same on all ranks. At the last cut of a run: nothing.
  CheckpointWish WishAt(const Cut& cut);
  /// Saves, after the results were flushed up to here. A failure is only told if the run goes on
  /// and has time for others. `start`: when that flush began [s since the program's start]; its
  /// rows had to reach the disk, which is part of what a checkpoint takes.
  void Save(const Cut& cut, const FlushPoint& flushed, bool then_end, double start);
  /// Whether there is a checkpoint to go on from.
  bool saved() const { return number_ > 0; }
  /// Ends the run at this cut.
  void End() { orders_.end = true; }
  /// The engine has returned: signals are the system's again. If the run was ended, says so:
  /// SharedError with exit code 85, or 130 after SIGINT.
  void AfterRun();

 private:
  using Clock = std::chrono::steady_clock;
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Throws UserError if the manifest is of another program, other inputs or settings.
  void CheckIdentity(const CheckpointManifest& manifest) const;
  void Write(PieceWriter* to, const FlushPoint& flushed);
  template <class Archive>
  void SerializeRun(Archive& archive, FlushPoint* flushed);

  std::string result_, restart_;
  bool force_, quiet_;
  Communicator world_;
  SavedRun run_;
  std::vector<std::pair<std::string, std::string>> identity_;  ///< at the root
  CheckpointSchedule schedule_;
  std::optional<SignalScope>* signals_;
  CutOrders orders_;
  std::uint64_t number_ = 0;  ///< of the last checkpoint
  std::uint32_t cut_ranks_;   ///< as in the manifest
  CheckpointWish last_wish_ = CheckpointWish::kNone;
  Time last_cut_;
  Clock::time_point start_;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_RUN_CHECKPOINT_H_
