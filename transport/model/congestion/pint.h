// SPDX-License-Identifier: GPL-2.0-only
/// HPCC-PINT (CC_MODE 10): HPCC on two bytes of telemetry, the load of the fullest port on the
/// path.
///
/// Source: Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020
/// (per-packet aggregation, its case of HPCC), in the form of SimAI's ns-3.
/// Symbols: B a port's rate [byte/s], T the fabric's largest base round trip, eta, R_c, stage as in
/// HPCC.
///
/// Switch: each port keeps a moving average of its load. For a packet that it starts to send dt
/// after the previous one (of s bytes; dt at most T), with q bytes left in its queues:
///   U = dt q / (B T^2) + s / (B T) + (T - dt) / T U
/// The packet carries a 16-bit code of the largest U of its path: 1 + round(log_b(U / U_min)), 0 if
/// no port stamped. Sender: HPCC's rule with U as decoded, without further averaging, on a random
/// share PINT_PROB of the ACKs.
///
/// Invariant: min(MIN_RATE, line rate) <= R <= line rate. Codes come from a table made by
/// multiplication, so they are the same on every machine; a code is within a factor sqrt(b) of the
/// load, between U_min = 2^-10 and 2^10.
/// Not modelled: switches without floating point, randomised rounding of the code.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "transport/model/congestion/hpcc.h"
#include "transport/model/congestion/pace.h"
#include "transport/model/congestion/rate_options.h"

namespace heddle {

class Pint final {
 public:
  static constexpr int kMode = 10;
  static constexpr const char* kName = "HPCC-PINT";
  static constexpr bool kNeedsEcn = false;
  static constexpr bool kOnlyOnCongestion = false;
  static constexpr bool kRetimes = true;
  static constexpr bool kSetsWindow = false;
  static constexpr bool kHasTimers = false;
  static constexpr std::int64_t kTelemetryBytes = 2;
  static constexpr std::int64_t kAckBytes = 60;
  static constexpr FirstStamp kFirstStamp = FirstStamp::kZero;  ///< no port has stamped
  static constexpr bool kStamps = true;
  using Tail = Nothing;

  static constexpr double kLeastUtilisation = 0x1p-10;  ///< U_min, code 1
  static constexpr double kMostUtilisation = 0x1p10;

  struct Options {
    double log_base = 1.05;  ///< b, PINT_LOG_BASE
    double probability = 1;  ///< that the sender uses an ACK, PINT_PROB

    /// Adds pint.*; log_base is 1.001 to 2, probability 1e-6 to 1.
    void Declare(OptionSet* options);
  };

  struct State {
    RandomStream random{0, 0, RandomPurpose::kPintSampling};
    std::int64_t last_update = 0;  ///< snd_nxt at the last full update; 0: no ACK used yet
    BitRate reference;             ///< R_c
    std::uint32_t stage = 0;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& random& last_update& reference& stage;
    }
  };
  static_assert(std::is_trivially_copyable_v<State>);

  /// What a switch port remembers.
  struct PortState {
    Time last;                    ///< when it started to send the previous packet
    std::int64_t last_bytes = 0;  ///< of the previous packet; 0: none yet
    double utilisation = 0;       ///< U

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& last& last_bytes& utilisation;
    }
  };
  static_assert(std::is_trivially_copyable_v<PortState>);

  /// Copies the options and builds the table of codes. Fails an invariant if log_base needs more
  /// than 16 bits.
  Pint(const Options& options, const Hpcc::Options& hpcc, const RateOptions& rates);

  /// Starts at the line rate. The random stream is keyed by (`seed`, `flow`).
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// Updates R from the code in signals.stamp. An ACK that the draw leaves out, or with code 0,
  /// changes nothing.
  void OnAck(State* state, Pace* pace, const AckSignals& signals) const;
  Time NextTimer(const State& /*state*/) const { return Time::Max(); }  ///< it has no timers
  void OnTimer(State* /*state*/, Pace* /*pace*/, Time /*now*/) const {}

  /// Updates the port's average with a packet that it starts to send. Raises `*stamp` to the code
  /// of the port's load if that is larger. Requires port.max_rtt > 0.
  void Stamp(const PortReading& port, PortState* state, std::int64_t* stamp, Tail* tail) const;
  /// Returns the code whose load is nearest by ratio: 1 or more, and at most the largest code.
  std::uint16_t Encode(double utilisation) const;
  /// Returns the load of a code; 0 for code 0. A code beyond the table has the largest load.
  double Decode(std::uint16_t code) const;

 private:
  Options options_;
  HpccRule rule_;
  bool fast_react_ = true;
  std::vector<double> loads_;  ///< of codes 1, 2, ..
};

}  // namespace heddle
