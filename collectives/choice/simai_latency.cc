// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/simai_latency.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace heddle {
namespace {

constexpr std::int64_t kOthers = 6000;
constexpr int kProtocols = 3;  // LL, LL128, Simple

/// In ns; 0: none.
struct SimaiRow {
  std::int64_t inside[kProtocols], between[kProtocols];
};
constexpr SimaiRow kTree = {{7400, 15250, 12400}, {11800, 22500, 22400}};
constexpr SimaiRow kRing = {{7200, 15900, 11800}, {9300, 18000, 22400}};
constexpr SimaiRow kCollNetDirect = {{0, 0, 3700}, {0, 0, 31000}};
constexpr SimaiRow kCollNetChain = {{0, 0, 2800}, {0, 0, 30000}};
constexpr SimaiRow kNvls = {{0, 0, 25000}, {0, 0, 18000}};
constexpr SimaiRow kNvlsTree = {{0, 0, 25000}, {0, 0, 20900}};
constexpr SimaiRow kPat = {{0, 0, 12000}, {0, 0, 22000}};

const SimaiRow& SimaiRowOf(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kTree:
      return kTree;
    case Algorithm::kNvls:
    case Algorithm::kNvlsMultimem:
    case Algorithm::kNvlsCollNet:
      return kNvls;
    case Algorithm::kNvlsTree:
    case Algorithm::kNvlsTreeMultimem:
      return kNvlsTree;
    case Algorithm::kPat:
      return kPat;
    case Algorithm::kCollNetDirect:
      return kCollNetDirect;
    case Algorithm::kCollNetChain:
      return kCollNetChain;
    case Algorithm::kRing:
    case Algorithm::kDirect:
    case Algorithm::kPhases:
      break;
  }
  return kRing;
}

}  // namespace

Time SimaiLatency(PathKind path, Algorithm algorithm, Protocol protocol) {
  const SimaiRow& row = SimaiRowOf(algorithm);
  const auto column = static_cast<int>(protocol == Protocol::kNone ? Protocol::kSimple : protocol);
  const std::int64_t found = (path == PathKind::kNet ? row.between : row.inside)[column];
  return NanoSeconds(found > 0 ? found : kOthers);
}

Time LeastSimaiLatency() { return NanoSeconds(kCollNetChain.inside[2]); }

}  // namespace heddle
