// SPDX-License-Identifier: GPL-2.0-only
/// The bandwidths that NCCL's tuner credits collectives with.
///
/// Source: NCCL 2.30, src/graph/tuning.cc and its table of trees by size. The channels of an
/// algorithm's graph times the rate of each (tuner_graph.h) are its bus bandwidth, of which
/// algorithm and protocol leave a part, at most what kernels reached:
///
///     ring            LL: half, at most LL's limit; LL128: 92 %, at most a limit by channel
///     tree            92 %, at most a limit by channel; of that LL a 3.8th, LL128 120/128 (7/9 in
///                     one server), at most limits of their own; and a part that depends on the
///                     size
///     PAT             three quarters
///     CollNet Direct  AllReduce: over r - (r-1)/2, r GPUs for each channel, and 85 % from Hopper
///                     on; else g min(inside, 0.9 between)
///     NVLS            AllReduce twice, else (g-1)/g times a part of the links' rate for all
///                     channels but one; at most the NICs', which of NVLS-Tree over two servers
///                     count twice
///
/// Bytes of the buffer pass at the bus bandwidth times N / steps by ring and NVLS, times 1/2 by
/// others; of AllGather and ReduceScatter by others than rings at the bus bandwidth itself.
#pragma once

#include <cstdint>

#include "collectives/tuner/tuner_algorithms.h"
#include "collectives/tuner/tuner_group.h"

namespace heddle {

/// Returns the bytes of the full buffer a second [GB/s], of `bytes` of them, in a group of at least
/// two ranks. Protocol: LL, LL128 or Simple; an algorithm with Simple only has none otherwise (0).
/// GPUs that cannot do NVLS have none by it (0).
double TunerBandwidth(Operation operation, TunerAlgorithm algorithm, Protocol protocol,
                      std::int64_t bytes, const TunerGroup& group);

}  // namespace heddle
