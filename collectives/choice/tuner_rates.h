// SPDX-License-Identifier: GPL-2.0-only
/// How fast NCCL's tuner expects an AllReduce by ring or tree to be, beside its latencies; and the
/// whole time that it expects of an AllGather or ReduceScatter by ring or PAT.
///
/// Source: NCCL 2.30, src/graph/tuning.cc, and its table of trees by size. The tuner multiplies the
/// rings that it found in a server by the rate of each. It takes what algorithm and protocol make
/// of that, at most what the kernels of the GPU reached where NVIDIA measured them, and of trees a
/// part that depends on the size.
///
/// Assumed: the rings that NCCL finds on an HGX server (12 of 20 GB/s for A100, 12 of 30 for H100,
/// as its issue 1197 has them), unless the group's NICs, of 400 Gbps, are slower than its NVLinks:
/// then one ring for each NIC, or two of half the rate up to four NICs (issue 1189: 4 of 24 GB/s
/// for two NICs) and with Ampere; Intel CPUs, which bound LL between servers. Unknown GPU types are
/// as H100. Omitted: the caps by ring of B200 and GB200, as we know no log of their rings.
#ifndef HEDDLE_COLLECTIVES_CHOICE_TUNER_RATES_H_
#define HEDDLE_COLLECTIVES_CHOICE_TUNER_RATES_H_

#include <cstdint>
#include <string>

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"

namespace heddle {

/// Bytes of the buffer a second that the tuner credits an AllReduce of `bytes` with. Algorithm:
/// ring or tree; protocol: LL, LL128 or Simple; at least two ranks.
double TunerRate(Algorithm algorithm, Protocol protocol, std::int64_t bytes,
                 const GroupShape& shape, const std::string& gpu_type);

/// What the tuner multiplies the latency by: 1.4 for rings over several servers with Simple whose
/// messages have at least 64 bytes, else 1.
double TunerLatencyFactor(Algorithm algorithm, Protocol protocol, std::int64_t bytes,
                          const GroupShape& shape, const std::string& gpu_type);

/// Seconds that the tuner expects an AllGather or ReduceScatter of `bytes` by ring or PAT to take,
/// of at least two ranks: latencies of its own table (NCCL 2.30), and bytes at a bus bandwidth, of
/// PAT three quarters of the rings'. Protocol: LL, LL128 or Simple; of PAT Simple. Messages by ring
/// take 1 us (Simple: 3 us) to post at least, as with Intel CPUs.
double TunerGatherSeconds(Algorithm algorithm, Protocol protocol, std::int64_t bytes,
                          const GroupShape& shape, const std::string& gpu_type);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_TUNER_RATES_H_
