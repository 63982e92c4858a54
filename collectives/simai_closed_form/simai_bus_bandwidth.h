// SPDX-License-Identifier: GPL-2.0-only
/// Bus bandwidth of a group by SimAI 1.6: always the ring's, from one rate of the NVLinks of a GPU
/// and one of a NIC.
///
/// Source: SimAI 1.6, calbusbw.cc and calbusbw.h. Its formulas of trees and NVLS cannot be
/// reached. Numbers have single precision after each step, as there.
#pragma once

#include <string>

#include "core/traffic/workload.h"

namespace heddle {

/// Bandwidths [2^30 byte/s]; -1: unknown.
struct SimaiRates {
  float nvlink = -1;  ///< of one GPU
  float nic = -1;     ///< of one NIC
};

/// Returns the bandwidth of the NVLinks of a type of GPU, A100, A800, H100, H800 or H20, in
/// capitals or not; -1 for others.
double RatedNvlink(const std::string& gpu_type);
/// Returns the bandwidth of a type of NIC, cx6, cx7 or bf3, in capitals or not; -1 for others.
double RatedNic(const std::string& nic_type);

/// Returns -nv, or if that is not above zero RatedNvlink().
float SimaiNvlinkRate(float given, const std::string& gpu_type);
/// Returns -nic, or if that is not above zero RatedNic().
float SimaiNicRate(float given, const std::string& nic_type);

/// A group: so many servers ("nodes"), of each so many GPUs, and the NICs that these have.
struct SimaiServers {
  int nodes = 0, gpus = 0, nics = 0;
};

struct SimaiBusBandwidth {
  float value = 0;            ///< [2^30 byte/s]; -1: no value; 0: one GPU
  bool nvlink_bound = false;  ///< the NVLinks are the bottleneck; chooses the table of ratios
};

/// `operation`: AllReduce, AllGather, ReduceScatter or AllToAll.
SimaiBusBandwidth SimaiBusBandwidthOf(Operation operation, const SimaiServers& servers,
                                      const SimaiRates& rates);

}  // namespace heddle
