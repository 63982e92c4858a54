// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_latency.h"

#include <algorithm>
#include <cmath>

#include "collectives/tuner/tuner_graph.h"

namespace heddle {
namespace {

/// [us] of one message.
struct MessageTimes {
  double intra, net;
};

double FloorLog2(std::uint32_t n) { return std::ilogb(n); }

double RingLatency(Operation operation, Protocol protocol, double base, const MessageTimes& times,
                   const TunerGroup& group) {
  if (operation == Operation::kBroadcast || operation == Operation::kReduce)
    return base + (group.one_server() ? times.intra : times.net);
  const double rounds = operation == Operation::kAllReduce ? 2 : 1;
  const double steps = rounds * (group.ranks - 1.0), inter = rounds * (group.servers - 1.0);
  const double post = group.one_server() ? 0 : protocol == Protocol::kSimple ? 3 : 1;
  return base + (steps - inter) * std::max(times.intra, post) + inter * times.net;
}

}  // namespace

double TunerLatency(Operation operation, TunerAlgorithm algorithm, Protocol protocol,
                    const TunerGroup& group) {
  constexpr double kArity = 0.4, kRank = 2.8, kPatOverlap = 3.5;
  const auto p = static_cast<std::size_t>(protocol);
  const TunerAlgorithmRow& row = RowOf(algorithm);
  // Broadcast and Reduce keep the ring's own: NCCL makes its exception below them.
  const bool all_ranks = operation != Operation::kBroadcast && operation != Operation::kReduce;
  const bool as_tree = group.one_gpu_a_server() && all_ranks;
  const MessageTimes times = {(group.has_nvlinks() ? row.nvlink : row.pci)[p],
                              (as_tree ? RowOf(TunerAlgorithm::kTree) : row).net[p]};
  const double neighbours = group.neighbours(), log = FloorLog2(group.servers);
  switch (algorithm) {
    case TunerAlgorithm::kTree:
      return row.base[p] + 2 * (neighbours * times.intra + log * times.net);
    case TunerAlgorithm::kCollNetDirect:
      return row.base[p] + 2 * (std::min(1.0, neighbours) * times.intra + kArity * neighbours) +
             times.net;
    case TunerAlgorithm::kCollNetChain:
      return row.base[p] + 2 * neighbours * times.intra + times.net;
    case TunerAlgorithm::kNvls:
      return times.intra + (group.one_server() ? 0 : times.net);
    case TunerAlgorithm::kNvlsTree:
      return row.base[p] + times.intra + 2 * log * times.net;
    case TunerAlgorithm::kPat:
      return row.base[p] + log * times.net / kPatOverlap + kRank * group.ranks;
    case TunerAlgorithm::kRing:
      break;
  }
  return RingLatency(operation, protocol, row.base[p], times, group);
}

double TunerLatencyFactor(Operation operation, TunerAlgorithm algorithm, Protocol protocol,
                          std::int64_t bytes, const TunerGroup& group) {
  if (operation != Operation::kAllReduce || algorithm != TunerAlgorithm::kRing ||
      protocol != Protocol::kSimple || group.one_server())
    return 1;
  // NCCL runs two channels for each ring that it found.
  const std::int64_t channels = std::int64_t{2} * TunerGraphOf(algorithm, group).channels;
  return bytes / (channels * group.ranks) >= 64 ? 1.4 : 1;
}

}  // namespace heddle
