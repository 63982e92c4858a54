// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/tuner_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

constexpr double kNoCap = std::numeric_limits<double>::infinity();
constexpr double kNicRate = 50;  // GB/s: SimAI's AS_NET_BW of 400 Gbps, as in NominalRates

/// For groups in one server, in two, in more.
using ByScale = std::array<double, 3>;

/// The most that kernels of a generation of GPUs reach [GB/s].
struct Generation {
  double ll;           ///< LL in one server, all rings
  double ring_ll128;   ///< one ring
  ByScale tree_ll128;  ///< one tree
  ByScale tree;        ///< one tree
};
constexpr Generation kAmpere = {87.7, 20, {20, 20, 20}, {24, 23.6, 17.8}};
constexpr Generation kHopper = {141, 36.7, {36.7, 36.7, 29}, {38.7, 41.4, 36}};
constexpr Generation kBlackwell = {282, kNoCap, {kNoCap, kNoCap, kNoCap}, {kNoCap, kNoCap, kNoCap}};
/// LL between servers with Intel CPUs, all rings [GB/s]; in one server the GPU counts.
constexpr ByScale kLlBetweenServers = {kNoCap, 39, 20.4};

/// The rings that NCCL finds within a server of such GPUs.
struct Rings {
  const char* gpu_type;
  const Generation* generation;
  int number;
  double rate;  ///< of each [GB/s]
};
constexpr Rings kRings[] = {{"H100", &kHopper, 12, 30},   {"H20", &kHopper, 12, 30},
                            {"H800", &kHopper, 8, 20},    {"A100", &kAmpere, 12, 20},
                            {"A800", &kAmpere, 8, 20},    {"B200", &kBlackwell, 8, 90},
                            {"GB200", &kBlackwell, 8, 90}};

/// The rings of a group: those of its servers, or those that its NICs can feed if these are slower.
Rings RingsOf(const GroupShape& shape, const std::string& gpu_type) {
  const auto* const found = std::find_if(std::begin(kRings), std::end(kRings),
                                         [&](const Rings& r) { return gpu_type == r.gpu_type; });
  Rings rings = found == std::end(kRings) ? kRings[0] : *found;
  const int nics = static_cast<int>(shape.fewest_locals());
  if (shape.servers() == 1 || nics * kNicRate >= rings.number * rings.rate) return rings;
  const int each = nics <= 4 || rings.generation == &kAmpere ? 2 : 1;  // ncclTopoDupChannels
  rings.number = nics * each, rings.rate = kNicRate / each;
  return rings;
}

std::size_t ScaleOf(const GroupShape& shape) {
  return std::min<std::size_t>(shape.servers(), 3) - 1;
}

/// What a tree reaches of its rate by size: from 64 bytes on, an entry for each power of two.
double TreeCorrection(Protocol protocol, std::int64_t bytes) {
  static constexpr int kSizes = 24;
  static constexpr double kTable[3][kSizes] = {
      {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
      {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
       .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};
  int entry = -1;
  for (std::int64_t rest = bytes >> 6; rest > 0; rest >>= 1) ++entry;
  return entry < 0 || entry >= kSizes ? 1 : kTable[static_cast<int>(protocol)][entry];
}

double LlCap(const Rings& rings, const GroupShape& shape) {
  return shape.servers() == 1 ? rings.generation->ll : kLlBetweenServers[ScaleOf(shape)];
}

/// Of all rings, in the tuner's bus bandwidth [GB/s].
double RingRate(Protocol protocol, const Rings& rings, const GroupShape& shape) {
  const double all = rings.number * rings.rate;
  if (protocol == Protocol::kLl) return std::min(LlCap(rings, shape), all / 2);
  if (protocol == Protocol::kLl128)
    return std::min(0.92 * all, rings.number * rings.generation->ring_ll128);
  return all;
}

/// Of all trees, before the correction by size [GB/s].
double TreesRate(Protocol protocol, const Rings& rings, const GroupShape& shape) {
  const std::size_t scale = ScaleOf(shape);
  const double all =
      std::min(0.92 * rings.number * rings.rate, rings.number * rings.generation->tree[scale]);
  if (protocol == Protocol::kLl) return std::min(all / 3.8, LlCap(rings, shape));
  if (protocol == Protocol::kLl128) {
    const double part = shape.servers() == 1 ? 7.0 / 9 : 120.0 / 128;
    return std::min(part * all, rings.number * rings.generation->tree_ll128[scale]);
  }
  return all;
}

/// [us], with LL, LL128 and Simple. Between servers of one GPU NCCL takes the trees' latency.
struct RingLatencies {
  double base, inside, between, between_single;
};
constexpr RingLatencies kRingLatenciesOf[] = {
    {6.6, 0.6, 2.7, 5}, {14, 1.9, 4, 8.5}, {8.4, 3.4, 14, 14}};

double RingGatherLatency(Protocol protocol, const GroupShape& shape) {
  const RingLatencies& row = kRingLatenciesOf[static_cast<int>(protocol)];
  const double between = shape.servers() - 1.0, inside = shape.ranks() - 1.0 - between;
  const bool single = shape.servers() == shape.ranks();
  const double post = shape.servers() == 1 ? 0 : protocol == Protocol::kSimple ? 3 : 1;
  return row.base + inside * std::max(row.inside, post) +
         between * (single ? row.between_single : row.between);
}

double PatLatency(const GroupShape& shape) {
  constexpr double kBase = 8, kBetween = 14 / 3.5, kOfARank = 2.8;
  const auto log = static_cast<double>(std::ilogb(shape.servers()));
  return kBase + log * kBetween + kOfARank * shape.ranks();
}

}  // namespace

double TunerRate(Algorithm algorithm, Protocol protocol, std::int64_t bytes,
                 const GroupShape& shape, const std::string& gpu_type) {
  const Rings rings = RingsOf(shape, gpu_type);
  if (algorithm == Algorithm::kTree)
    return 1e9 * TreesRate(protocol, rings, shape) / 2 * TreeCorrection(protocol, bytes);
  return 1e9 * RingRate(protocol, rings, shape) * shape.ranks() / (2.0 * (shape.ranks() - 1));
}

double TunerLatencyFactor(Algorithm algorithm, Protocol protocol, std::int64_t bytes,
                          const GroupShape& shape, const std::string& gpu_type) {
  if (algorithm != Algorithm::kRing || protocol != Protocol::kSimple || shape.servers() == 1)
    return 1;
  // NCCL runs two channels for each ring that it found.
  const std::int64_t channels = 2 * RingsOf(shape, gpu_type).number;
  return bytes / (channels * shape.ranks()) >= 64 ? 1.4 : 1;
}

double TunerGatherSeconds(Algorithm algorithm, Protocol protocol, std::int64_t bytes,
                          const GroupShape& shape, const std::string& gpu_type) {
  const Rings rings = RingsOf(shape, gpu_type);
  const auto size = static_cast<double>(bytes);
  if (algorithm == Algorithm::kPat)
    return 1e-6 * PatLatency(shape) + size / (0.75e9 * rings.number * rings.rate);
  const double ranks = shape.ranks();
  return 1e-6 * RingGatherLatency(protocol, shape) +
         size / (1e9 * RingRate(protocol, rings, shape) * ranks / (ranks - 1));
}

}  // namespace heddle
