// SPDX-License-Identifier: GPL-2.0-only
/// Times of collectives by closed forms: steps times latency plus bytes over bandwidth, as
/// alpha-beta models have it (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective
/// Communication Operations in MPICH", IJHPCA 19(1), 2005), for the algorithms, chunks and
/// latencies that the packet simulation uses.
///
/// P_in, P_net: loads of the busiest NVLink and NIC (port_load.h), P the larger. lat_in, lat_net:
/// time of a message besides its bytes. I and W: messages inside and between servers that follow
/// each other. m: channels that share an NVLink.
///
/// Steps (rings). Over servers with equal numbers of ranks a ring is replayed (ring_replay.h), and
/// T is at least P. Otherwise: alone, a path of S = I + W steps takes
///     A = I (P_in / (S m) + lat_in) + W (P_net / S + lat_net)
/// and what the other channels may take from it is B = I P_in / S (m - 1) / m. They delay it as
/// often as the port is busy, U = P_in / T, if they keep no step with each other; always, if they
/// do, which they lose the more lat_in and lat_net differ: g = (lat_in / lat_net)^2, at most 1. A
/// port that is never idle hides latencies, so that T is P then. All that as
///     T = A + B (U + (1 - U) g) - (A + B - P) U^12
/// g and the power of U were found by packets (docs/models/analytical.md).
///
/// Pieces (trees, chains, NVLS). The first piece takes x_in + lat_in or x_net + lat_net a message,
/// x the time of its bytes and of those of the channels on the same path. F of K pieces are in
/// flight to a peer. The others follow by what the ports need for them, or what the flight takes:
///     T = I (x_in + lat_in) + W (x_net + lat_net) + (K - 1) max(Q / K, (x + lat) / F)
/// Q = (P_in^8 + P_net^8)^(1/8): of two ports in series that are nearly full, each waits for the
/// other. The power was found by packets.
///
/// Up and down (trees): all GPUs send up at once, and their NVLinks serve all pieces evenly. So on
/// its path up the first piece meets the pieces after it: on its j-th message min(j, K) of each
/// channel that shares the port. Down it meets none. H = I / 2, s: channels that share a port.
///     T = sum over j <= H of (x_in min(j, K) + lat_in) + W (x_net + lat_net)
///         + H (x_in / s + lat_in) + (K - 1) Q / K
/// and at least P, with Q of the power 16 and min(P_in, P_net) for P_in. The power and the NIC's
/// sharing (fabric_price.cc) were found by packets, the rest by looking at where their time goes.
///
/// At once (all-to-all, send and receive): T = P + I lat_in + W lat_net.
///
/// In order (PAT): a replay of one rank's messages (pat_replay.h), and at least P.
///
/// Not modelled: queues, collisions of hashes, collectives beside it, congestion control, ACKs on
/// the links; that a message waits for one is in its latency (WireFigures::acked).
#pragma once

#include <cstdint>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/closed_form/port_load.h"

namespace heddle {

/// What the closed form needs to know; times in seconds.
struct ClosedFormInput {
  MessageOrder order = MessageOrder::kSteps;
  PortLoad load;
  MessageSteps steps;  ///< messages that follow each other
  double latency_inside = 0, latency_between = 0;
  double base = 0;                             ///< once, at the start
  std::uint32_t channels = 1;                  ///< m, at least 1
  std::uint32_t pieces = 1;                    ///< K, at least 1
  std::uint32_t in_flight = 1;                 ///< F, at least 1
  double piece_inside = 0, piece_between = 0;  ///< x_in, x_net; of steps, a message of a channel
  bool up_and_down = false;                    ///< trees
  bool heard_on_arrival = false;               ///< whatever WireFigures::acked says
  double share = 1;                            ///< s, at least 1
  double packet_inside = 0;                    ///< of a packet on a GPU's NVLinks
  double ranks_per_server = 0;                 ///< 0: not the same on all
  double replayed = 0;                         ///< in order, by table: the replay's time
};

/// Returns the time of the collective [s]; at least `base`.
double ClosedFormSeconds(const ClosedFormInput& input);

}  // namespace heddle
