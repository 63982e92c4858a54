// SPDX-License-Identifier: GPL-2.0-only
/// Latency of a collective without its bytes, by algorithm, protocol and kind of link.
///
/// Source: NCCL, src/graph/tuning.cc: a base once, and a latency for each message in a row, in a
/// server or between servers. Their sums are the table of send latencies that SimAI 1.7 documents
/// (Ring and Simple: 11.8 us by NVLink, 22.4 us by the network). heddle's packets take those of
/// collectives/choice/nccl_latency.h, which follow another document.
#pragma once

#include "collectives/closed_form/group_spread.h"
#include "core/records/collective_algorithm.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Whether the table has this protocol for the algorithm. protocol: LL, LL128 or Simple.
bool HasLatency(Algorithm algorithm, Protocol protocol);

/// Messages that follow one another.
struct StepsInRow {
  double inside = 0;   ///< inside a server
  double between = 0;  ///< between servers
};
/// Counts messages in a row. Ring: 2 (n - 1) of an AllReduce, else n - 1; between servers 2 N or N
/// of them. Tree: up and down n / N - 1 ranks of a server and log2(N) servers. NVLS: one;
/// NVLS-Tree: one, and 2 log2(N). Direct: one, as all are sent at once. PAT: log2(n), as if all
/// blocks of a round were one message.
StepsInRow StepsOf(Operation operation, Algorithm algorithm, const GroupSpread& spread);

/// Returns base and steps [s]. The group has at least two ranks, and the table has the protocol.
double LatencyOf(Operation operation, Algorithm algorithm, Protocol protocol,
                 const GroupSpread& spread);

}  // namespace heddle
