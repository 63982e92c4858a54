// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/traffic_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/base/check.h"
#include "core/base/exponential.h"
#include "core/base/random.h"

namespace heddle {
namespace {

/// Entities of the random streams. Times and ends have separate streams, so that another rate, or
/// constant instead of poisson, does not change the ends.
constexpr std::uint64_t kTimes = 0, kEnds = 1;

/// Generates the start times of flows, one after another.
class Clock {
 public:
  explicit Clock(const TrafficOptions& options)
      : interval_ns_(options.interval_ns),
        is_random_(options.pattern == ArrivalPattern::kPoisson ||
                   options.pattern == ArrivalPattern::kHotspot),
        random_(options.seed, kTimes, RandomPurpose::kTrace) {
    if (options.pattern == ArrivalPattern::kBurst) at_once_ = options.burst_size;
    if (options.pattern == ArrivalPattern::kServerPair) {
      at_once_ = options.GpusOfServer(options.source_server);
    }
  }

  Time Next() { return is_random_ ? NextRandom() : NextRegular(); }

 private:
  /// A product, not a sum of rounded intervals, so that three flows a second stay three after an
  /// hour.
  Time NextRegular() {
    const std::int64_t step = count_++ / at_once_;
    return NanoSeconds(ToWhole(static_cast<double>(step) * interval_ns_, kMaxTraceNs));
  }

  /// Summed in whole picoseconds: integer sums do not depend on how a compiler orders or fuses
  /// operations, and rounding each start to nanoseconds does not accumulate.
  Time NextRandom() {
    ++count_;
    const double gap_ps = interval_ns_ * 1000 * DrawExponential(&random_);
    sum_ps_ += ToWhole(gap_ps, kMaxTraceNs * 1000 - sum_ps_);
    return NanoSeconds((sum_ps_ + 500) / 1000);
  }

  /// The nearest integer, halves up. An error if `value` exceeds `most`.
  std::int64_t ToWhole(double value, std::int64_t most) const {
    if (value > static_cast<double>(most)) {
      throw UserError(
          fmt::format("flow {} would start later than after 100 days, the longest trace. Expected: "
                      "fewer flows, a shorter interval or a higher rate",
                      count_));
    }
    return std::llround(value);
  }

  double interval_ns_;
  bool is_random_;
  std::int64_t at_once_ = 1;
  std::int64_t count_ = 0;  ///< flows so far
  std::int64_t sum_ps_ = 0;
  RandomStream random_;
};

struct Ends {
  std::int64_t source, destination;  ///< GPUs
};

/// Draws two GPUs of different servers.
class EndsDrawer {
 public:
  explicit EndsDrawer(const TrafficOptions& options)
      : options_(options),
        sources_(GpusOf(options.prefill_servers)),
        destinations_(GpusOf(options.decode_servers)),
        random_(options.seed, kEnds, RandomPurpose::kTrace) {}

  Ends Draw() {
    if (options_.pattern == ArrivalPattern::kHotspot &&
        random_.Uniform() < options_.hotspot_fraction) {
      return {DrawOf(options_.source_server), DrawOf(options_.destination_server)};
    }
    const std::int64_t source = sources_[random_.Below(sources_.size())];
    // GPUs of the source's server are numbered consecutively; the drawn number skips them.
    const std::int64_t server = source / options_.gpus_per_server;
    const auto own = std::lower_bound(destinations_.begin(), destinations_.end(),
                                      server * options_.gpus_per_server);
    const auto others =
        std::lower_bound(own, destinations_.end(), (server + 1) * options_.gpus_per_server);
    const auto skipped = static_cast<std::size_t>(others - own);
    std::size_t drawn = random_.Below(destinations_.size() - skipped);
    if (drawn >= static_cast<std::size_t>(own - destinations_.begin())) drawn += skipped;
    return {source, destinations_[drawn]};
  }

 private:
  /// The GPUs of `servers` in ascending order, each once; all GPUs if there are no servers.
  std::vector<std::int64_t> GpusOf(std::vector<std::int64_t> servers) const {
    if (servers.empty()) {
      servers.resize(static_cast<std::size_t>(options_.servers()));
      std::iota(servers.begin(), servers.end(), 0);
    }
    std::sort(servers.begin(), servers.end());
    servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
    std::vector<std::int64_t> gpus;
    for (const std::int64_t server : servers) {
      for (std::int64_t i = 0; i < options_.GpusOfServer(server); ++i) {
        gpus.push_back(server * options_.gpus_per_server + i);
      }
    }
    return gpus;
  }

  std::int64_t DrawOf(std::int64_t server) {
    const auto gpus = static_cast<std::uint64_t>(options_.GpusOfServer(server));
    return server * options_.gpus_per_server + static_cast<std::int64_t>(random_.Below(gpus));
  }

  const TrafficOptions& options_;
  std::vector<std::int64_t> sources_, destinations_;
  RandomStream random_;
};

/// Source and destination of the flow with this number; `drawer` is for patterns that draw them.
Ends EndsOf(const TrafficOptions& options, std::size_t flow, EndsDrawer* drawer) {
  if (options.pattern == ArrivalPattern::kOneToOne) {
    return {options.source_gpu, options.destination_gpu};
  }
  if (options.pattern != ArrivalPattern::kServerPair) return drawer->Draw();
  const std::int64_t gpu =
      static_cast<std::int64_t>(flow) % options.GpusOfServer(options.source_server);
  return {options.source_server * options.gpus_per_server + gpu,
          options.destination_server * options.gpus_per_server + gpu};
}

/// Number of flows after which the trace ends.
std::size_t Limit(const TrafficOptions& options) {
  if (options.pattern == ArrivalPattern::kServerPair) {
    return static_cast<std::size_t>(options.rounds * options.GpusOfServer(options.source_server));
  }
  return options.flows ? static_cast<std::size_t>(*options.flows)
                       : std::numeric_limits<std::size_t>::max();  // ends by its duration instead
}

}  // namespace

std::vector<FlowRequest> GenerateTraffic(const TrafficOptions& options) {
  options.Validate();
  Clock clock(options);
  EndsDrawer drawer(options);
  std::vector<FlowRequest> flows;
  const std::size_t limit = Limit(options);
  while (flows.size() < limit) {
    const Time start = clock.Next();
    if (options.duration && start >= *options.duration) break;
    if (flows.size() == static_cast<std::size_t>(kMaxTraceFlows)) {
      throw UserError(
          fmt::format("more than {} flows within --duration {}. Expected: a shorter "
                      "time, a longer interval or a lower rate",
                      kMaxTraceFlows, ToText(*options.duration)));
    }
    const Ends ends = EndsOf(options, flows.size(), &drawer);
    FlowRequest flow;
    flow.start = start;
    flow.source = NodeId(static_cast<std::uint32_t>(ends.source));
    flow.destination = NodeId(static_cast<std::uint32_t>(ends.destination));
    flow.size = options.size;
    flows.push_back(flow);
  }
  if (flows.empty()) {
    throw UserError(
        fmt::format("no flow starts within --duration {}. Expected: a longer time, a "
                    "shorter interval or a higher rate",
                    ToText(*options.duration)));
  }
  return flows;
}

}  // namespace heddle
