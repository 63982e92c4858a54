// SPDX-License-Identifier: GPL-2.0-only
/// HPCC sender rate control (CC_MODE 3): the switches report their load, the sender aims at a
/// little below full.
///
/// Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 3 and
/// algorithm 1, in the rate based form of its public ns-3 simulator, which SimAI carries.
/// Symbols: R rate (Pace::rate), R_c reference rate, B a hop's link rate, T base round trip, W
/// window at line rate.
///
/// From a hop's record in this ACK and in the last one (tau apart, tx bytes sent in between, queues
/// q and q'):
///   U_hop = 8 tx / tau / B + min(q, q') (line / B) / W
///   U = (T - min(tau, T)) / T U + min(tau, T) / T max U_hop      (tau of the fullest hop; U starts
///       at 1)
///   c = U / eta;  c >= 1 or stage >= MI_THRESH: R = R_c / c + RATE_AI, stage 0;  else: R = R_c +
///       RATE_AI, stage + 1
/// An ACK for data sent after the last full update makes R the new R_c (full update, once a round
/// trip); others set R only (FAST_REACT). MULTI_RATE keeps U, R_c and stage for each hop and sends
/// at the lowest rate.
///
/// Invariant: min(MIN_RATE, line rate) <= R <= line rate. The first records are only stored. So are
/// records with another number of hops, or older or smaller than the previous ones: the path has
/// changed.
/// Not modelled: window based HPCC (here the window follows the rate), more than five hops,
/// narrow INT fields.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "transport/model/congestion/pace.h"
#include "transport/model/congestion/rate_options.h"
#include "transport/model/congestion/telemetry.h"

namespace heddle {

/// The step from a utilisation to a rate, which HPCC and HPCC-PINT share.
struct HpccRule {
  double target = 0.95;        ///< eta
  std::int64_t threshold = 0;  ///< additive steps before a multiplicative one
  BitRate increase;            ///< W_ai of the paper, as a rate
  BitRate minimum;

  struct Outcome {
    BitRate rate;
    std::uint32_t stage = 0;
  };
  /// Returns the new rate, within [minimum, line], and the stage after it. `utilisation` is U,
  /// `reference` is R_c.
  Outcome Step(BitRate reference, std::uint32_t stage, double utilisation, BitRate line) const;
};

class Hpcc final {
 public:
  static constexpr int kMode = 3;
  static constexpr const char* kName = "HPCC";
  static constexpr bool kNeedsEcn = false;
  static constexpr bool kOnlyOnCongestion = false;
  static constexpr bool kRetimes = true;
  static constexpr bool kSetsWindow = false;
  static constexpr bool kHasTimers = false;
  static constexpr std::int64_t kTelemetryBytes =
      42;  ///< SimAI: five hops of 8 bytes and a count of 2
  static constexpr std::int64_t kAckBytes = 92;
  static constexpr FirstStamp kFirstStamp = FirstStamp::kSendTime;
  static constexpr bool kStamps = true;
  using Tail = Telemetry;
  using PortState = Nothing;

  struct Options {
    double target_utilisation = 0.95;  ///< eta, U_TARGET
    std::int64_t increase_stages = 0;  ///< MI_THRESH; the paper's maxStage is 5
    bool fast_react = true;            ///< FAST_REACT
    bool rate_per_hop = false;         ///< MULTI_RATE
    bool sample_feedback = false;      ///< SAMPLE_FEEDBACK

    /// Adds hpcc.*; target_utilisation is 0.01 to 1, increase_stages 0 to 1,000,000.
    void Declare(OptionSet* options);
    /// Returns the step rule with these options, RATE_AI and MIN_RATE.
    HpccRule Rule(const RateOptions& rates) const;
  };

  struct State {
    struct Hop {
      double utilisation = 1;
      BitRate reference;
      std::uint32_t stage = 0;
      std::uint32_t unused = 0;

      template <class Archive>
      void serialize(Archive& archive, unsigned /*version*/) {
        archive& utilisation& reference& stage& unused;
      }
    };

    Telemetry last;                ///< the records before
    std::int64_t last_update = 0;  ///< snd_nxt at the last full update; 0: no records yet
    double utilisation = 1;        ///< U
    BitRate reference;             ///< R_c
    std::uint32_t stage = 0;
    Hop hops[Telemetry::kMaxHops];  ///< used with MULTI_RATE

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& last& last_update& utilisation& reference& stage& hops;
    }
  };
  static_assert(std::is_trivially_copyable_v<State>);

  Hpcc(const Options& options, const RateOptions& rates);

  /// Starts at the line rate, which is also R_c of the flow and of every hop. U starts at 1.
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// Updates R from the records in signals.tail. Without a record (no switch on the path reports)
  /// nothing changes.
  void OnAck(State* state, Pace* pace, const AckSignals& signals) const;
  Time NextTimer(const State& /*state*/) const { return Time::Max(); }  ///< it has no timers
  void OnTimer(State* /*state*/, Pace* /*pace*/, Time /*now*/) const {}
  /// Appends the port's record to the packet's tail.
  void Stamp(const PortReading& port, PortState* /*state*/, std::int64_t* /*stamp*/,
             Tail* tail) const {
    tail->Push(port.now, port.sent_bytes, port.queued_bytes, port.rate);
  }

 private:
  /// What the fresh records report of each hop; `tau` [ps] is 0 where the hop is left out.
  struct Measured {
    double utilisation[Telemetry::kMaxHops] = {};
    std::int64_t tau[Telemetry::kMaxHops] = {};
    bool any = false;
  };
  /// Returns U_hop and tau of each hop, and stores the fresh records. With SAMPLE_FEEDBACK, leaves
  /// hops with an empty queue out unless the update is `full`.
  Measured Measure(State* state, const Pace& pace, const Telemetry& fresh, bool full) const;
  /// Sets R from the fullest hop. A `full` update also sets R_c and the stage.
  void OneRate(State* state, Pace* pace, const Measured& measured, bool full) const;
  /// Sets R to the lowest rate of all hops. A `full` update also sets R_c and the stage of the
  /// measured hops.
  void RatePerHop(State* state, Pace* pace, const Measured& measured, bool full) const;

  Options options_;
  HpccRule rule_;
};

}  // namespace heddle
