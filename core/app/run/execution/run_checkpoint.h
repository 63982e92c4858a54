// SPDX-License-Identifier: GPL-2.0-only
/// The checkpoints of `heddle run`: their contents, and whether a run may continue from one.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/app/run/arguments/checkpoint_schedule.h"
#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/recorder/result_files.h"
#include "core/app/run/recorder/run_attributes.h"
#include "core/app/run/recorder/run_identity.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"
#include "core/checkpoint/checkpoint.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "core/system/signals.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// References to the state to save.
struct SavedRun {
  Backend* backend;
  RunTraffic* traffic;
  FlowRecords* kept;  ///< flows that this rank keeps for the summary
  bool* keeps_flows;  ///< whether `kept` has all flows that ended
  RunBooks* books;
};

/// One rank's side. Functions are collective unless stated otherwise.
class RunCheckpoint {
 public:
  /// Whether a run with these arguments can be saved, which needs a result and an engine with cuts.
  /// Not collective.
  static bool Possible(const RunArguments& arguments);

  /// `identity`: at the root. `run` must outlive it. `start`: of the program, from
  /// which --max-wall counts. `signals`: handled until AfterRun(), SIGINT from now on.
  RunCheckpoint(const RunArguments& arguments, const RunInput& input, RunIdentity identity,
                const SavedRun& run, const Communicator& world,
                std::chrono::steady_clock::time_point start, std::optional<SignalScope>* signals);

  /// Loads the state that --restart asks for and returns the flush point of its results; none if
  /// the run starts at time 0. Throws SharedError (exit code 3) if the checkpoint is missing
  /// (unless auto), damaged, or of another run.
  std::optional<FlushPoint> Restore();

  /// Orders for the engine: no cuts on request, and an end only if `end` is set.
  const CutOrders* orders() const { return &orders_; }
  double longest_interval() const { return schedule_.longest_interval(); }  ///< [s]

  /// Returns the action due at a cut, the same on all ranks; none at the last cut of a run.
  CheckpointWish WishAt(const Cut& cut);
  /// Saves; results must have been flushed up to this cut. If the run continues with time for
  /// another attempt, a failure is a warning, not an error. `start`: when that flush began [s since
  /// the program's start]; waiting for its rows to reach the disk counts as cost of the checkpoint.
  void Save(const Cut& cut, const FlushPoint& flushed, bool then_end, double start);
  /// Whether a checkpoint exists from which a run can continue.
  bool saved() const { return number_ > 0; }
  /// Ends the run at this cut.
  void End() { orders_.end = true; }
  /// Call after the engine has returned: restores the signal handlers. If the run was ended early,
  /// throws SharedError with exit code 85, or 130 after SIGINT.
  void AfterRun();

 private:
  using Clock = std::chrono::steady_clock;
  /// Returns the time since the program's start [s].
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Throws UserError if the manifest is from another program, other inputs or other settings.
  void CheckIdentity(const CheckpointManifest& manifest) const;
  /// Writes this rank's pieces: backend, traffic and kept flows; at the root also the run's own.
  void Write(PieceWriter* to, const FlushPoint& flushed);
  /// Saves or loads the flush point and the books. A run keeps all flows only if the saved one did.
  template <class Archive>
  void SerializeRun(Archive& archive, FlushPoint* flushed);

  std::string result_, restart_;
  bool force_, quiet_;
  Communicator world_;
  SavedRun run_;
  RunIdentity identity_;  ///< at the root
  CheckpointSchedule schedule_;
  std::optional<SignalScope>* signals_;
  CutOrders orders_;
  std::uint64_t number_ = 0;  ///< of the last checkpoint
  /// Number of ranks for which --grain auto chose the domains, as in the manifest.
  DomainOptions grouping_;
  CheckpointWish last_wish_ = CheckpointWish::kNone;
  Time last_cut_;
  Clock::time_point start_;
};

}  // namespace heddle
