// SPDX-License-Identifier: GPL-2.0-only
/// The congestion control algorithms behind one face: a queue pair keeps a State, a switch's port a
/// PortState, and the mode decides what is in them.
///
/// An algorithm is a final class with the members that NoControl has; it joins by its name in
/// CongestionAlgorithms. There are no virtual calls: one object serves a whole fabric, and what
/// queue pairs and ports remember is plain data.
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

/// What the declarations of one algorithm must agree in.
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

/// The algorithm of a run. Built means valid: the mode is one of those above, or the constructor
/// throws UserError.
class CongestionControl final {
 public:
  using Algorithms = CongestionAlgorithms;
  using Declared = detail::DeclaredBy<Algorithms>;

  /// Room for any algorithm's state of a queue pair; what it holds is known by the
  /// CongestionControl that started it.
  using State = Declared::State;
  /// The same of a switch's port; zero bytes at first.
  using PortState = Declared::PortState;
  /// Of any algorithm's tail.
  static constexpr std::size_t kTailBytes = sizeof(Declared::Tail);
  static constexpr std::size_t kTailAlign = alignof(Declared::Tail);
  /// Of any algorithm's header_bytes().
  static constexpr std::int64_t kMostHeaderBytes = Declared::kMostTelemetryBytes;

  explicit CongestionControl(const CongestionOptions& options);

  /// Set a new queue pair to line rate. The rest of `pace` is set before.
  void Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const;
  /// React to an ACK; may change pace->rate and pace->limit. NextTimer changes only if the ACK
  /// tells of congestion.
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
  /// Header bytes that a data packet has more.
  std::int64_t header_bytes() const { return header_bytes_; }
  std::int64_t ack_bytes() const { return ack_bytes_; }
  bool retimes() const { return retimes_; }

  /// Packets have a tail, zero bytes at first; ACKs bring back that of the data packet.
  bool carries_tail() const { return carries_tail_; }
  /// Ports of switches call Stamp for every data packet.
  bool stamps() const { return stamps_; }
  /// Packet::stamp of a data packet that the NIC sends now.
  std::int64_t FirstStampAt(Time now) const { return stamps_send_time_ ? now.ps : 0; }
  /// A port starts to send a data packet: write into its stamp and its tail (null if there is
  /// none). Requires stamps().
  void Stamp(const PortReading& port, PortState* state, std::int64_t* stamp, void* tail) const {
    StampBy<0>(port, state, stamp, tail);
  }
  /// Whether a tail can be one that ports have written, for saved state. True without tails.
  bool IsSound(const void* tail) const;

 private:
  void React(State* state, Pace* pace, const AckSignals& signals) const;
  Time EarliestTimer(const State& state) const;

  /// Not std::visit: only algorithms that stamp take part, and the call is inlined.
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
