// SPDX-License-Identifier: GPL-2.0-only
/// CC_MODE 0: line rate always, within the window. Also the shape of an algorithm: every congestion
/// control is a final class with the members below, and nothing outside its own files knows its
/// name.
///
/// The constants and types are declarations; the domain, the switches and the NIC act on them alone
/// (CongestionControl). What an algorithm lets ports write into packets is declared by kStamps, and
/// then has a function more, which this one does not need (Hpcc and Pint have it):
///
///   void Stamp(const PortReading& port, PortState* state, std::int64_t* stamp, Tail* tail) const;
///
/// It runs for every data packet that a switch's port starts to send; `state` is the port's,
/// `stamp` and `tail` are the packet's. The receiver's ACK echoes both (AckSignals).
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "transport/model/congestion/pace.h"
#include "transport/model/congestion/rate_options.h"

namespace heddle {

class OptionSet;

class NoControl final {
 public:
  static constexpr int kMode = 0;  ///< CC_MODE, as SimAI numbers it
  static constexpr const char* kName = "none";
  static constexpr bool kNeedsEcn = false;         ///< switches mark data packets
  static constexpr bool kOnlyOnCongestion = true;  ///< an ACK without CNP changes nothing
  static constexpr bool kRetimes = false;          ///< a new rate moves the next packet too
  static constexpr bool kSetsWindow =
      false;                                 ///< writes Pace::limit, which else may follow the rate
  static constexpr bool kHasTimers = false;  ///< NextTimer may name a time
  static constexpr std::int64_t kTelemetryBytes = 0;  ///< header bytes that a data packet has more
  static constexpr std::int64_t kAckBytes = 60;       ///< an ACK on the wire
  static constexpr FirstStamp kFirstStamp = FirstStamp::kSendTime;
  static constexpr bool kStamps = false;  ///< ports of switches call Stamp
  using Tail = Nothing;       ///< sent after every packet, at most MessageTail; or Nothing.
                              ///< Starts as zero bytes; sound() is false if damaged
  using PortState = Nothing;  ///< what Stamp remembers of a port; starts as zero bytes

  struct Options {
    void Declare(OptionSet* /*options*/) {}  ///< none
  };
  struct State {};  ///< of a queue pair

  NoControl(const Options& /*options*/, const RateOptions& /*rates*/) {}  ///< reads neither

  /// Starts a queue pair; every algorithm starts at the line rate.
  void Start(State* /*state*/, Pace* pace, std::uint64_t /*seed*/, FlowId /*flow*/) const {
    pace->rate = pace->line_rate;
  }
  /// Changes nothing at an ACK.
  void OnAck(State* /*state*/, Pace* /*pace*/, const AckSignals& /*signals*/) const {}
  Time NextTimer(const State& /*state*/) const { return Time::Max(); }  ///< never due
  /// Does nothing, and is never called: there are no timers.
  void OnTimer(State* /*state*/, Pace* /*pace*/, Time /*now*/) const {}
};

}  // namespace heddle
