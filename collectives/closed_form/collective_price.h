// SPDX-License-Identifier: GPL-2.0-only
/// Time of one collective in closed form: latency and bytes over bandwidth, of the fastest
/// algorithm and protocol.
///
///     time = base + steps x message latency + B f / (b e)
///
/// B: bytes of the full buffer; f: nccl-tests' factor (BusFactor in
/// collectives/schedule/collective_spec.h); b: bus bandwidth; e: the share of data on the wire, 1/2
/// with LL, 120/128 with LL128, 1 with Simple. As a least of continuous functions it is continuous
/// in the size.
///
/// n ranks on N servers, g the fewest on one; v: NVLinks of a GPU; c: network of a GPU, the NICs of
/// a server by its GPUs; o = c g:
///
/// Ring: v within one server (N = 1); else o, and if o is above v, at most v g / (g - 1), as g - 1
/// of g steps are NVLinks.
///
/// Tree: within one server v (n - 1) / n; with one GPU a server w (n - 1) / n; else the less of w
/// and v g / (g - 1), times (n - 1) / n. w is o, twice that of two servers and 4/3 of it of three.
///
/// NVLS, 8 GPUs a server, u = nvls 8 / 7: within one server u (n - 1) / n, else the less of w and
/// u, times (n - 1) / n.
///
/// Direct: the slower of c (n - 1) / (n - g) and v (n - 1) / (most - 1).
///
/// CollNet: over servers of g GPUs each the less of o and v g / (2 (g - 1)), times 2 (n - 1) / n.
/// PriceOf() does not offer it.
///
/// PAT: v within one server, else c: every rank sends n - 1 of n blocks by its own ports. PriceOf()
/// does not offer it; fabric_price.h has its price on a fabric.
///
/// Source: SimAI 1.6, calbusbw.cc, whose trees and NVLS its program never reaches; latencies in
/// message_latency.h. NICs are divided as real numbers. Omitted: other traffic on the same links,
/// oversubscribed networks, the sharing of links by the channels of one collective.
#pragma once

#include <cstdint>
#include <optional>

#include "collectives/calibration/calibration.h"
#include "collectives/closed_form/group_spread.h"
#include "core/records/collective_algorithm.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Rates of one GPU [byte/s].
struct GpuRates {
  double nvlink = 0;
  double network = 0;
  double nvls = 0;  ///< bus bandwidth of NVLS; 0: none
};

/// kFabric: cables between switches. kGiven: a bandwidth that the user gave.
enum class Bottleneck : std::uint8_t { kNone, kNvlink, kNic, kFabric, kGiven };
/// "-", "NVLink", "NIC", "fabric", "given".
const char* ToText(Bottleneck bottleneck);

struct BusBandwidth {
  double rate = 0;  ///< [byte/s]; 0: the algorithm does not serve the group
  Bottleneck bottleneck = Bottleneck::kNone;
};
/// Returns the bus bandwidth of the formulas above; the latencies are not in it.
BusBandwidth BusBandwidthOf(Algorithm algorithm, const GroupSpread& spread, const GpuRates& rates);

/// What a price is made from, besides the group.
struct PriceRules {
  GpuRates rates;
  std::optional<double> given;         ///< a bus bandwidth in place of the computed one [byte/s]
  std::optional<Algorithm> algorithm;  ///< of AllReduce, in place of the fastest: ring, tree, NVLS
  bool calibrated = false;             ///< size_calibration.h in place of latency and protocol
  /// Measured values; null: none. Where it knows algorithms and protocols of an operation, no
  /// others are offered.
  const Calibration* measured = nullptr;
};

struct CollectivePrice {
  double seconds = 0;
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kNone;
  Bottleneck bottleneck = Bottleneck::kNone;
  double bus_bandwidth = 0;  ///< reached, latency included [byte/s]
};

/// Returns the price of the fastest algorithm and protocol; 0 s for one rank and for 0 bytes.
CollectivePrice PriceOf(Operation operation, std::int64_t bytes, const GroupSpread& spread,
                        const PriceRules& rules);

}  // namespace heddle
