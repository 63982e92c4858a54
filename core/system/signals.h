// SPDX-License-Identifier: GPL-2.0-only
/// Signals that a run heeds at the next window's edge. A signal may come to one rank or all, each
/// at its own moment: ranks agree on what to do at a cut (EngineSetup::on_cut).
#ifndef HEDDLE_CORE_SYSTEM_SIGNALS_H_
#define HEDDLE_CORE_SYSTEM_SIGNALS_H_

#include <csignal>

namespace heddle {

/// The later ones win where several came.
enum class SignalRequest : int {
  kNone = 0,
  kCheckpoint = 1,  ///< SIGUSR1: save the state, go on
  kEnd = 2,         ///< SIGINT: write down what was found, end
  kCheckpointAndEnd =
      3,  ///< SIGTERM, and SIGUSR2, which launchers hand on without ending the run themselves
};

/// Heeds SIGUSR1, SIGUSR2 and SIGTERM as long as it lives. One at a time.
class SignalScope {
 public:
  SignalScope();
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  /// SIGINT, too, from now on. A second one ends the process at once.
  void HeedInterrupt();

 private:
  static constexpr int kSignals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT};
  void Heed(int which, int flags);

  int heeded_ = 0;  ///< of kSignals
  struct sigaction before_[4];
};

/// What this process was asked for since the last TakeSignal().
SignalRequest PendingSignal();
/// The same, and forgets it.
SignalRequest TakeSignal();

}  // namespace heddle

#endif  // HEDDLE_CORE_SYSTEM_SIGNALS_H_
