// SPDX-License-Identifier: GPL-2.0-only
/// The latencies that NCCL's tuner expects of collectives, however few their bytes.
///
/// Source: NCCL 2.30, src/graph/tuning.cc. Names below: N ranks, n servers, g of the ranks in a
/// server; base, intra and net from the algorithm's row (tuner_algorithms.h), where net is a tree's
/// for every algorithm if g = 1; log2 rounds down.
///
///     ring            base + (steps - inter) max(intra, post) + inter net
///                     steps 2(N-1), inter 2(n-1); of AllGather and ReduceScatter half of these;
///                     Broadcast and Reduce: base + one message
///     tree            base + 2 ((g-1) intra + log2(n) net)
///     CollNet Direct  2 (min(1, g-1) intra + 0.4 (g-1)) + net
///     CollNet Chain   2 (g-1) intra + net
///     NVLS            intra, over several servers + net
///     NVLS-Tree       intra + 2 log2(n) net
///     PAT             base + log2(n) net / 3.5 + 2.8 N
///
/// Assumed: Intel CPUs, which take 1 us (Simple: 3 us) to post a message; a network without a
/// latency of its own, as NCCL's InfiniBand has none. Omitted: several operations in one launch.
#pragma once

#include <cstdint>

#include "collectives/tuner/tuner_algorithms.h"
#include "collectives/tuner/tuner_group.h"

namespace heddle {

/// Returns the latency [us] of a group of at least two ranks. Protocol: LL, LL128 or Simple.
double TunerLatency(Operation operation, TunerAlgorithm algorithm, Protocol protocol,
                    const TunerGroup& group);

/// Returns what the tuner multiplies the latency of `bytes` of the full buffer by: 1.4 for an
/// AllReduce by ring over several servers with Simple whose messages have at least 64 bytes, else
/// 1.
double TunerLatencyFactor(Operation operation, TunerAlgorithm algorithm, Protocol protocol,
                          std::int64_t bytes, const TunerGroup& group);

}  // namespace heddle
