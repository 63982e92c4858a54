// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/simai_latency.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace heddle {
namespace {

constexpr std::int64_t kOthers = 6000;
constexpr int kProtocols = 3;  // LL, LL128, Simple

/// In ns; 0: none.
struct SimaiRow {
  Algorithm algorithm;
  std::int64_t inside[kProtocols], between[kProtocols];
};
constexpr SimaiRow kRows[] = {
    {Algorithm::kTree, {7400, 15250, 12400}, {11800, 22500, 22400}},
    {Algorithm::kRing, {7200, 15900, 11800}, {9300, 18000, 22400}},
    {Algorithm::kCollNetDirect, {0, 0, 3700}, {0, 0, 31000}},
    {Algorithm::kCollNetChain, {0, 0, 2800}, {0, 0, 30000}},
    {Algorithm::kNvls, {0, 0, 25000}, {0, 0, 18000}},
    {Algorithm::kNvlsTree, {0, 0, 25000}, {0, 0, 20900}},
    {Algorithm::kPat, {0, 0, 12000}, {0, 0, 22000}},
};

const SimaiRow& SimaiRowOf(Algorithm algorithm) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const SimaiRow& row) { return row.algorithm == TabledAs(algorithm); });
}

}  // namespace

Time SimaiLatency(PathKind path, Algorithm algorithm, Protocol protocol) {
  const SimaiRow& row = SimaiRowOf(algorithm);
  const auto column = static_cast<int>(protocol == Protocol::kNone ? Protocol::kSimple : protocol);
  const std::int64_t found = (path == PathKind::kNet ? row.between : row.inside)[column];
  return NanoSeconds(found > 0 ? found : kOthers);
}

Time LeastSimaiLatency() {
  std::int64_t least = kOthers;
  for (const SimaiRow& row : kRows) {
    for (int protocol = 0; protocol < kProtocols; ++protocol) {
      for (const std::int64_t found : {row.inside[protocol], row.between[protocol]})
        if (found > 0) least = std::min(least, found);
    }
  }
  return NanoSeconds(least);
}

}  // namespace heddle
