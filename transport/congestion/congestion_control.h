// SPDX-License-Identifier: GPL-2.0-only
/// The congestion control algorithms behind one face: a queue pair keeps a State, and the mode
/// decides what is in it.
///
/// An algorithm is a final class with the members that NoControl has; it joins by one line in
/// Algorithms, one in CongestionOptions and its MakeAlgorithm() there. There are no virtual calls:
/// one object serves all queue pairs of a domain, and what a queue pair remembers is plain data.
#ifndef HEDDLE_TRANSPORT_CONGESTION_CONGESTION_CONTROL_H_
#define HEDDLE_TRANSPORT_CONGESTION_CONGESTION_CONTROL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "transport/congestion/congestion_options.h"

namespace heddle {

/// CC_MODE 0: line rate always, within the window. Also the shape of an algorithm.
class NoControl final {
 public:
  static constexpr int kMode = 0;
  static constexpr const char* kName = "none";
  static constexpr bool kNeedsEcn = false;         ///< switches mark data packets
  static constexpr bool kOnlyOnCongestion = true;  ///< an ACK without CNP changes nothing
  static constexpr bool kRetimes =
      false;  ///< a new rate moves the next packet, not only those after it
  static constexpr bool kHasTimers = false;           ///< NextTimer may name a time
  static constexpr std::int64_t kTelemetryBytes = 0;  ///< header bytes that a data packet has more
  static constexpr std::int64_t kAckBytes = 60;       ///< an ACK on the wire
  struct State {};

  void Start(State* /*state*/, Pace* pace, std::uint64_t /*seed*/, FlowId /*flow*/) const {
    pace->rate = pace->line_rate;
  }
  void OnAck(State* /*state*/, Pace* /*pace*/, const AckSignals& /*signals*/) const {}
  Time NextTimer(const State& /*state*/) const { return Time::Max(); }
  void OnTimer(State* /*state*/, Pace* /*pace*/, Time /*now*/) const {}
};

namespace detail {
template <class Variant>
struct StorageOf;
template <class... Algorithm>
struct StorageOf<std::variant<Algorithm...>> {
  static constexpr std::size_t kBytes = std::max({sizeof(typename Algorithm::State)...});
  static constexpr std::size_t kAlign = std::max({alignof(typename Algorithm::State)...});
  static constexpr bool kPlain = (std::is_trivially_copyable_v<typename Algorithm::State> && ...);
};
}  // namespace detail

/// The algorithm of a run. Built means valid: the mode is one of those above, or the constructor
/// throws UserError.
class CongestionControl final {
 public:
  using Algorithms = std::variant<NoControl, Dcqcn, Hpcc, Timely, Dctcp, Pint>;

  /// Room for any algorithm's state; what it holds is known by the CongestionControl that started
  /// it.
  struct State {
    alignas(detail::StorageOf<
            Algorithms>::kAlign) unsigned char bytes[detail::StorageOf<Algorithms>::kBytes] = {};

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& bytes;
    }
  };
  static_assert(std::is_trivially_copyable_v<State> && detail::StorageOf<Algorithms>::kPlain);

  explicit CongestionControl(const CongestionOptions& options);

  /// Set a new queue pair to line rate. The rest of `pace` is set before.
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// React to an ACK; may change pace->rate. NextTimer changes only if the ACK tells of congestion.
  void OnAck(State* state, Pace* pace, const AckSignals& signals) const {
    if (Heeds(signals.congestion)) React(state, pace, signals);
  }
  /// Whether an ACK with or without the CNP flag can change anything, timers included.
  bool Heeds(bool congestion) const { return congestion || !only_on_congestion_; }
  /// When OnTimer is due; Time::Max() if never.
  Time NextTimer(const State& state) const {
    return has_timers_ ? EarliestTimer(state) : Time::Max();
  }
  void OnTimer(State* state, Pace* pace, Time now) const;

  int mode() const { return mode_; }
  const char* name() const { return name_; }
  bool needs_ecn() const { return needs_ecn_; }
  bool carries_telemetry() const { return mode_ == Hpcc::kMode; }
  bool stamps_pint() const { return mode_ == Pint::kMode; }
  std::int64_t header_bytes() const { return header_bytes_; }  ///< INT bytes of a data packet
  std::int64_t ack_bytes() const { return ack_bytes_; }
  bool retimes() const { return retimes_; }
  const Pint* pint() const { return std::get_if<Pint>(&algorithm_); }

 private:
  void React(State* state, Pace* pace, const AckSignals& signals) const;
  Time EarliestTimer(const State& state) const;

  Algorithms algorithm_;
  int mode_ = 0;
  const char* name_ = nullptr;
  std::int64_t header_bytes_ = 0;
  std::int64_t ack_bytes_ = 0;
  bool needs_ecn_ = false;
  bool retimes_ = false;
  bool only_on_congestion_ = false;
  bool has_timers_ = false;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_CONGESTION_CONGESTION_CONTROL_H_
