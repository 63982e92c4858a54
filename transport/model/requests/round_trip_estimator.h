// SPDX-License-Identifier: GPL-2.0-only
/// What a queue pair's round trips say about congestion: a sample of each, and their estimate.
///
/// Source: Broadcom's CAST white paper, "overview", and RCCL's net_ib_cast/scheduler.cc. Symbols: t
/// time from posting to the poll that sees the completion, B bytes, R line rate of the NIC, L least
/// latency of the path, m sample, e estimate, a gain.
///
/// A sample:  rccl   m = max(1 ns, t - 8 B / R)
///            paper  m = max(floor, t - 8 B / R - L)
/// An estimate, since the last reset: the first m; then
///            a = 0  e = (sum of m) / (number of m)
///            a > 0  e = (1 - a) e + a m
/// The average is a = 0, the weighted one a = cast.weight, TCP's a = 1/8. A reset empties sum and
/// number only: the estimate holds until the next sample, the minimum of all samples for ever.
/// Invariant: minimum and estimate are 0 (no sample yet) or at least the floor.
/// Not modelled: RCCL's clock of whole nanoseconds, and that its difference of two unsigned times
/// wraps if a round trip is shorter than its payload's time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"

namespace heddle {

/// Returns m for a round trip t >= 0 of `bytes` at `rate` > 0, with L = `latency` and the floor.
inline Time SampleOf(Time round_trip, std::int64_t bytes, BitRate rate, Time latency, Time floor) {
  HEDDLE_EXPECT(rate.bps > 0 && bytes >= 0);
  const __int128 payload = static_cast<__int128>(bytes) * 8'000'000'000'000 / rate.bps;
  const __int128 rest = round_trip.ps - payload - latency.ps;
  return rest > floor.ps ? Time{static_cast<std::int64_t>(rest)} : floor;
}

/// Estimate of one queue pair.
struct RoundTripEstimator {
  static constexpr double kLongestPs = 0x1p62;  ///< no round trip takes so long, 53 days

  double estimate_ps = 0;  ///< e; 0: no sample yet
  double minimum_ps = 0;   ///< of all samples; 0: no sample yet
  double sum_ps = 0;       ///< since the last reset
  std::int64_t count = 0;  ///< since the last reset

  /// Adds a sample > 0 with gain a in [0, 1].
  void Add(Time sample, double gain) {
    const auto fresh = static_cast<double>(sample.ps);
    sum_ps += fresh;
    ++count;
    minimum_ps = minimum_ps > 0 ? std::min(minimum_ps, fresh) : fresh;
    if (count == 1) {
      estimate_ps = fresh;
    } else if (gain > 0) {
      estimate_ps = (1 - gain) * estimate_ps + gain * fresh;
    } else {
      estimate_ps = sum_ps / static_cast<double>(count);
    }
  }
  /// Empties sum and number; estimate and minimum stay.
  void Reset() {
    sum_ps = 0;
    count = 0;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& estimate_ps& minimum_ps& sum_ps& count;
    if constexpr (Archive::is_loading::value) {
      const auto sound = [](double ps) { return ps == 0 || (ps >= 1 && ps <= kLongestPs); };
      const double most = kLongestPs * static_cast<double>(count);
      ExpectState(sound(estimate_ps) && sound(minimum_ps) && sum_ps >= 0 && sum_ps <= most &&
                      (estimate_ps > 0) == (minimum_ps > 0),
                  "an estimate of round trips that no samples give");
    }
  }
};

}  // namespace heddle
