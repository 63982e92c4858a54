// SPDX-License-Identifier: GPL-2.0-only
/// One line that shows how far the run is: rewritten in place on a terminal, a new line at growing
/// intervals in a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/app/run/output/progress_estimate.h"
#include "core/base/units.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// The run's progress at a cut. All figures are over all ranks, and since the run began.
struct ProgressState {
  Time now;
  std::int64_t flows_finished = 0, flows = 0;
  std::int64_t packet_hops = 0, events = 0;
  std::int64_t done = 0,
               expected =
                   0;  ///< packet-hops, bytes on the wire, or flows; their ratio is the share done
  std::int64_t messages = 0;  ///< between ranks
  bool finished = false;      ///< no work is left; timers and failures may be
  double wall_seconds = 0;
  double blocked_seconds = 0;  ///< mean over ranks
  double memory_mib = 0;       ///< largest process
};

/// The figures to print; rates are since the previous state.
struct ProgressFigures {
  ProgressState state;
  double share = 0;  ///< done of expected, [0, 1]
  double events_per_second = 0, hops_per_second = 0;
  double slowdown = 0;       ///< wall-clock seconds a simulated second; 0: not known
  double blocked_share = 0;  ///< [0, 1]
  std::optional<double> left_seconds;
};

/// Fills in the engine's figures at a cut: sums over ranks, and the largest process. Collective.
void AddEngineFigures(const Communicator& world, const Cut& cut, std::uint64_t events,
                      ProgressState* state);

/// Makes the figures of state `now`; rates are since `before` (a default state at the start).
ProgressFigures MakeFigures(const ProgressState& before, const ProgressState& now,
                            std::optional<double> left_seconds);

/// As many figures as fit into `width` columns, in a fixed order and without a line end; less
/// important ones are dropped first.
std::string ProgressLine(const ProgressFigures& figures, std::size_t width);

/// Prints the line to standard error when an interval has passed.
class Progress {
 public:
  /// `quiet`: prints nothing, but still computes figures.
  explicit Progress(bool quiet);
  ~Progress() { Done(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Whether the line is rewritten in place, so that frequent cuts are useful.
  bool in_place() const { return !quiet_ && terminal_; }
  /// Continues from a checkpoint: rates do not include the time before `from`.
  void GoOn(const ProgressState& from) { last_ = last_shown_ = from; }
  /// Returns the figures since the last call, for other observers; prints those since the last
  /// line.
  ProgressFigures Show(const ProgressState& state);
  /// Erases the line from a terminal.
  void Done();

 private:
  bool quiet_, terminal_, shown_ = false;
  double next_log_ = 2, log_interval_ = 2;  ///< seconds; intervals grow, so that logs stay short
  ProgressState last_, last_shown_;
  ProgressEstimate estimate_;
};

/// Returns the resident memory of this process at its highest [MiB].
double PeakMemoryMib();

}  // namespace heddle
