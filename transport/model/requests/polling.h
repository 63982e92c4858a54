// SPDX-License-Identifier: GPL-2.0-only
/// When the library's polling sees a completion.
///
/// Source: Broadcom's CAST white paper: a round trip ends when a polling operation processes the
/// completion, and jitters by that. The form of the polling is ours. Symbols: T period, phi phase
/// of the connection, uniform in [0, T), J_k jitter.
///
/// Poll k looks at the time p_k = phi + k T + J_k; a completion at c is seen by the first poll with
/// p_k >= c. J_k is 0, uniform in [0, j) or exponential with mean j. With T = 0, p = c + J.
/// Invariant: no completion is seen before it happens, nor before one that was asked for earlier.
/// Not modelled: polls that find nothing are not delayed; that threads of a host share cores.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/random.h"
#include "core/base/time_limits.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"

namespace heddle {

class OptionSet;

struct PollingOptions {
  static constexpr Time kLongest = MicroSeconds(1'000'000);

  enum class Jitter : std::uint8_t { kNone, kUniform, kExponential };
  friend constexpr auto WordsOf(Jitter /*type*/) {
    return std::array{"none", "uniform", "exponential"};
  }

  Time interval = MicroSeconds(1);  ///< T; zero: at once
  Jitter jitter = Jitter::kNone;
  Time jitter_time = MicroSeconds(1);  ///< j

  /// Adds cast.poll_*; times are at most kLongest.
  void Declare(OptionSet* options);
};

/// Polling of one connection.
class PollingState {
 public:
  /// Draws the phase from a stream keyed by (`seed`, `connection`). `connection`: a number of its
  /// own in the whole run.
  PollingState(const PollingOptions& options, std::uint64_t seed, std::uint64_t connection);

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& random_& phase_& last_;
    if constexpr (Archive::is_loading::value) {
      const bool phase = phase_ >= Time{0} && phase_ <= PollingOptions::kLongest;
      ExpectState(phase && last_ >= Time{-1} && last_ < kEndOfTime,
                  "a poll of completions at an impossible time");
    }
  }

 private:
  friend Time NextPoll(const PollingOptions& options, PollingState* state, Time completed);

  RandomStream random_;
  Time phase_;
  Time last_{-1};  ///< the last poll that saw something; -1: none
};

/// Returns the time of the poll that sees a completion at `completed` >= 0. Ask for the completions
/// of a connection in the order of their times.
Time NextPoll(const PollingOptions& options, PollingState* state, Time completed);

}  // namespace heddle
