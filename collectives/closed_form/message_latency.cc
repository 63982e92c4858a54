// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/message_latency.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "collectives/choice/nccl_latency.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// [us], with LL, LL128 and Simple; 0 in all three columns: the algorithm lacks the protocol.
struct Latencies {
  Algorithm algorithm;
  double base[3];
  double inside[3];
  double between[3];
};

constexpr Latencies kRows[] = {
    {Algorithm::kRing, {6.6, 14, 8.4}, {0.6, 1.9, 3.4}, {2.7, 4, 14}},
    {Algorithm::kTree, {6.8, 14, 8.4}, {0.6, 1.25, 4}, {5, 8.5, 14}},
    {Algorithm::kNvls, {}, {0, 0, 25}, {0, 0, 18}},
    {Algorithm::kNvlsTree, {}, {0, 0, 25}, {0, 0, 20.9}},
    {Algorithm::kCollNetDirect, {}, {0, 0, 3.7}, {0, 0, 31}},
    {Algorithm::kCollNetChain, {}, {0, 0, 2.8}, {0, 0, 30}},
    {Algorithm::kPat, {8, 8, 8}, {0, 0, 4}, {0, 0, 14}},
};

const Latencies& LatenciesOf(Algorithm algorithm) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const Latencies& row) { return row.algorithm == TabledAs(algorithm); });
}

StepsInRow RingSteps(Operation operation, const GroupSpread& spread) {
  const double rounds = operation == Operation::kAllReduce ? 2 : 1;
  const double all = rounds * (spread.ranks - 1.0);
  const double between = spread.servers > 1 ? std::min(all, rounds * spread.servers) : 0;
  return {all - between, between};
}

}  // namespace

bool HasLatency(Algorithm algorithm, Protocol protocol) {
  HEDDLE_EXPECT(protocol != Protocol::kNone);
  return LatenciesOf(algorithm).inside[static_cast<int>(protocol)] > 0;
}

StepsInRow StepsOf(Operation operation, Algorithm algorithm, const GroupSpread& spread) {
  const double servers = spread.servers;
  switch (algorithm) {
    case Algorithm::kTree:
      return {2 * (spread.ranks / servers - 1), 2 * std::log2(servers)};
    case Algorithm::kNvls:
    case Algorithm::kNvlsMultimem:
      return {1, 0};
    case Algorithm::kNvlsCollNet:
      return {1, 1};
    case Algorithm::kNvlsTree:
    case Algorithm::kNvlsTreeMultimem:
      return {1, 2 * std::log2(servers)};
    case Algorithm::kCollNetDirect:
      return {spread.fewest > 1 ? 2.0 : 0.0, 1};
    case Algorithm::kCollNetChain:
      return {2 * (spread.fewest - 1.0), 1};
    case Algorithm::kDirect:
      return spread.servers > 1 ? StepsInRow{0, 1} : StepsInRow{1, 0};
    case Algorithm::kPat: {
      const double steps = std::ceil(std::log2(spread.ranks));
      return spread.servers > 1 ? StepsInRow{0, steps} : StepsInRow{steps, 0};
    }
    case Algorithm::kRing:
    case Algorithm::kCustom:
    case Algorithm::kPhases:
      break;
  }
  return RingSteps(operation, spread);
}

double LatencyOf(Operation operation, Algorithm algorithm, Protocol protocol,
                 const GroupSpread& spread) {
  HEDDLE_EXPECT(spread.ranks > 1 && HasLatency(algorithm, protocol));
  const Latencies& row = LatenciesOf(algorithm);
  const auto column = static_cast<int>(protocol);
  const StepsInRow steps = StepsOf(operation, algorithm, spread);
  return 1e-6 * (row.base[column] + steps.inside * row.inside[column] +
                 steps.between * row.between[column]);
}

}  // namespace heddle
