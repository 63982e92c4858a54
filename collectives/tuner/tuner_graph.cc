// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_graph.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

namespace heddle {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kMostChannels = 32;  // of NCCL's search

constexpr KernelLimits kAmpereLimits = {
    87.7, {20, 20, 20}, {20, 20, 20}, {24, 23.6, 17.8}, {24, 23.6, 17.8}, 0};
constexpr KernelLimits kHopperLimits = {
    141, {36.7, 36.7, 36.7}, {36.7, 36.7, 29}, {38.7, 41.4, 36}, {kUnbounded, 57.7, 45.5}, 0.85};
constexpr KernelLimits kBlackwellLimits = {
    282, {40, 40, 40}, {55.6, 31.67, 20}, {70, 42.8, 24}, {kUnbounded, 96, 80}, 0.74};
/// LL with Intel CPUs, all channels [GB/s].
constexpr ByServers kLlBetweenServers = {kUnbounded, 39, 20.4};

/// The rings that NCCL finds within a server of such GPUs.
struct ServerRings {
  const char* gpu_type;
  int number;
  double rate;  ///< of each [GB/s]
};
constexpr ServerRings kServerRings[] = {
    {"H100", 12, 30}, {"H20", 12, 30},  {"H200", 12, 30},  {"H800", 8, 20},  {"A100", 12, 20},
    {"A800", 8, 20},  {"B200", 16, 45}, {"GB200", 16, 45}, {"B300", 16, 45}, {"GB300", 16, 45}};

const ServerRings& RingsOfServer(const std::string& gpu_type) {
  const auto* const found =
      std::find_if(std::begin(kServerRings), std::end(kServerRings),
                   [&](const ServerRings& rings) { return gpu_type == rings.gpu_type; });
  return found == std::end(kServerRings) ? kServerRings[0] : *found;
}

/// Rings, trees and PAT: the servers' channels, or what the NICs can feed if that is slower.
TunerGraph RingGraph(const TunerGroup& group) {
  const ServerRings& rings = RingsOfServer(group.gpu_type);
  const int nics = static_cast<int>(group.fewest_locals);
  if (group.one_server() || nics * group.nic_rate >= rings.number * rings.rate)
    return {rings.number, rings.rate, rings.rate};
  const bool doubled = nics <= 4 || GenerationOf(group.gpu_type) == GpuGeneration::kAmpere;
  const int each = doubled ? 2 : 1;  // ncclTopoDupChannels
  return {nics * each, group.nic_rate / each, group.nic_rate / each};
}

/// The largest rate of a channel in a server that NCCL's search tries and that is at most `most`;
/// `most` if it tries none so small.
double TriedRate(GpuGeneration generation, double most) {
  static constexpr double kHopperRates[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
  static constexpr double kBlackwellRates[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
  const auto largest = [most](const double* begin, const double* end) {
    const double* const found = std::find_if(begin, end, [most](double r) { return r <= most; });
    return found == end ? most : *found;
  };
  return generation == GpuGeneration::kBlackwell
             ? largest(std::begin(kBlackwellRates), std::end(kBlackwellRates))
             : largest(std::begin(kHopperRates), std::end(kHopperRates));
}

TunerGraph NvlsGraph(const TunerGroup& group) {
  const ServerRings& rings = RingsOfServer(group.gpu_type);
  const std::uint32_t heads = std::min(group.fewest_locals, kMostChannels);
  const double inside =
      TriedRate(GenerationOf(group.gpu_type), rings.number * rings.rate / (heads + 1));
  return {static_cast<int>(heads), inside, group.nic_rate};
}

/// `all`: how often the channels' rates cross a GPU's links: a chain once for each channel, a
/// direct exchange twice for its own channel, in parts to all others and from all others.
TunerGraph CollNetGraph(const TunerGroup& group, double crossings) {
  const ServerRings& rings = RingsOfServer(group.gpu_type);
  const double inside = std::min(group.nic_rate, rings.number * rings.rate / crossings);
  return {static_cast<int>(group.fewest_locals), inside, group.nic_rate};
}

}  // namespace

TunerGraph TunerGraphOf(TunerAlgorithm algorithm, const TunerGroup& group) {
  switch (algorithm) {
    case TunerAlgorithm::kTree:
    case TunerAlgorithm::kRing:
    case TunerAlgorithm::kPat:
      break;
    case TunerAlgorithm::kNvls:
    case TunerAlgorithm::kNvlsTree:
      return NvlsGraph(group);
    case TunerAlgorithm::kCollNetDirect:
      return CollNetGraph(group, 2);
    case TunerAlgorithm::kCollNetChain:
      return CollNetGraph(group, group.fewest_locals);
  }
  return RingGraph(group);
}

const KernelLimits& LimitsOf(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::kAmpere:
      return kAmpereLimits;
    case GpuGeneration::kHopper:
      break;
    case GpuGeneration::kBlackwell:
      return kBlackwellLimits;
  }
  return kHopperLimits;
}

std::size_t ScaleOf(const TunerGroup& group) { return std::min<std::size_t>(group.servers, 3) - 1; }

double LimitOfLl(const TunerGroup& group) {
  return group.one_server() ? LimitsOf(GenerationOf(group.gpu_type)).ll
                            : kLlBetweenServers[ScaleOf(group)];
}

}  // namespace heddle
