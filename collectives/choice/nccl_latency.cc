// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_latency.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr int kAlgorithms = 4;  // rows: Tree, Ring, NVLS, NVLS-Tree, in the order of the enum
constexpr int kProtocols = 3;   // columns: LL, LL128, Simple, in the order of the enum
constexpr int kPaths = 3;

/// [ns]
constexpr std::int64_t kBase[kAlgorithms][kProtocols] = {
    {6800, 14000, 0},
    {6600, 14000, 8400},
    {0, 0, 23000},
    {0, 0, 0},
};

/// [ns]
constexpr std::int64_t kHardware[kPaths][kAlgorithms][kProtocols] = {
    {{600, 1250, 28000}, {600, 1900, 3400}, {0, 0, 0}, {0, 0, 0}},  // NVLink
    {{1000, 1000, 0}, {1000, 1000, 0}, {0, 0, 0}, {0, 0, 0}},       // PCI
    {{5000, 8500, 0}, {2700, 5500, 0}, {0, 0, 0}, {0, 0, 0}},       // network
};

int RowOf(Algorithm algorithm) {
  return static_cast<int>(algorithm == Algorithm::kDirect ? Algorithm::kRing : algorithm);
}

}  // namespace

Time BaseLatency(Algorithm algorithm, Protocol protocol) {
  if (protocol == Protocol::kNone) return {};
  return NanoSeconds(kBase[RowOf(algorithm)][static_cast<int>(protocol)]);
}

Time HardwareLatency(PathKind path, Algorithm algorithm, Protocol protocol) {
  if (protocol == Protocol::kNone) return {};
  return NanoSeconds(
      kHardware[static_cast<int>(path)][RowOf(algorithm)][static_cast<int>(protocol)]);
}

Time LeastHardwareLatency() {
  Time least = Time::Max();
  for (const auto& path : kHardware) {
    for (const auto& row : path) {
      for (const std::int64_t ns : row) {
        if (ns > 0) least = std::min(least, NanoSeconds(ns));
      }
    }
  }
  return least;
}

}  // namespace heddle
