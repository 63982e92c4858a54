// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_latency.h"

#include <algorithm>

#include "collectives/algorithms/algorithm_table.h"

namespace heddle {
namespace {

/// Null if such a message has no hardware latency.
const std::int64_t* EntriesOf(const NcclLatencies& latencies, PathKind path) {
  switch (path) {
    case PathKind::kNvLink:
      return latencies.nvlink;
    case PathKind::kPci:
      return latencies.pci;
    case PathKind::kNet:
      return latencies.network;
  }
  return nullptr;
}

}  // namespace

Time BaseLatency(Algorithm algorithm, Protocol protocol) {
  if (protocol == Protocol::kNone) return {};
  return NanoSeconds(RowOf(algorithm).latencies.base[static_cast<int>(protocol)]);
}

Time HardwareLatency(PathKind path, Algorithm algorithm, Protocol protocol) {
  if (protocol == Protocol::kNone) return {};
  return NanoSeconds(EntriesOf(RowOf(algorithm).latencies, path)[static_cast<int>(protocol)]);
}

Time LeastHardwareLatency() {
  Time least = Time::Max();
  for (const AlgorithmRow& row : AlgorithmRows()) {
    for (const PathKind path : {PathKind::kNvLink, PathKind::kPci, PathKind::kNet}) {
      const std::int64_t* const entries = EntriesOf(row.latencies, path);
      for (int i = 0; i < NcclLatencies::kProtocols; ++i) {
        if (entries[i] > 0) least = std::min(least, NanoSeconds(entries[i]));
      }
    }
  }
  return least;
}

Time MessageLatency(PathKind path, Algorithm algorithm, Protocol protocol, Time send_latency) {
  const Time latency = HardwareLatency(path, algorithm, protocol);
  if (latency.ps > 0) return latency;
  const bool has_base = BaseLatency(algorithm, protocol).ps > 0;
  const bool fetches = TabledAs(algorithm) == Algorithm::kNvls && path == PathKind::kNvLink;
  if (!fetches || !has_base) return send_latency;
  return std::min(send_latency, HardwareLatency(path, Algorithm::kRing, Protocol::kLl));
}

}  // namespace heddle
