// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/slowest_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "io/analysis/flow_view.h"
#include "io/analysis/time_lost.h"
#include "topology/graph/node_names.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

constexpr std::size_t kSlowestShown = 5;
constexpr std::size_t kSharersShown = 4;

/// "waited 4.19 ms for a timeout, 12 KiB sent again"; empty if the flow lost nothing.
std::string RecoveryText(const FlowRecovery& recovery) {
  std::string text;
  if (recovery.timeouts > 0) {
    const std::string count =
        recovery.timeouts == 1 ? "a timeout" : fmt::format("{} timeouts", recovery.timeouts);
    text = fmt::format("waited {:.2f} ms for {}", recovery.waited.seconds() * 1e3, count);
  }
  if (recovery.nacks > 0) {
    text += fmt::format("{}{} NACK{}", text.empty() ? "" : ", ", recovery.nacks,
                        recovery.nacks == 1 ? "" : "s");
  }
  if (recovery.resent_bytes > 0) {
    text += fmt::format("{}{} sent again", text.empty() ? "" : ", ",
                        ToText(Bytes{recovery.resent_bytes}));
  }
  return text;
}

std::vector<std::size_t> FinishedBySlowdown(const FlowView& flows) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < flows.fct.size(); ++i) {
    if (flows.fct[i] >= 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return flows.slowdown(a) < flows.slowdown(b);
  });
  return order;
}

std::uint64_t KeyOf(const Hop& hop) {
  return (static_cast<std::uint64_t>(hop.node.value) << 32) | hop.port.value;
}

/// For each of the chosen flows: what it lost, the links that other flows used at the same time,
/// and the ends of these flows.
std::string SharedLinks(const Graph& graph, const Routes* routes, const FlowView& flows,
                        const std::vector<FlowRecord>& recovered,
                        const std::vector<double>& times_lost,
                        const std::vector<std::size_t>& chosen) {
  std::map<FlowId, FlowRecovery> recovery;
  for (const FlowRecord& flow : recovered) recovery[flow.flow] = flow.recovery;
  std::map<std::uint64_t, std::vector<std::size_t>> users;  // links of the chosen flows only
  std::vector<std::vector<Hop>> paths;
  const auto path_of = [&](std::size_t i) {
    if (routes == nullptr) return std::vector<Hop>();
    return TracePath(graph, *routes, NodeId(flows.src[i]), NodeId(flows.dst[i]),
                     flows.source_port[i], flows.destination_port[i]);
  };
  for (std::size_t i : chosen) {
    paths.push_back(path_of(i));
    for (const Hop& hop : paths.back()) users[KeyOf(hop)];
  }
  for (std::size_t i = 0; i < flows.src.size(); ++i) {
    for (const Hop& hop : path_of(i)) {
      const auto link = users.find(KeyOf(hop));
      if (link != users.end()) link->second.push_back(i);
    }
  }
  const NodeNames names(graph);
  const auto ends = [&](std::size_t row) {
    return names.Of(NodeId(flows.src[row])) + " -> " + names.Of(NodeId(flows.dst[row]));
  };
  std::string text;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::size_t i = chosen[k];
    text += fmt::format("  {:5.2f}x  {}  {} in {}, lost {}\n", flows.slowdown(i), ends(i),
                        ToText(Bytes{flows.size[i]}), ToText(Time{flows.fct[i] / 1000 * 1000}),
                        ToText(Time{static_cast<std::int64_t>(times_lost[i]) / 1000 * 1000}));
    const auto lost = recovery.find(FlowId{NodeId(flows.src[i]), flows.number[i]});
    if (lost != recovery.end()) text += fmt::format("          {}\n", RecoveryText(lost->second));
    for (const Hop& hop : paths[k]) {
      std::vector<std::size_t> sharers;
      for (std::size_t j : users[KeyOf(hop)]) {
        if (flows.Compete(i, j)) sharers.push_back(j);
      }
      if (sharers.empty()) continue;
      text += fmt::format("          shared {} with {} flow{}:", names.Link(hop.node, hop.port),
                          sharers.size(), sharers.size() == 1 ? "" : "s");
      for (std::size_t s = 0; s < std::min(sharers.size(), kSharersShown); ++s)
        text += (s == 0 ? " " : ", ") + ends(sharers[s]);
      text += sharers.size() > kSharersShown ? ", ...\n" : "\n";
    }
  }
  return text;
}

/// The middle of the bin with the quantile `share` of the flows. `bins` gives for each lower end
/// the upper end and the number of flows.
double MiddleOfBin(const std::map<double, std::pair<double, std::int64_t>>& bins,
                   std::int64_t flows, double share) {
  std::int64_t below = static_cast<std::int64_t>(share * static_cast<double>(flows - 1)) + 1;
  double middle = 0;
  for (const auto& [from, bin] : bins) {
    middle = (from + bin.first) / 2;
    below -= bin.second;
    if (below <= 0) break;
  }
  return middle;
}

/// The summary's line of four slowdowns.
std::string SlowdownLine(const SlowdownQuantiles& of) {
  return fmt::format("slowdown         p50 {:.2f}x   p90 {:.2f}x   p99 {:.2f}x   worst {:.2f}x\n",
                     of.p50, of.p90, of.p99, of.worst);
}

}  // namespace

std::optional<SlowdownQuantiles> SlowdownsOfFlows(const Table& table) {
  const FlowView flows(table);
  const std::vector<std::size_t> order = FinishedBySlowdown(flows);
  if (order.empty()) return std::nullopt;
  const auto at = [&](double share) {
    return flows.slowdown(
        order[static_cast<std::size_t>(share * static_cast<double>(order.size() - 1))]);
  };
  return SlowdownQuantiles{at(0.5), at(0.9), at(0.99), at(1.0)};
}

std::string DescribeSlowdowns(const Graph& graph, const Routes* routes, const Table& table,
                              const std::vector<FlowRecord>& recovered) {
  const FlowView flows(table);
  const std::optional<SlowdownQuantiles> quantiles = SlowdownsOfFlows(table);
  if (!quantiles) return "";
  const std::string text = SlowdownLine(*quantiles);
  if (flows.src.size() > kMostSearchedFlows) return text;
  const std::vector<double> lost = TimesLost(graph, flows);
  const std::vector<std::size_t> slowest = MostLost(flows, lost, kSlowestShown);
  if (slowest.empty()) return text;
  return text + "slowest flows    by time lost to others\n" +
         SharedLinks(graph, routes, flows, recovered, lost, slowest);
}

std::optional<SlowdownQuantiles> SlowdownsOfHistogram(const Table& sizes, const Table& histogram) {
  const auto& from = GetColumn<double>(histogram, "slowdown_from");
  const auto& to = GetColumn<double>(histogram, "slowdown_to");
  const auto& flows = GetColumn<std::int64_t>(histogram, "flows");
  const auto& largest = GetColumn<double>(sizes, "slowdown_max");
  if (from.empty()) return std::nullopt;
  std::map<double, std::pair<double, std::int64_t>> bins;  // of all sizes
  for (std::size_t i = 0; i < from.size(); ++i) {
    bins[from[i]].first = to[i];
    bins[from[i]].second += flows[i];
  }
  const std::int64_t all = std::accumulate(flows.begin(), flows.end(), std::int64_t{0});
  const double worst = *std::max_element(largest.begin(), largest.end());
  const auto at = [&](double share) { return std::min(worst, MiddleOfBin(bins, all, share)); };
  return SlowdownQuantiles{at(0.5), at(0.9), at(0.99), worst};
}

std::string DescribeSlowdownHistogram(const Table& sizes, const Table& histogram) {
  const std::optional<SlowdownQuantiles> quantiles = SlowdownsOfHistogram(sizes, histogram);
  return quantiles ? SlowdownLine(*quantiles) : "";
}

}  // namespace heddle
