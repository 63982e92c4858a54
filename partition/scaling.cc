// SPDX-License-Identifier: GPL-2.0-only
#include "partition/scaling.h"

#include <algorithm>

#include "core/exchange/exchange_kind.h"
#include "partition/rank_traffic.h"

namespace heddle {
namespace {

Domains GroupedDomains(const Graph& graph, const ScalingPlan& plan) {
  DomainOptions options;
  options.lookahead = plan.contraction;
  options.grain = plan.grain;
  options.ranks = plan.ranks;
  return MakeDomains(graph, options);
}

/// Sums over the sampled windows.
struct Sums {
  double work = 0, slowest_work = 0, slowest_busy = 0, transfer = 0, sync = 0, partners = 0;
  std::vector<double> by_rank;
};

/// One window's exchange between ranks.
struct Edge {
  std::vector<double> busy;  ///< by rank: processor time for batches and messages
  double transfer = 0, sync = 0;
};

/// Cost of an exchange: batches are sent together, and the agreement at the same time. `scale`:
/// messages of this window over those of a mean one.
Edge ExchangeAt(const RankTraffic& traffic, double scale, const NetworkModel& network,
                double record_bytes, std::uint32_t ranks) {
  const EdgeCosts costs{network.latency_seconds, network.batch_seconds};
  const Partners& partners = traffic.PartnersAt(scale);
  const bool some = SomePays(ranks, partners.most, costs);
  const double steps = some ? AgreementSteps(ranks) : 0;
  Edge edge;
  double most = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const double batches =
        some ? partners.out[rank] + partners.in[rank] + 2 * steps : 2.0 * (ranks - 1);
    const double messages = (traffic.in(rank) + traffic.out(rank)) * scale;
    edge.busy.push_back(batches * costs.batch + messages * network.message_seconds);
    most = std::max({most, traffic.in(rank)*scale, traffic.out(rank) * scale});
  }
  edge.transfer = most * record_bytes / network.bytes_per_second;
  edge.sync = std::max(costs.latency, steps * costs.latency - edge.transfer);
  return edge;
}

double MeanEvents(const RunProfile& profile) {
  double events = 0;
  for (const auto& sample : profile.samples) {
    for (const RunProfile::Run& run : sample.runs) events += run.events;
  }
  return events / static_cast<double>(std::max<std::size_t>(1, profile.samples.size()));
}

Sums AddWindows(const RunProfile& profile, const std::vector<double>& costs,
                const std::vector<std::uint32_t>& rank_of, const RankTraffic& traffic,
                const NetworkModel& network, std::uint32_t ranks) {
  Sums sums;
  sums.by_rank.assign(ranks, 0);
  const double mean_events = MeanEvents(profile);
  for (const auto& sample : profile.samples) {
    std::vector<double> work(ranks, profile.edge_ns * 1e-9 / ranks);
    double events = 0;
    for (const RunProfile::Run& run : sample.runs) {
      work[rank_of[run.domain]] += run.events * costs[run.domain] * 1e-9;
      events += run.events;
    }
    // Messages are proportional to events.
    const double scale = mean_events > 0 ? events / mean_events : 0;
    Edge edge;
    edge.busy.assign(ranks, 0);
    if (ranks > 1) edge = ExchangeAt(traffic, scale, network, profile.record_bytes, ranks);
    double slowest = 0, slowest_busy = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      slowest = std::max(slowest, work[rank]);
      slowest_busy = std::max(slowest_busy, work[rank] + edge.busy[rank]);
      sums.work += work[rank];
      sums.by_rank[rank] += work[rank];
    }
    sums.slowest_work += slowest;
    sums.slowest_busy += slowest_busy;
    sums.transfer += edge.transfer;
    sums.sync += edge.sync;
    sums.partners += traffic.PartnersAt(scale).most;
  }
  return sums;
}

/// Factor from the samples to the whole run, by events, as those of all windows are known.
double ScaleOf(const RunProfile& profile, const std::vector<double>& costs, double edge_seconds,
               const Sums& sums) {
  double all = static_cast<double>(profile.windows) * edge_seconds;
  for (std::size_t i = 0; i < profile.events.size(); ++i)
    all += profile.events[i] * costs[i] * 1e-9;
  return sums.work > 0 ? all / sums.work : 0;
}

void FillIn(const Sums& sums, double scale, double window_scale, ScalingForecast* forecast) {
  const double ranks = forecast->ranks;
  const double total = sums.work * scale;
  forecast->even_seconds = total / ranks;
  forecast->waiting_seconds = sums.slowest_work * scale - forecast->even_seconds;
  forecast->message_seconds =
      (sums.slowest_busy - sums.slowest_work + sums.transfer) * window_scale;
  forecast->sync_seconds = sums.sync * window_scale;
  forecast->seconds =
      forecast->critical_seconds() + forecast->message_seconds + forecast->sync_seconds;
  if (sums.work > 0) {
    forecast->imbalance =
        *std::max_element(sums.by_rank.begin(), sums.by_rank.end()) * ranks / sums.work;
    forecast->window_imbalance = sums.slowest_work * ranks / sums.work;
  }
  forecast->speedup = forecast->seconds > 0 ? total / forecast->seconds : 1;
  forecast->efficiency = forecast->speedup / ranks;
}

}  // namespace

ScalingForecast Forecast(const RunProfile& profile, const Graph& graph, const ScalingPlan& plan,
                         const NetworkModel& network) {
  const Domains profiled = DomainsOf(profile, graph);
  const Domains grouped = GroupedDomains(graph, plan);
  std::vector<std::int64_t> weights;
  if (plan.measured_weights) weights = MeasuredWeights(profile, graph, grouped);
  const Assignment assignment =
      AssignDomains(graph, grouped, plan.ranks, plan.partitioner, plan.seed, weights);
  std::vector<std::uint32_t> rank_of;
  for (const DomainId container : Containers(profiled, grouped))
    rank_of.push_back(assignment[container.value].value);
  rank_of.resize(profile.events.size(), 0);  // the controller's domain is on rank 0
  const RankTraffic traffic(profile, rank_of, plan.ranks);
  const std::vector<double> costs = EventCosts(profile, graph, profiled);
  const Sums sums = AddWindows(profile, costs, rank_of, traffic, network, plan.ranks);
  ScalingForecast forecast;
  forecast.ranks = plan.ranks;
  forecast.domains = static_cast<std::uint32_t>(grouped.nodes.size());
  forecast.partitioner = plan.partitioner;
  forecast.messages = traffic.messages();
  const auto sampled = static_cast<double>(std::max<std::size_t>(1, profile.samples.size()));
  forecast.partners = sums.partners / sampled;
  FillIn(sums, ScaleOf(profile, costs, profile.edge_ns * 1e-9, sums),
         static_cast<double>(profile.windows) / sampled, &forecast);
  return forecast;
}

std::vector<std::uint32_t> RanksToTry(std::size_t domains) {
  constexpr std::uint32_t kMost = 1024;
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t count = 2; count <= kMost && count <= domains; count *= 2)
    ranks.push_back(count);
  return ranks;
}

const ScalingForecast* WorthIt(const std::vector<ScalingForecast>& forecasts, double efficiency) {
  const ScalingForecast* best = nullptr;
  for (const ScalingForecast& forecast : forecasts) {
    if (forecast.efficiency >= efficiency && (best == nullptr || forecast.ranks > best->ranks))
      best = &forecast;
  }
  return best;
}

const ScalingForecast* Fastest(const std::vector<ScalingForecast>& forecasts) {
  const auto least =
      std::min_element(forecasts.begin(), forecasts.end(),
                       [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return least == forecasts.end() ? nullptr : &*least;
}

}  // namespace heddle
