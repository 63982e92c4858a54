// SPDX-License-Identifier: GPL-2.0-only
/// One run of `heddle run`, from its arguments to its result.
#ifndef HEDDLE_CORE_APP_RUN_RUN_H_
#define HEDDLE_CORE_APP_RUN_RUN_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "collectives/execution/flow_coordinator.h"
#include "core/app/output/json_log.h"
#include "core/app/output/progress.h"
#include "core/app/output/result_recorder.h"
#include "core/app/output/run_figures.h"
#include "core/app/run/estimate_check.h"
#include "core/app/run/lost_rank.h"
#include "core/app/run/run_checkpoint.h"
#include "core/app/setup/run_arguments.h"
#include "core/app/setup/run_input.h"
#include "core/base/memory_account.h"
#include "core/engine/engine.h"
#include "core/engine/window_profile.h"
#include "core/mpi/communicator.h"
#include "core/system/signals.h"
#include "transport/fabric/fabric.h"

namespace heddle {

/// Every rank goes through the same steps. Functions are collective unless they say otherwise.
class Run final {
 public:
  /// `signals`: heeded from the program's start, if the run can be saved. All but `arguments` must
  /// outlive it.
  Run(const RunArguments& arguments, const Communicator& world, JsonLog* log,
      std::optional<SignalScope>* signals);

  /// Throws SharedError; with exit code 4 if the run stalled, after its result was written.
  void Execute();

  /// For the message of a run that a rank was lost of. Not collective.
  LostRun State() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Since the program's start [s].
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  const std::string& path_log() const { return input_.transport.controller.log; }

  /// Reads, checks, and compares with the other ranks; makes the fabric and what drives it.
  void ReadInputs();
  /// This rank's part of it. Not collective.
  void Prepare();
  void PrepareJobs();
  void PreparePathLog();
  /// What the run will take; refuses it if the memory will not do. Before anything is written.
  void Estimate();
  void ReportEstimate();

  /// The first flush, at time 0 or where a checkpoint was made.
  void Begin();
  /// How far the run was that this one goes on with; nothing if it begins.
  std::optional<FlushPoint> Restore();
  /// Where a run that goes on begins.
  ProgressState StateNow() const;
  /// For people: the root says what is about to happen. Not collective.
  void Introduce();
  /// Not collective.
  void LogStart();

  /// Not collective.
  EngineSetup MakeSetup();
  void Simulate();
  /// Progress as of a cut, from the figures' books.
  ProgressState StateAt(const Cut& cut) const;
  void OnCut(const Cut& cut);
  /// What this rank has allocated, by data structure. Not collective.
  MemoryAccount AccountMemory(const Cut& cut) const;
  void WriteProfile();

  /// The result, the summary, and the error of a run that stalled.
  void Finish();
  void CollectFigures();
  /// Whether there is work that did not end, now that nothing is left to happen.
  bool Stalled() const;
  /// For people, by the root. Not collective.
  void Report(const Outcome& outcome) const;

  RunArguments arguments_;
  const Communicator& world_;
  RunForecast forecast_;
  Clock::time_point start_ = Clock::now();
  Environment environment_;
  RunInput input_;
  std::unique_ptr<FlowCoordinator> coordinator_;  ///< of jobs; null for traces
  std::unique_ptr<Fabric> fabric_;
  JsonLog& log_;
  std::optional<SignalScope>* signals_;
  Progress progress_;
  EngineReport report_;
  WindowProfile profile_;  ///< filled if --profile asks for it
  RunFigures figures_;
  std::int64_t expected_bytes_ = 0;  ///< payload of a trace
  std::int64_t planned_ = 0;         ///< queue pairs
  std::unique_ptr<RunRecord> record_;
  std::unique_ptr<RunCheckpoint> checkpoint_;  ///< null if the run cannot be saved
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_RUN_H_
