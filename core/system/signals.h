// SPDX-License-Identifier: GPL-2.0-only
/// Signals that a run handles at the next window's edge. A signal may reach one rank or all, at
/// different times: ranks agree on the action at a cut (EngineSetup::on_cut).
#pragma once

#include <csignal>

namespace heddle {

/// If several signals came, the largest value counts.
enum class SignalRequest : int {
  kNone = 0,
  kCheckpoint = 1,  ///< SIGUSR1: save the state, continue
  kEnd = 2,         ///< SIGINT: write the results so far, end
  /// SIGTERM; also SIGUSR2, which launchers forward without ending the run themselves.
  kCheckpointAndEnd = 3,
};

/// Handles SIGUSR1, SIGUSR2 and SIGTERM while it lives. At most one at a time.
class SignalScope {
 public:
  /// Takes SIGUSR1, SIGUSR2 and SIGTERM, and clears what was pending.
  SignalScope();
  /// Restores the handlers from before, and clears what is pending.
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  /// Handles SIGINT, too, from now on. A second one ends the process at once.
  void HeedInterrupt();

 private:
  static constexpr int kSignals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT};
  /// Handles kSignals[which], with flags of sigaction(), and keeps the handler from before.
  void Heed(int which, int flags);

  int heeded_ = 0;  ///< number of kSignals handled
  struct sigaction before_[4];
};

/// Returns the request to this process since the last TakeSignal().
SignalRequest PendingSignal();
/// Returns the pending request and clears it.
SignalRequest TakeSignal();

}  // namespace heddle
