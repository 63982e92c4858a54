// SPDX-License-Identifier: GPL-2.0-only
/// What follows from the options of the Ultra Ethernet transport once the network is known: limits
/// of queues and windows, constants of NSCC, the retransmission timeout.
///
/// Source: Ultra Ethernet Specification 1.0, section 3.6.13, and uet-htsim
/// (ultraethernet/uet-htsim, 2025-08). Symbols: R base round trip of the network, C rate of its
/// links, p full packet on the wire, m its payload, BDP = R C / 8, T target delay. With ceil(BDP /
/// p) = B packets:
///   queue limit = ceil(limit B) packets;  Kmin, Kmax = ceil(.2 B), ceil(.8 B) packets
///   T = .75 R with trimming, R without
///   a = BDP / (100 Gb/s 12 us), b = T / 12 us: the network's size against that of the constants
///   alpha = 4 m a b / T;  fi = 5 m a;  eta = .15 m a;  fi_scale = .25 a
///   largest window = 1.5 BDP, smallest p;  RTO = 15 us + 6 (queue limit) / C
#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "transport/model/uec/uec_options.h"

namespace heddle {

/// Sizes are bytes on the wire.
struct UecScale {
  /// Derives all fields. `base_rtt` R above 0 and below a second; `rate` C above 0;
  /// `oversubscription` at least 1: a leaf's bandwidth to its hosts over that to the core, the
  /// largest of all tiers. Throws UserError for a network whose BDP is too large to count.
  UecScale(const UecOptions& options, Time base_rtt, BitRate rate, double oversubscription);

  Time base_rtt;
  BitRate rate;
  std::int64_t bdp = 0;
  std::int64_t bdp_packets = 0;  ///< rounded up

  std::int64_t queue_limit = 0;     ///< of data at a port
  std::int64_t last_hop_limit = 0;  ///< of data at a port to a host
  std::int64_t trimmed_limit = 0;   ///< of trimmed and control packets at a port
  std::int64_t kmin = 0;
  std::int64_t kmax = 0;
  bool last_hop_ecn = true;  ///< off with receiver credit, which keeps that queue short

  Time target_delay;       ///< T
  Time quick_adapt_delay;  ///< a delay above it asks for a quick adaptation
  double a = 0;
  double b = 0;
  double alpha = 0;  ///< byte/ps
  double fair_increase = 0;
  double eta = 0;
  double fast_scale = 0;
  std::int64_t max_window = 0;
  std::int64_t min_window = 0;
  std::int64_t initial_window = 0;
  std::int64_t adjust_bytes = 0;
  Time min_rto;

  bool oversubscription_control = false;
  double least_credit_rate = 1;  ///< of a receiving NIC's credit, under that control

  /// Returns the largest window of a flow whose own base round trip is `rtt`; at least a packet.
  std::int64_t MaxWindow(Time rtt) const;

 private:
  double window_bdps_;
};

/// Returns R for `links` links of rate `rate`, with a one-way delay of `propagation` in all (cables
/// and switches): a full packet in one direction and an ACK back, store and forward.
Time UecBaseRtt(const UecOptions& options, Time propagation, std::int64_t links, BitRate rate);

}  // namespace heddle
