// SPDX-License-Identifier: GPL-2.0-only
/// The channels that NCCL's search of a machine finds, from which its tuner takes bandwidths; and
/// the most that kernels of a generation of GPUs reached where NVIDIA measured them.
///
/// Source: NCCL 2.30, src/graph/search.cc and src/graph/tuning.cc. Assumed: HGX servers with a NIC
/// of 400 Gbps for each GPU, and Intel CPUs, which bound LL between servers. Rings of a server: 12
/// of 20 GB/s (A100) or 30 (H100, as a log in NCCL's issue 1197 has them), 16 of 45 (B200); if the
/// group's NICs are slower than these, one ring for each NIC, or two of half the rate up to four
/// NICs (a log in issue 1189: 4 of 24 GB/s for two NICs) and with Ampere. NVLS has a channel for
/// each GPU of a server, which counts twice on the links of the GPU that heads it (issue 1197: 8 of
/// 40 GB/s), and CollNet one for each NIC. Unknown GPU types are as H100.
///
/// Omitted: rates of servers without NVSwitches, which are taken for those with NVLinks; the
/// fabric's own rates, so that a choice depends neither on congestion nor on failed links.
#pragma once

#include <array>
#include <cstddef>

#include "collectives/tuner/tuner_algorithms.h"
#include "collectives/tuner/tuner_group.h"

namespace heddle {

/// The channels of one algorithm.
struct TunerGraph {
  int channels = 0;
  double inside = 0;   ///< rate of a channel in a server [GB/s]
  double between = 0;  ///< rate of a channel between servers [GB/s]

  double all_inside() const { return channels * inside; }  ///< of all channels in a server [GB/s]
};

/// Returns the channels that NCCL's search finds for a group.
TunerGraph TunerGraphOf(TunerAlgorithm algorithm, const TunerGroup& group);

/// [GB/s] for groups in one server, in two, in more.
using ByServers = std::array<double, 3>;

/// The most that kernels reach. Without a bound: infinity.
struct KernelLimits {
  double ll;             ///< LL in one server, all channels [GB/s]
  ByServers ring_ll128;  ///< a channel
  ByServers tree_ll128;  ///< a channel
  ByServers tree;        ///< a channel
  ByServers nvls_tree;   ///< a channel
  double nvls;           ///< the part of its links' rate that NVLS reaches; 0: no NVLS
};

const KernelLimits& LimitsOf(GpuGeneration generation);  ///< figures by generation
/// Returns the place of a group in ByServers: 0 to 2.
std::size_t ScaleOf(const TunerGroup& group);
/// Returns the most that LL reaches, all channels [GB/s]: by GPU in one server, by CPU over
/// several.
double LimitOfLl(const TunerGroup& group);

}  // namespace heddle
