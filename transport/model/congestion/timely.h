// SPDX-License-Identifier: GPL-2.0-only
/// TIMELY sender rate control (CC_MODE 7): the gradient of the round trip shows whether queues
/// grow.
///
/// Source: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
/// algorithm 1, in the form of SimAI's ns-3. Its constants are fixed there; here they are options.
/// Symbols: R rate (Pace::rate), a weight of a new difference, b decrease factor, T_low, T_high,
/// T_min.
///
/// Once a window (an ACK for data sent after the last update), with the round trip rtt and the one
/// before, rtt':
///   d = (1 - a) d + a (rtt - rtt');  g = d / T_min
///   rtt < T_low, or rtt <= T_high and g <= 0:  R = R + RATE_AI, or + RATE_HAI after `hyper_after`
///       raises in a row
///   rtt > T_high:                              R = R (1 - b (1 - T_high / rtt))
///   else:                                      R = R max(0, 1 - b g)
/// Invariant: min(MIN_RATE, line rate) <= R <= line rate. The first round trip is only recorded.
/// Not modelled: bursts sent as segments; SimAI too paces packet by packet.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "transport/model/congestion/pace.h"
#include "transport/model/congestion/rate_options.h"

namespace heddle {

class Timely final {
 public:
  static constexpr int kMode = 7;
  static constexpr const char* kName = "TIMELY";
  static constexpr bool kNeedsEcn = false;
  static constexpr bool kOnlyOnCongestion = false;
  static constexpr bool kRetimes = false;
  static constexpr bool kSetsWindow = false;
  static constexpr bool kHasTimers = false;
  static constexpr std::int64_t kTelemetryBytes = 8;  ///< the time stamp that the ACK returns
  static constexpr std::int64_t kAckBytes = 60;
  static constexpr FirstStamp kFirstStamp = FirstStamp::kSendTime;
  static constexpr bool kStamps = false;
  using Tail = Nothing;
  using PortState = Nothing;

  struct Options {
    double weight = 0.875;                ///< a
    double decrease = 0.8;                ///< b
    Time low = MicroSeconds(50);          ///< T_low
    Time high = MicroSeconds(500);        ///< T_high
    Time minimum_rtt = MicroSeconds(20);  ///< T_min, the scale of the gradient
    std::int64_t hyper_after = 5;         ///< raises in a row before the hyper increase

    /// Adds timely.*; low and high are 0 to 1 s, minimum_rtt 1 ns to 1 s.
    void Declare(OptionSet* options);
  };

  struct State {
    std::int64_t last_update = 0;  ///< snd_nxt at the last update; 0: no round trip yet
    Time last_rtt;
    double difference_ps = 0;  ///< d [ps]
    std::int64_t raises = 0;   ///< in a row

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& last_update& last_rtt& difference_ps& raises;
    }
  };
  static_assert(std::is_trivially_copyable_v<State>);

  Timely(const Options& options, const RateOptions& rates);

  /// Starts at the line rate, without a round trip.
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// Updates R once a window; an ACK for data sent before the last update changes nothing.
  void OnAck(State* state, Pace* pace, const AckSignals& signals) const;
  Time NextTimer(const State& /*state*/) const { return Time::Max(); }  ///< it has no timers
  void OnTimer(State* /*state*/, Pace* /*pace*/, Time /*now*/) const {}

 private:
  /// Applies the rule above to a new round trip.
  void Update(State* state, Pace* pace, Time rtt) const;

  Options options_;
  RateOptions rates_;
};

}  // namespace heddle
