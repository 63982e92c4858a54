// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_bandwidth.h"

#include <algorithm>
#include <cmath>

#include "collectives/tuner/tuner_graph.h"

namespace heddle {
namespace {

/// What a tree reaches of its rate by size: from 64 bytes on, an entry for each power of two.
double PartBySize(Protocol protocol, std::int64_t bytes) {
  static constexpr int kSizes = 24;
  static constexpr double kTable[kTunerProtocols][kSizes] = {
      {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
      {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
       .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};
  const int entry = bytes < 64 ? -1 : std::ilogb(static_cast<double>(bytes >> 6));
  return entry < 0 || entry >= kSizes ? 1 : kTable[static_cast<std::size_t>(protocol)][entry];
}

/// Bus bandwidth of rings [GB/s].
double OfRings(Protocol protocol, const TunerGraph& graph, const TunerGroup& group) {
  const double all = graph.all_inside();
  if (protocol == Protocol::kLl) return std::min(LimitOfLl(group), all / 2);
  if (protocol == Protocol::kLl128) {
    const KernelLimits& limits = LimitsOf(GenerationOf(group.gpu_type));
    return std::min(0.92 * all, graph.channels * limits.ring_ll128[ScaleOf(group)]);
  }
  return all;
}

/// Bandwidth of trees, before their part by size.
double OfTrees(Protocol protocol, const TunerGraph& graph, const TunerGroup& group) {
  const KernelLimits& limits = LimitsOf(GenerationOf(group.gpu_type));
  const std::size_t scale = ScaleOf(group);
  const double all = std::min(0.92 * graph.all_inside(), graph.channels * limits.tree[scale]);
  if (protocol == Protocol::kLl) return std::min(all / 3.8, LimitOfLl(group));
  if (protocol == Protocol::kLl128) {
    const double part = group.one_server() ? 7.0 / 9 : 120.0 / 128;
    return std::min(part * all, graph.channels * limits.tree_ll128[scale]);
  }
  return all;
}

double OfCollNetDirect(Operation operation, const TunerGraph& graph, const TunerGroup& group) {
  if (operation != Operation::kAllReduce)
    return group.locals() * std::min(graph.inside, 0.9 * graph.between);
  const double ratio = group.locals() / graph.channels;
  const bool older = GenerationOf(group.gpu_type) == GpuGeneration::kAmpere;
  return graph.all_inside() / (ratio - (ratio - 1) / 2) * (older ? 1 : 0.85);
}

/// NVLS and NVLS-Tree.
double OfNvls(Operation operation, TunerAlgorithm algorithm, const TunerGraph& graph,
              const TunerGroup& group) {
  const KernelLimits& limits = LimitsOf(GenerationOf(group.gpu_type));
  const bool tree = algorithm == TunerAlgorithm::kNvlsTree;
  const double locals = group.locals();
  const double part = operation == Operation::kAllReduce ? 2 : (locals - 1) / locals;
  const double inside = graph.inside * limits.nvls * (graph.channels - 1.0) / graph.channels * part;
  double rate = inside;
  if (!group.one_server())
    rate = std::min(rate, graph.between * (tree && group.servers == 2 ? 2 : 1));
  if (tree) rate = std::min(rate, limits.nvls_tree[ScaleOf(group)]);
  return graph.channels * rate;
}

double BusBandwidth(Operation operation, TunerAlgorithm algorithm, Protocol protocol,
                    const TunerGroup& group) {
  const TunerGraph graph = TunerGraphOf(algorithm, group);
  switch (algorithm) {
    case TunerAlgorithm::kTree:
      return OfTrees(protocol, graph, group);
    case TunerAlgorithm::kCollNetDirect:
      return OfCollNetDirect(operation, graph, group);
    case TunerAlgorithm::kCollNetChain:
      return graph.all_inside();
    case TunerAlgorithm::kNvls:
    case TunerAlgorithm::kNvlsTree:
      return OfNvls(operation, algorithm, graph, group);
    case TunerAlgorithm::kPat:
      return 0.75 * graph.all_inside();
    case TunerAlgorithm::kRing:
      break;
  }
  return OfRings(protocol, graph, group);
}

/// Bytes of the buffer for each byte that the bus bandwidth counts.
double BufferOfBus(Operation operation, TunerAlgorithm algorithm, const TunerGroup& group) {
  const bool reduces_all = operation == Operation::kAllReduce;
  const bool gathers = operation == Operation::kAllGather || operation == Operation::kReduceScatter;
  const double ranks = group.ranks;
  if (algorithm == TunerAlgorithm::kRing)
    return reduces_all ? ranks / (2 * (ranks - 1)) : gathers ? ranks / (ranks - 1) : 1;
  if (gathers) return 1;
  const bool nvls = algorithm == TunerAlgorithm::kNvls || algorithm == TunerAlgorithm::kNvlsTree;
  return nvls ? ranks / (2 * (ranks - 1)) : 0.5;
}

}  // namespace

double TunerBandwidth(Operation operation, TunerAlgorithm algorithm, Protocol protocol,
                      std::int64_t bytes, const TunerGroup& group) {
  if (RowOf(algorithm).simple_only && protocol != Protocol::kSimple) return 0;
  // NCCL corrects NVLS-Tree like trees where the GPUs are Blackwell's and the CPUs Intel's.
  const bool corrected = algorithm == TunerAlgorithm::kTree ||
                         (algorithm == TunerAlgorithm::kNvlsTree &&
                          GenerationOf(group.gpu_type) == GpuGeneration::kBlackwell);
  return BusBandwidth(operation, algorithm, protocol, group) *
         BufferOfBus(operation, algorithm, group) * (corrected ? PartBySize(protocol, bytes) : 1);
}

}  // namespace heddle
