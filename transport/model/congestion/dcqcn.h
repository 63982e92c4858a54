// SPDX-License-Identifier: GPL-2.0-only
/// DCQCN sender rate control (CC_MODE 1): cut on a congestion notification, recover, probe.
///
/// Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section
/// 3 (reaction point), in the variant of SimAI's ns-3 that follows the NIC: marks are gathered, and
/// a grid of checks cuts the rate. Symbols: R current rate (Pace::rate), R_t target rate, alpha
/// estimated congestion, g gain.
///
/// Both grids start at the queue pair's first CNP, at t0, which also sets alpha = 1 and R_t = R:
/// - alpha at t0 + k T_alpha: alpha = (1-g) alpha + (a CNP since the last tick ? g : 0);
/// - decrease check at t0 + 1 ns + k T_dec, k >= 1: if a CNP came since the last check, then
///     R_t = R if `clamp_target` or a recovery tick passed since the last cut,
///     R = R (1 - alpha/2), and recovery starts anew;
/// - recovery tick, number n = 0, 1, .. every T_rp after the last cut: R_t rises by RATE_AI if
///     n = `fast_recovery`, by RATE_HAI if n is larger; then R = R/2 + R_t/2, each half cut down
///     to whole bit/s.
/// Ties: at one instant alpha's tick comes before the check. A recovery tick comes before the check
/// if T_rp > T_dec, else after it (in ns-3, the event scheduled first). A CNP at the instant of a
/// tick counts after it.
///
/// Invariant: min(MIN_RATE, line rate) <= R <= line rate. Alpha's ticks cost no events: they are
/// caught up at CNPs and cuts. The results are those of ticking one by one, in every bit for up to
/// kSingleTicks ticks at a time; longer gaps are raised to the power by squaring.
/// Not modelled: byte counter, CNP packets and their aggregation (a CNP is a flag on the ACK of a
/// marked packet).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "transport/model/congestion/pace.h"
#include "transport/model/congestion/rate_options.h"

namespace heddle {

class Dcqcn final {
 public:
  static constexpr int kMode = 1;
  static constexpr const char* kName = "DCQCN";
  static constexpr bool kNeedsEcn = true;
  static constexpr bool kOnlyOnCongestion = true;  ///< an ACK without CNP changes nothing
  static constexpr bool kRetimes = false;
  static constexpr bool kSetsWindow = false;
  static constexpr bool kHasTimers = true;
  static constexpr std::int64_t kTelemetryBytes = 0;
  static constexpr std::int64_t kAckBytes = 60;
  static constexpr FirstStamp kFirstStamp = FirstStamp::kSendTime;
  static constexpr bool kStamps = false;
  using Tail = Nothing;
  using PortState = Nothing;

  static constexpr std::int64_t kSingleTicks = 64;

  struct Options {
    Time alpha_interval = MicroSeconds(1);       ///< T_alpha, ALPHA_RESUME_INTERVAL
    Time decrease_interval = MicroSeconds(4);    ///< T_dec, RATE_DECREASE_INTERVAL
    Time increase_interval = MicroSeconds(900);  ///< T_rp, RP_TIMER
    std::int64_t fast_recovery = 1;  ///< ticks that only halve R_t - R, FAST_RECOVERY_TIMES
    bool clamp_target = false;       ///< every cut sets R_t = R, CLAMP_TARGET_RATE

    /// Adds dcqcn.*; intervals are 1 ns to 1 s, fast_recovery 0 to 1,000,000.
    void Declare(OptionSet* options);
  };

  struct State {
    Time first_cnp;   ///< t0, if started
    Time next_alpha;  ///< alpha's first tick not yet applied
    Time next_decrease =
        Time::Max();  ///< the check that will cut; none without a CNP since the last
    Time next_increase = Time::Max();  ///< recovery tick
    double alpha = 1;
    BitRate target;           ///< R_t
    std::uint32_t stage = 0;  ///< recovery ticks since the last cut
    std::uint8_t started =
        0;  ///< 0 or 1, as `marked`: no bools, as saved state is taken over as bytes
    std::uint8_t marked = 0;  ///< a CNP since alpha's last tick

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& first_cnp& next_alpha& next_decrease& next_increase& alpha& target& stage& started&
          marked;
    }
  };
  static_assert(std::is_trivially_copyable_v<State>);

  Dcqcn(const Options& options, const RateOptions& rates);

  /// Sets R and R_t to the line rate. No timer runs before the first CNP.
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// Reacts to the CNP flag only.
  void OnAck(State* state, Pace* pace, const AckSignals& signals) const {
    if (signals.congestion) OnCnp(state, pace, signals.now);
  }
  /// Returns the next decrease check or recovery tick, whichever is first; Time::Max() if neither
  /// is due.
  Time NextTimer(const State& state) const {
    return std::min(state.next_decrease, state.next_increase);
  }
  /// Runs everything due at or before `now`.
  void OnTimer(State* state, Pace* pace, Time now) const;

  /// Returns alpha after all ticks until `now`, for monitors and tests. Works on a copy of the
  /// state.
  double AlphaAt(State state, Time now) const;

 private:
  /// Starts both grids at the first CNP. A later one runs what is due, counts for the next alpha
  /// tick, and schedules the check on the grid's next point unless one is scheduled.
  void OnCnp(State* state, Pace* pace, Time now) const;
  /// Applies all alpha ticks at or before `now`. More than kSingleTicks at once are raised to the
  /// power by squaring.
  void CatchUpAlpha(State* state, Time now) const;
  /// Runs the check at next_decrease: cuts R by alpha/2 and restarts recovery.
  void Decrease(State* state, Pace* pace) const;
  /// Runs the recovery tick at next_increase. Stops the timer once R has settled at the line rate.
  void Increase(State* state, Pace* pace) const;
  /// Returns R/2 + R_t/2 in whole bit/s, within [MIN_RATE, line].
  BitRate Middle(BitRate rate, BitRate target, BitRate line) const;

  Options options_;
  RateOptions rates_;
};

}  // namespace heddle
