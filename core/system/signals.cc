// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/signals.h"

#include <atomic>

namespace heddle {
namespace {

/// A signal handler may only use lock-free atomics.
std::atomic<int> pending{0};
static_assert(std::atomic<int>::is_always_lock_free);

SignalRequest RequestOf(int signal) {
  switch (signal) {
    case SIGUSR1:
      return SignalRequest::kCheckpoint;
    case SIGINT:
      return SignalRequest::kEnd;
    default:
      return SignalRequest::kCheckpointAndEnd;
  }
}

void Handle(int signal) {
  const int request = static_cast<int>(RequestOf(signal));
  int known = pending.load(std::memory_order_relaxed);
  while (known < request &&
         !pending.compare_exchange_weak(known, request, std::memory_order_relaxed)) {
  }
}

}  // namespace

SignalScope::SignalScope() {
  TakeSignal();
  for (int i = 0; kSignals[i] != SIGINT; ++i) Heed(i, SA_RESTART);
}

void SignalScope::HeedInterrupt() {
  constexpr int kInterrupt = 3;
  if (heeded_ == kInterrupt) Heed(kInterrupt, SA_RESTART | static_cast<int>(SA_RESETHAND));
}

void SignalScope::Heed(int which, int flags) {
  struct sigaction action = {};
  action.sa_handler = Handle;
  sigemptyset(&action.sa_mask);
  action.sa_flags = flags;
  sigaction(kSignals[which], &action, &before_[which]);
  heeded_ = which + 1;
}

SignalScope::~SignalScope() {
  for (int i = 0; i < heeded_; ++i) sigaction(kSignals[i], &before_[i], nullptr);
  TakeSignal();
}

SignalRequest PendingSignal() {
  return static_cast<SignalRequest>(pending.load(std::memory_order_relaxed));
}
SignalRequest TakeSignal() {
  return static_cast<SignalRequest>(pending.exchange(0, std::memory_order_relaxed));
}

}  // namespace heddle
