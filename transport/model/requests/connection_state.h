// SPDX-License-Identifier: GPL-2.0-only
/// What host software remembers of a connection to schedule its requests.
///
/// One allocation: a row for each queue pair, in their order.
/// transport/model/requests/pair_weights.h and transport/model/requests/weighted_tokens.h work on
/// the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "transport/model/requests/round_trip_estimator.h"

namespace heddle {

/// State of one queue pair.
struct PairState {
  static constexpr std::uint32_t kMostTokens = 2'000'000;
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

  RoundTripEstimator estimator;
  double weight = 0;          ///< share of the connection's bytes or requests; 0: not known yet
  std::int64_t bytes = 0;     ///< posted so far
  std::uint32_t tokens = 0;   ///< left in this round
  std::uint32_t allowed = 0;  ///< tokens of the next round

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& estimator& weight& bytes& tokens& allowed;
    if constexpr (Archive::is_loading::value) {
      // The weight and the tokens come into being together.
      const bool share = weight >= 0 && weight <= 1;
      ExpectState(share && (weight > 0) == (allowed > 0) && allowed <= kMostTokens &&
                      tokens <= kMostTokens && bytes >= 0 && bytes <= kMostBytes,
                  "a share of a queue pair that is none");
    }
  }
};

/// State of one connection. Without queue pairs it is an empty place, not to be scheduled.
class ConnectionState {
 public:
  ConnectionState() = default;
  /// Starts without weights; the first turn is queue pair 0's.
  explicit ConnectionState(std::uint32_t queue_pairs) : pairs_(queue_pairs) {}

  /// Returns the number of queue pairs.
  std::uint32_t size() const { return static_cast<std::uint32_t>(pairs_.size()); }
  /// Whether weights have been computed. Then they sum to 1.
  bool has_weights() const { return !pairs_.empty() && pairs_[0].weight > 0; }
  /// Returns the share of a queue pair, in (0, 1]; 0 without weights.
  double weight(std::uint32_t queue_pair) const { return pairs_[queue_pair].weight; }
  /// Returns the estimate of its round trips beyond the payload's time; 0 if there was no sample.
  Time estimate(std::uint32_t queue_pair) const {
    return {static_cast<std::int64_t>(pairs_[queue_pair].estimator.estimate_ps + 0.5)};
  }
  /// Returns the bytes posted to it so far.
  std::int64_t bytes(std::uint32_t queue_pair) const { return pairs_[queue_pair].bytes; }
  /// Returns the queue pair that round robin takes, or a stripe begins with.
  std::uint32_t next() const { return next_; }
  /// Returns next() and moves it on. Requires size() > 0.
  std::uint32_t TakeTurn() {
    const std::uint32_t taken = next_;
    next_ = taken + 1 == size() ? 0 : taken + 1;
    return taken;
  }
  /// Takes a token of a queue pair, and returns the queue pair. Requires has_weights().
  std::uint32_t TakeToken();
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(pairs_); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& pairs_& next_& turn_& next_update_& next_reset_;
    if constexpr (Archive::is_loading::value) CheckLoaded();
  }

 private:
  friend class CastLearning;
  friend class RequestScheduler;

  /// Checks that loaded turns and weights agree. Throws UserError.
  void CheckLoaded() const {
    const std::uint32_t end = size() > 0 ? size() : 1;
    ExpectState(next_ < end && turn_ < end && next_update_ >= Time{0} && next_reset_ >= Time{0},
                "a turn of a queue pair that does not exist");
    for (const PairState& pair : pairs_)
      ExpectState((pair.weight > 0) == has_weights(), "weights of some queue pairs only");
  }

  std::vector<PairState> pairs_;
  std::uint32_t next_ = 0;  ///< queue pair that round robin takes, or a stripe begins with
  std::uint32_t turn_ = 0;  ///< queue pair whose tokens are looked at first
  Time next_update_;        ///< when weights may be computed; 0: the timer has not started
  Time next_reset_;         ///< when sums are emptied; 0: at the first sample
};

}  // namespace heddle
