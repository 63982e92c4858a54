// SPDX-License-Identifier: GPL-2.0-only
#include "partition/scaling.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace heddle {
namespace {

/// What a partition makes of a profile: by rank where nothing else is said.
struct Spread {
  std::vector<std::uint32_t> rank_of;   ///< by domain of the profile
  std::vector<double> batches;          ///< to each neighbour one, from each one, in every window
  std::vector<double> messages_in, messages_out;  ///< a window
  double messages = 0;                  ///< between ranks, all windows
  std::uint32_t neighbours = 0;         ///< of the rank with most
  bool all_adjacent = true;
};

Domains GroupedDomains(const Graph& graph, const ScalingPlan& plan) {
  DomainOptions options;
  options.lookahead = plan.contraction;
  options.grain = plan.grain;
  options.ranks = plan.ranks;
  return MakeDomains(graph, options);
}

void CountNeighbours(const RunProfile& profile, const Graph& graph, const Domains& domains, const Assignment& assignment,
                     std::uint32_t ranks, Spread* spread) {
  std::vector<std::set<std::uint32_t>> neighbours(ranks);
  for (const Link& link : graph.links()) {
    const std::uint32_t a = assignment[domains.domain_of[link.a.value].value].value;
    const std::uint32_t b = assignment[domains.domain_of[link.b.value].value].value;
    if (a == b) continue;
    neighbours[a].insert(b);
    neighbours[b].insert(a);
  }
  for (const auto& of_rank : neighbours) {
    const std::size_t count = profile.everybody_talks ? ranks - 1 : of_rank.size();
    spread->batches.push_back(2 * static_cast<double>(count));
    spread->neighbours = std::max(spread->neighbours, static_cast<std::uint32_t>(count));
    spread->all_adjacent = spread->all_adjacent && count + 1 == ranks;
  }
}

void CountMessages(const RunProfile& profile, std::uint32_t ranks, Spread* spread) {
  spread->messages_in.assign(ranks, 0);
  spread->messages_out.assign(ranks, 0);
  const double windows = static_cast<double>(std::max<std::uint64_t>(1, profile.windows));
  for (const RunProfile::Stream& stream : profile.streams) {
    const std::uint32_t from = spread->rank_of[stream.from];
    if (stream.to == RunProfile::kUnknown) {
      // To anywhere with equal probability.
      const double crossing = stream.messages * (ranks - 1) / ranks;
      spread->messages += crossing;
      spread->messages_out[from] += crossing / windows;
      for (double& in : spread->messages_in) in += crossing / windows / ranks;
      continue;
    }
    const std::uint32_t to = spread->rank_of[stream.to];
    if (from == to) continue;
    spread->messages += stream.messages;
    spread->messages_in[to] += stream.messages / windows;
    spread->messages_out[from] += stream.messages / windows;
  }
}

/// Sums over the sampled windows.
struct Sums {
  double work = 0, slowest_work = 0, slowest_busy = 0, transfer = 0, sync = 0;
  std::vector<double> by_rank;
};

/// What the network needs at the edge of a window: batches go out together, and the agreement beside them.
void AddNetwork(const Spread& spread, const NetworkModel& network, double scale, double record_bytes, std::uint32_t ranks,
                Sums* sums) {
  double most = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    most = std::max({most, spread.messages_in[rank], spread.messages_out[rank]});
  }
  const double transfer = most * scale * record_bytes / network.bytes_per_second;
  const double steps = std::ceil(std::log2(ranks));
  const double agreement = spread.all_adjacent ? 0 : steps * (network.latency_seconds + network.batch_seconds);
  sums->transfer += transfer;
  sums->sync += std::max(network.latency_seconds, agreement - transfer);
}

Sums AddWindows(const RunProfile& profile, const std::vector<double>& costs, const Spread& spread, const NetworkModel& network,
                std::uint32_t ranks) {
  Sums sums;
  sums.by_rank.assign(ranks, 0);
  double events = 0;
  for (const auto& sample : profile.samples) {
    for (const RunProfile::Run& run : sample.runs) events += run.events;
  }
  const double mean_events = events / static_cast<double>(std::max<std::size_t>(1, profile.samples.size()));
  const double edge = profile.edge_ns * 1e-9;
  for (const auto& sample : profile.samples) {
    std::vector<double> work(ranks, edge / ranks);
    double here = 0;
    for (const RunProfile::Run& run : sample.runs) {
      work[spread.rank_of[run.domain]] += run.events * costs[run.domain] * 1e-9;
      here += run.events;
    }
    const double scale = mean_events > 0 ? here / mean_events : 0;  // messages follow events
    double slowest = 0, slowest_busy = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const double handled = (spread.messages_in[rank] + spread.messages_out[rank]) * scale;
      const double busy = work[rank] + spread.batches[rank] * network.batch_seconds + handled * network.message_seconds;
      slowest = std::max(slowest, work[rank]);
      slowest_busy = std::max(slowest_busy, busy);
      sums.work += work[rank];
      sums.by_rank[rank] += work[rank];
    }
    sums.slowest_work += slowest;
    sums.slowest_busy += slowest_busy;
    if (ranks > 1) AddNetwork(spread, network, scale, profile.record_bytes, ranks, &sums);
  }
  return sums;
}

/// Samples stand for all windows. Events of all windows are known, so they, not their number, give the scale.
double ScaleOf(const RunProfile& profile, const std::vector<double>& costs, double edge_seconds, const Sums& sums) {
  double all = static_cast<double>(profile.windows) * edge_seconds;
  for (std::size_t i = 0; i < profile.events.size(); ++i) all += profile.events[i] * costs[i] * 1e-9;
  return sums.work > 0 ? all / sums.work : 0;
}

void FillIn(const Sums& sums, double scale, double window_scale, ScalingForecast* forecast) {
  const double ranks = forecast->ranks;
  const double total = sums.work * scale;
  forecast->even_seconds = total / ranks;
  forecast->waiting_seconds = sums.slowest_work * scale - forecast->even_seconds;
  forecast->message_seconds = (sums.slowest_busy - sums.slowest_work + sums.transfer) * window_scale;
  forecast->sync_seconds = sums.sync * window_scale;
  forecast->seconds = forecast->critical_seconds() + forecast->message_seconds + forecast->sync_seconds;
  if (sums.work > 0) {
    forecast->imbalance = *std::max_element(sums.by_rank.begin(), sums.by_rank.end()) * ranks / sums.work;
    forecast->window_imbalance = sums.slowest_work * ranks / sums.work;
  }
  forecast->speedup = forecast->seconds > 0 ? total / forecast->seconds : 1;
  forecast->efficiency = forecast->speedup / ranks;
}

}  // namespace

ScalingForecast Forecast(const RunProfile& profile, const Graph& graph, const ScalingPlan& plan, const NetworkModel& network) {
  const Domains profiled = DomainsOf(profile, graph);
  const Domains grouped = GroupedDomains(graph, plan);
  std::vector<std::int64_t> weights;
  if (plan.measured_weights) weights = MeasuredWeights(profile, graph, grouped);
  const Assignment assignment = AssignDomains(graph, grouped, plan.ranks, plan.partitioner, plan.seed, weights);
  Spread spread;
  for (const DomainId container : Containers(profiled, grouped)) spread.rank_of.push_back(assignment[container.value].value);
  spread.rank_of.resize(profile.events.size(), 0);  // the controller
  CountNeighbours(profile, graph, grouped, assignment, plan.ranks, &spread);
  CountMessages(profile, plan.ranks, &spread);
  const std::vector<double> costs = EventCosts(profile, graph, profiled);
  const Sums sums = AddWindows(profile, costs, spread, network, plan.ranks);
  ScalingForecast forecast;
  forecast.ranks = plan.ranks;
  forecast.domains = static_cast<std::uint32_t>(grouped.nodes.size());
  forecast.neighbours = spread.neighbours;
  forecast.partitioner = plan.partitioner;
  forecast.messages = spread.messages;
  const auto sampled = static_cast<double>(std::max<std::size_t>(1, profile.samples.size()));
  FillIn(sums, ScaleOf(profile, costs, profile.edge_ns * 1e-9, sums), static_cast<double>(profile.windows) / sampled, &forecast);
  return forecast;
}

std::vector<std::uint32_t> RanksToTry(std::size_t domains) {
  constexpr std::uint32_t kMost = 1024;
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t count = 2; count <= kMost && count <= domains; count *= 2) ranks.push_back(count);
  return ranks;
}

const ScalingForecast* WorthIt(const std::vector<ScalingForecast>& forecasts, double efficiency) {
  const ScalingForecast* best = nullptr;
  for (const ScalingForecast& forecast : forecasts) {
    if (forecast.efficiency >= efficiency && (best == nullptr || forecast.ranks > best->ranks)) best = &forecast;
  }
  return best;
}

const ScalingForecast* Fastest(const std::vector<ScalingForecast>& forecasts) {
  const auto least = std::min_element(forecasts.begin(), forecasts.end(),
                                      [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return least == forecasts.end() ? nullptr : &*least;
}

}  // namespace heddle
