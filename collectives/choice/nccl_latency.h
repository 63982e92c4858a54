// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's latencies by algorithm, protocol and kind of link.
///
/// Source: the description of SimAI's communication stack, section 2.5. Zero: none in that table.
/// The entries are in the algorithms' rows (algorithm_table.h); without a protocol there are none.
#ifndef HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_
#define HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_

#include <cstdint>

#include "collectives/schedule/collective_spec.h"
#include "core/base/units.h"

namespace heddle {

/// Kind of link between the two ends of a message.
enum class PathKind : std::uint8_t { kNvLink, kPci, kNet };

/// Latency once at the start of a collective.
Time BaseLatency(Algorithm algorithm, Protocol protocol);
/// Latency of every message.
Time HardwareLatency(PathKind path, Algorithm algorithm, Protocol protocol);
/// Smallest hardware latency in the table; no message has a smaller one.
Time LeastHardwareLatency();
/// What a message waits before it leaves: its hardware latency. Where the table has none it is
/// `send_latency`; but messages of NVLS, whose base latency has what software takes, wait as long
/// as the fastest message over an NVLink.
Time MessageLatency(PathKind path, Algorithm algorithm, Protocol protocol, Time send_latency);

/// Whose row counts for an algorithm in NCCL's and SimAI 1.7's own tables. They have one row for
/// all forms of NVLS, and none for messages sent directly or as a file says, which have the ring's.
constexpr Algorithm TabledAs(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kNvlsMultimem:
    case Algorithm::kNvlsCollNet:
      return Algorithm::kNvls;
    case Algorithm::kNvlsTreeMultimem:
      return Algorithm::kNvlsTree;
    case Algorithm::kDirect:
    case Algorithm::kCustom:
    case Algorithm::kPhases:  // closed forms know none
      return Algorithm::kRing;
    case Algorithm::kRing:
    case Algorithm::kTree:
    case Algorithm::kNvls:
    case Algorithm::kNvlsTree:
    case Algorithm::kPat:
    case Algorithm::kCollNetDirect:
    case Algorithm::kCollNetChain:
      break;
  }
  return algorithm;
}

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_
