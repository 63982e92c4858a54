// SPDX-License-Identifier: GPL-2.0-only
/// Times of collectives by closed forms: steps times latency plus bytes over bandwidth, as
/// alpha-beta models have it (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective
/// Communication Operations in MPICH", IJHPCA 19(1), 2005), for the algorithms, chunks and
/// latencies that the packet simulation uses.
///
/// With P the load of the busiest port (port_load.h), lat(inside), lat(between) the time of a
/// message besides its bytes, and I and W the messages inside and between servers that follow each
/// other:
///
///     steps (ring):       max(P, I (P_inside / S + lat(inside)) + W (P_network / S +
///     lat(between))) pieces (tree, ...): (K - 1) max(x, (x + lat) / F) + H (x + lat),  x = P / K
///     at once:            P + H lat
///
/// S: steps of the ring, of which each port sends in every one. K pieces, F of them in flight to a
/// peer, H = I + W messages one after the other.
///
/// Not modelled: queues, collisions of hashes, collectives beside it, congestion control, ACKs.
#ifndef HEDDLE_COLLECTIVES_CLOSED_FORM_CLOSED_FORM_H_
#define HEDDLE_COLLECTIVES_CLOSED_FORM_CLOSED_FORM_H_

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
  double base = 0;              ///< once, at the start
  std::uint32_t pieces = 1;     ///< K, at least 1
  std::uint32_t in_flight = 1;  ///< F, at least 1
};

/// Seconds; at least `base`.
double ClosedFormSeconds(const ClosedFormInput& input);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CLOSED_FORM_CLOSED_FORM_H_
