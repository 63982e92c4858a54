// SPDX-License-Identifier: GPL-2.0-only
/// Options of the Ultra Ethernet transport; docs/models/ultra-ethernet.md describes the model.
///
/// Defaults are those of uet-htsim, the simulator of the Ultra Ethernet Consortium; where its
/// specification says otherwise and it matters, a switch `uec.spec_...` chooses the specification.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

/// Zero means "derived" where a member says so; UecScale (transport/model/uec/uec_scale.h) derives.
struct UecOptions {
  /// transport/model/replay/replay_permission.h: TransportOptions refuses the protocol.
  static constexpr bool kMayBeReplayed = true;

  enum class Congestion : std::uint8_t { kNscc, kRccc, kBoth, kNone };
  friend constexpr auto WordsOf(Congestion /*type*/) {
    return std::array{"nscc", "rccc", "both", "none"};
  }
  enum class Mode : std::uint8_t { kRud, kRod };
  friend constexpr auto WordsOf(Mode /*type*/) { return std::array{"rud", "rod"}; }
  enum class Oversubscribed : std::uint8_t { kAuto, kOn, kOff };
  friend constexpr auto WordsOf(Oversubscribed /*type*/) { return std::array{"auto", "on", "off"}; }

  Congestion congestion = Congestion::kNscc;
  Mode mode = Mode::kRud;

  std::int64_t mtu = 4150;    ///< of a full packet on the wire [byte]
  std::int64_t header = 64;   ///< of it no payload [byte]
  std::int64_t control = 64;  ///< ACK, NACK, pull and request to send on the wire [byte]
  bool trimming = true;
  std::int64_t trimmed = 64;  ///< a trimmed packet on the wire [byte]

  double queue_limit = 0;     ///< of a port [BDP]; 0: 1 with trimming, 5 without
  double last_hop_limit = 1;  ///< of a port to a host [queue_limit]
  double kmin = 0.2;          ///< no marks below [BDP]
  double kmax = 0.8;          ///< every packet is marked above [BDP]

  std::int64_t ack_threshold = 16384;  ///< bytes on the wire from one ACK to the next
  Time min_rto{0};                     ///< 0: derived
  std::int64_t retries = 250;          ///< timeouts in a row after which a flow is given up

  double max_window = 1.5;            ///< of sender and receiver credit [BDP]
  std::int64_t initial_window = 0;    ///< packets; 0: the largest window
  Time target_delay{0};               ///< of queues, T; 0: derived
  double gamma = 0.8;                 ///< weight of the delay's excess in a decrease
  double max_decrease = 0.5;          ///< the most that one decrease takes
  double eta = 0.15;                  ///< payloads added once a base round trip, times a
  double fair_increase = 5;           ///< fi: payloads, times a
  double proportional = 4;            ///< of alpha: payloads, times a and b
  double fast_scale = 0.25;           ///< fi_scale: of the bytes acknowledged, times a
  Time fast_delay = MicroSeconds(1);  ///< a delay below it counts as an empty network
  std::int64_t quick_adapt_gate = 3;  ///< below 2^-gate of the largest window
  double quick_adapt_delay = 4;       ///< T
  double delay_gain = 0.0125;         ///< of a sample in the average delay
  std::int64_t adjust_packets = 8;    ///< after so many packets' bytes the window is adjusted
  bool nack_lowers_rtt = true;        ///< a NACK's round trip may become the base round trip
  bool spec_full_mtu = false;
  bool spec_needs_sample = false;
  bool spec_quick_adapt = false;
  bool spec_ack_request = false;

  std::int64_t pull = 16384;  ///< credit of one pull [byte]
  double pull_rate = 0.99;    ///< of the NIC's rate
  bool slow_pulls = true;     ///< credit ahead of demand when nobody has demand
  Oversubscribed oversubscribed = Oversubscribed::kAuto;

  bool sleek = false;

  /// Adds uec.*.
  void Declare(OptionSet* options);

  bool in_order() const { return mode == Mode::kRod; }  ///< ROD: packets are taken in order only
  /// Whether a window limits the bytes in flight; without `adapts_window` it stays as it starts.
  bool uses_window() const { return congestion != Congestion::kRccc; }
  /// Whether NSCC adapts the window.
  bool adapts_window() const {
    return congestion == Congestion::kNscc || congestion == Congestion::kBoth;
  }
  /// Whether the receiver gives credit (RCCC).
  bool uses_credit() const {
    return congestion == Congestion::kRccc || congestion == Congestion::kBoth;
  }
  /// Returns the payload of a full packet [byte].
  std::int64_t payload() const { return mtu - header; }
};

}  // namespace heddle
