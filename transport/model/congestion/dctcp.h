// SPDX-License-Identifier: GPL-2.0-only
/// DCTCP as a rate control (CC_MODE 8): cut in proportion to the share of marked packets.
///
/// Source: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3, as rates instead of
/// windows, in the form of SimAI's ns-3. Symbols: R rate (Pace::rate), alpha estimated share of
/// marks (starts at 1), g gain.
///
/// A batch ends with the first ACK for data sent after the last batch ended. At its end, with m
/// marked ACKs and n packets that were in flight when it began (full packets, plus one):
///   alpha = (1 - g) alpha + g min(1, m / n)
/// The first end only sets n. Each ACK, in this order:
///   in CWR and acknowledged > snd_nxt at the cut: leave CWR
///   marked and not in CWR:                        R = R (1 - alpha/2), enter CWR
///   not in CWR and a batch has ended:             R = R + DCTCP_RATE_AI
/// Invariant: min(MIN_RATE, line rate) <= R <= line rate.
/// Not modelled: slow start (a flow starts at line rate), delayed ACKs.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "transport/model/congestion/pace.h"
#include "transport/model/congestion/rate_options.h"

namespace heddle {

class Dctcp final {
 public:
  static constexpr int kMode = 8;
  static constexpr const char* kName = "DCTCP";
  static constexpr bool kNeedsEcn = true;
  static constexpr bool kOnlyOnCongestion = false;
  static constexpr bool kRetimes = false;
  static constexpr bool kSetsWindow = false;
  static constexpr bool kHasTimers = false;
  static constexpr std::int64_t kTelemetryBytes = 0;
  static constexpr std::int64_t kAckBytes = 60;
  static constexpr FirstStamp kFirstStamp = FirstStamp::kSendTime;
  static constexpr bool kStamps = false;
  using Tail = Nothing;
  using PortState = Nothing;

  struct Options {
    BitRate additive_increase{1'000'000'000};  ///< a batch without cut, DCTCP_RATE_AI

    /// Adds dctcp.additive_increase.
    void Declare(OptionSet* options);
  };

  struct State {
    double alpha = 1;
    std::int64_t last_update = 0;  ///< snd_nxt when the last batch ended; 0: none has
    std::int64_t batch = 0;        ///< n
    std::int64_t marked = 0;       ///< m
    std::int64_t cut_at = 0;       ///< snd_nxt at the last cut
    std::uint8_t reduced = 0;      ///< CWR; no bool, as saved state is taken over as bytes

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& alpha& last_update& batch& marked& cut_at& reduced;
    }
  };
  static_assert(std::is_trivially_copyable_v<State>);

  Dctcp(const Options& options, const RateOptions& rates);

  /// Starts at the line rate, with alpha = 1.
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// Counts marks, ends the batch if it is over, then cuts or raises R, as described above.
  void OnAck(State* state, Pace* pace, const AckSignals& signals) const;
  Time NextTimer(const State& /*state*/) const { return Time::Max(); }  ///< it has no timers
  void OnTimer(State* /*state*/, Pace* /*pace*/, Time /*now*/) const {}

 private:
  /// Updates alpha from the marks of the batch, and begins the next batch at `signals.next`.
  void EndBatch(State* state, const AckSignals& signals) const;

  Options options_;
  RateOptions rates_;
};

}  // namespace heddle
