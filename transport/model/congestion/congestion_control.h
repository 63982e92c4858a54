// SPDX-License-Identifier: GPL-2.0-only
/// Congestion control with one interface for all algorithms. A queue pair keeps a State and a
/// switch's port a PortState; the mode decides what they hold.
///
/// An algorithm is a final class with the members that NoControl has. It joins by its entry in
/// CongestionAlgorithms. There are no virtual calls: one object serves a whole fabric, and queue
/// pairs and ports keep plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <variant>

#include "transport/model/congestion/congestion_options.h"

namespace heddle {

namespace detail {
/// Room for one of several plain types.
template <std::size_t Bytes, std::size_t Align>
struct PlainRoom {
  alignas(Align) unsigned char bytes[Bytes] = {};

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& bytes;
  }
};
template <class... Plain>
struct RoomFor {
  static_assert((std::is_trivially_copyable_v<Plain> && ...), "saved and copied as bytes");
  using Type = PlainRoom<std::max({sizeof(Plain)...}), std::max({alignof(Plain)...})>;
};

/// Checks at compile time that the constants of one algorithm agree with its types.
template <class Algorithm>
constexpr bool CheckDeclarations() {
  constexpr bool tail = !std::is_same_v<typename Algorithm::Tail, Nothing>;
  constexpr bool port = !std::is_same_v<typename Algorithm::PortState, Nothing>;
  static_assert(Algorithm::kStamps || !(tail || port),
                "only Stamp fills a tail or a port's state: declare kStamps");
  static_assert(!Algorithm::kStamps || Algorithm::kTelemetryBytes > 0,
                "what ports write needs room in the header: declare kTelemetryBytes");
  static_assert(Algorithm::kTelemetryBytes >= 0 && Algorithm::kAckBytes > 0);
  return true;
}

/// Runs a step of an algorithm on a pace. Unless the algorithm sets the window, that follows a
/// change of the rate, if it is to (`scales`).
template <class Algorithm, class Step>
void WithWindow(bool scales, Pace* pace, const Step& step) {
  const BitRate before = pace->rate;
  step();
  if constexpr (!Algorithm::kSetsWindow) {
    if (scales && pace->rate != before) ScaleWindow(pace);
  }
}

template <class List>
struct DeclaredBy;
template <class... Algorithm>
struct DeclaredBy<std::variant<Algorithm...>> {
  static_assert((CheckDeclarations<Algorithm>() && ...));
  using State = typename RoomFor<typename Algorithm::State...>::Type;
  using PortState = typename RoomFor<typename Algorithm::PortState...>::Type;
  using Tail = typename RoomFor<typename Algorithm::Tail...>::Type;
  static constexpr std::int64_t kMostTelemetryBytes = std::max({Algorithm::kTelemetryBytes...});
};
}  // namespace detail

/// The algorithm of a run. Once built it is valid.
class CongestionControl final {
 public:
  using Algorithms = CongestionAlgorithms;
  using Declared = detail::DeclaredBy<Algorithms>;

  /// Room for any algorithm's state of a queue pair; what it holds is known by the
  /// CongestionControl that started it.
  using State = Declared::State;
  /// Room for any algorithm's state of a switch's port; zero bytes at first.
  using PortState = Declared::PortState;
  /// Size and alignment that hold any algorithm's tail [byte].
  static constexpr std::size_t kTailBytes = sizeof(Declared::Tail);
  static constexpr std::size_t kTailAlign = alignof(Declared::Tail);
  /// Largest header_bytes() of any algorithm.
  static constexpr std::int64_t kMostHeaderBytes = Declared::kMostTelemetryBytes;

  /// Makes the algorithm that `options.mode` names. Throws UserError, with the modes that exist, if
  /// there is none.
  explicit CongestionControl(const CongestionOptions& options);

  /// Starts a new queue pair at line rate and discards the old `state`. The caller sets the rest of
  /// `pace` before. `seed` and `flow` key the random stream of an algorithm that draws.
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// Reacts to an ACK; may change pace->rate and pace->limit. NextTimer changes only if the ACK
  /// carries the CNP flag.
  void OnAck(State* state, Pace* pace, const AckSignals& signals) const {
    if (Heeds(signals.congestion)) React(state, pace, signals);
  }
  /// Whether an ACK with or without the CNP flag can change anything, timers included.
  bool Heeds(bool congestion) const { return congestion || !only_on_congestion_; }
  /// Time of the next OnTimer call; Time::Max() if none is due.
  Time NextTimer(const State& state) const {
    return has_timers_ ? EarliestTimer(state) : Time::Max();
  }
  /// Runs all steps that are due at or before `now`, and lets the window follow a changed rate.
  void OnTimer(State* state, Pace* pace, Time now) const;

  int mode() const { return mode_; }             ///< CC_MODE, as SimAI numbers it
  const char* name() const { return name_; }     ///< kName, such as "DCQCN"; a literal
  bool needs_ecn() const { return needs_ecn_; }  ///< whether switches must mark data packets
  /// Returns the bytes that telemetry adds to the header of every data packet.
  std::int64_t header_bytes() const { return header_bytes_; }
  std::int64_t ack_bytes() const { return ack_bytes_; }  ///< size of an ACK on the wire [byte]
  /// Whether a new rate also moves the next packet that is scheduled.
  bool retimes() const { return retimes_; }

  /// Whether packets have a tail. It is zero bytes at first; ACKs return that of the data packet.
  bool carries_tail() const { return carries_tail_; }
  /// Whether ports of switches call Stamp for every data packet.
  bool stamps() const { return stamps_; }
  /// Returns Packet::stamp of a data packet that the NIC sends now: the time in ps, or 0.
  std::int64_t FirstStampAt(Time now) const { return stamps_send_time_ ? now.ps : 0; }
  /// Writes the port's report into the stamp and the tail of a data packet that it starts to send.
  /// `tail` is null if there is none. Requires stamps().
  void Stamp(const PortReading& port, PortState* state, std::int64_t* stamp, void* tail) const {
    StampBy<0>(port, state, stamp, tail);
  }
  /// Whether ports can have written this tail; checks saved state. True without tails.
  bool IsSound(const void* tail) const;

 private:
  /// Calls the algorithm's OnAck, and lets the window follow a changed rate.
  void React(State* state, Pace* pace, const AckSignals& signals) const;
  /// Returns the algorithm's NextTimer; called only if it has timers.
  Time EarliestTimer(const State& state) const;

  /// Calls Stamp of the chosen algorithm. Not std::visit: only algorithms that stamp take part, and
  /// the call is inlined.
  template <std::size_t I>
  void StampBy(const PortReading& port, PortState* state, std::int64_t* stamp, void* tail) const {
    if constexpr (I < std::variant_size_v<Algorithms>) {
      using Own = std::variant_alternative_t<I, Algorithms>;
      if constexpr (Own::kStamps) {
        if (const Own* algorithm = std::get_if<I>(&algorithm_)) {
          algorithm->Stamp(port,
                           std::launder(reinterpret_cast<typename Own::PortState*>(state->bytes)),
                           stamp, static_cast<typename Own::Tail*>(tail));
          return;
        }
      }
      StampBy<I + 1>(port, state, stamp, tail);
    }
  }

  Algorithms algorithm_;
  int mode_ = 0;
  const char* name_ = nullptr;
  std::int64_t header_bytes_ = 0;
  std::int64_t ack_bytes_ = 0;
  bool needs_ecn_ = false;
  bool retimes_ = false;
  bool only_on_congestion_ = false;
  bool has_timers_ = false;
  bool carries_tail_ = false;
  bool stamps_ = false;
  bool stamps_send_time_ = false;
  bool scales_window_ = false;
};

}  // namespace heddle
