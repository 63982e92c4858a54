// SPDX-License-Identifier: GPL-2.0-only
/// One run of `heddle run`, from its arguments to its result.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/execution/estimate_check.h"
#include "core/app/run/execution/lost_rank.h"
#include "core/app/run/execution/run_checkpoint.h"
#include "core/app/run/output/json_log.h"
#include "core/app/run/output/progress.h"
#include "core/app/run/output/run_figures.h"
#include "core/app/run/recorder/result_recorder.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"
#include "core/base/memory_account.h"
#include "core/engine/engine.h"
#include "core/engine/window_profile.h"
#include "core/mpi/communicator.h"
#include "core/system/signals.h"
#include "core/traffic/collective_prices.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// Every rank takes the same steps. Functions are collective unless stated otherwise.
class Run final {
 public:
  /// `signals`: handlers installed at the program's start, if the run can be saved. All arguments
  /// except `arguments` must outlive the run.
  Run(const RunArguments& arguments, const Communicator& world, JsonLog* log,
      std::optional<SignalScope>* signals);

  /// Throws SharedError; with exit code 4 if the run stalled, after its result was written.
  void Execute();

  /// Describes the run for the error message when a rank is lost. Not collective.
  LostRun State() const;

 private:
  using Clock = std::chrono::steady_clock;
  /// Returns the time since the program's start [s].
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  const std::string& path_log() const { return input_.transport.controller.log; }  ///< empty: none

  /// Reads and checks the inputs, compares them with the other ranks; makes the backend and the
  /// traffic.
  void ReadInputs();
  /// Does this rank's share of ReadInputs(). Not collective.
  void Prepare();
  /// Copies what the traffic's plan says to the figures.
  void TakePlan();
  /// Warns if there is no controller to write the path log. Throws UserError if it would lack
  /// flows, or cannot be written. Not collective.
  void PreparePathLog();
  /// Whether an earlier start of this command has completed the result.
  bool WasFinished();
  /// Tidies up after the earlier start. Throws SharedError (exit code 4) if that had stalled.
  void EndAgain();
  /// Estimates the run, and refuses it if the memory is too small; before anything is written.
  void Estimate();
  /// Prints warnings and the estimate at the root, and begins the JSON log. For a run that is only
  /// estimated.
  void ReportEstimate();

  /// Restores a checkpoint if asked to, and makes the first flush, at time 0 or at its time.
  void Begin();
  /// Loads the checkpoint and returns its flush point; none if the run starts at time 0.
  std::optional<FlushPoint> Restore();
  /// Progress from which a restarted run continues.
  ProgressState StateNow() const;
  /// Announces the run to the user, at the root. Not collective.
  void Introduce();
  /// Writes the JSON log's first line and the warnings so far. Not collective.
  void LogStart();

  /// Returns what the engine calls and obeys: cuts, limits, orders. Not collective.
  EngineSetup MakeSetup();
  /// Runs the engine to the end, or to where it is stopped or saved. Deletes the files of a run
  /// that violates an invariant.
  void Simulate();
  /// Progress at a cut, from the books of the figures.
  ProgressState StateAt(const Cut& cut) const;
  /// Checks conservation, shows progress, flushes rows, and saves a checkpoint if one is due.
  void OnCut(const Cut& cut);
  /// Returns the memory that this rank has allocated, by data structure. Not collective.
  MemoryAccount AccountMemory(const Cut& cut) const;
  /// Gathers the profile at the root, if one is asked for.
  void RecordProfile();
  /// Writes the profile's file at the root, and prints a notice; nothing without --profile.
  void WriteProfile();
  /// Writes profile and path log. They come before the result: once it has its name, nothing is
  /// missing.
  void WriteBesideResult(const Outcome& outcome);

  /// Writes the result and prints the summary. Throws SharedError (exit code 4) if the run stalled.
  void Finish();
  /// Gathers times, events and memory of all ranks, and whether the run stalled.
  void CollectFigures();
  /// Whether work is unfinished although no event is left.
  bool Stalled() const;
  /// Returns the time of the last event of traffic and programs so far. Collective.
  Time EndOfWork() const;
  /// Warns of monitors that were asked for and have no row. At the root.
  void WarnOfEmptyMonitors();
  /// Prints the summary, at the root. Not collective.
  void Report(const Outcome& outcome) const;

  RunArguments arguments_;
  const Communicator& world_;
  std::vector<std::string> hosts_;  ///< by rank; only where traffic is real
  RunForecast forecast_;
  Clock::time_point start_ = Clock::now();
  Environment environment_;
  RunInput input_;
  std::unique_ptr<RunTraffic> traffic_;       ///< outlives the backend, which it drives
  std::unique_ptr<CollectivePrices> prices_;  ///< null if the backend needs none
  std::unique_ptr<Backend> backend_;
  JsonLog& log_;
  std::optional<SignalScope>* signals_;
  Progress progress_;
  EngineReport report_;
  WindowProfile profile_;                      ///< filled if --profile asks for it
  std::string profile_text_, profile_notice_;  ///< of the profile, at the root
  std::string work_;                           ///< what the traffic says of its work, at the root
  RunFigures figures_;
  std::unique_ptr<ResultRecorder> record_;
  std::unique_ptr<RunCheckpoint> checkpoint_;  ///< null if the run cannot be saved
};

}  // namespace heddle
