// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/congestion_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/app/studies/static_study/run_means.h"
#include "core/app/studies/static_study/worst_cables.h"
#include "core/base/units.h"
#include "core/patterns/level_patterns.h"
#include "topology/graph/link_tiers.h"
#include "topology/load/cable_tiers.h"

namespace heddle {
namespace {

constexpr std::size_t kMostWeights = 12, kMostCables = 8, kMostWorstPrinted = 5, kMostSharers = 4;

std::string Row(const char* name, const Statistics& s) {
  return fmt::format("{:<16} {:.4f} +- {:.4f} in the mean of runs, {:.4f} to {:.4f}\n", name,
                     s.mean, s.error(), s.least, s.most);
}

std::string Weights(const LoadTotals& totals) {
  std::uint64_t all = 0;
  for (const auto& [weight, count] : totals.weights) all += count;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [weight, count] : totals.weights) {
    if (++shown > kMostWeights) {
      text += fmt::format("                 and {} more\n", totals.weights.size() - kMostWeights);
      break;
    }
    text +=
        fmt::format("{:<16} {:>8.4g}: {} messages, {:.2f} %\n", shown == 1 ? "weight" : "", weight,
                    count, 100.0 * static_cast<double>(count) / static_cast<double>(all));
  }
  return text;
}

std::string Tiers(const StaticPaths& paths, const CongestionStudy& study) {
  std::string text;
  const auto runs = static_cast<double>(study.runs.size());
  for (const CableTier& tier : TiersOf(paths, study.totals)) {
    text +=
        fmt::format("{:<16} {}: {} cables, {:.3f} messages a cable and run, at most {} at once{}\n",
                    text.empty() ? "tiers" : "", tier.name, tier.cables,
                    static_cast<double>(tier.messages) / (runs * tier.cables), tier.peak,
                    tier.unused > 0 ? fmt::format(", {} never used", tier.unused) : "");
  }
  return text;
}

/// "GPU 1 to GPU 5, GPU 2 to GPU 6 and 3 more".
std::string Sharers(const StaticPaths& paths, const std::vector<HostPair>& sharers) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostSharers, sharers.size()); ++i)
    text += fmt::format("{}{} to {}", i > 0 ? ", " : "", paths.HostLabel(sharers[i].source),
                        paths.HostLabel(sharers[i].destination));
  if (sharers.size() > kMostSharers)
    text += fmt::format(" and {} more", sharers.size() - kMostSharers);
  return text;
}

std::string Worst(const StaticPaths& paths, const CongestionRequest& request,
                  const CongestionStudy& study) {
  std::string text;
  for (const WorstCable& worst : FindWorstCables(paths, request, study, kMostWorstPrinted)) {
    text += fmt::format("{:<16} {}: {} at once in run {}, level {}: {}\n",
                        text.empty() ? "worst cables" : "", paths.CableName(worst.cable),
                        worst.peak.messages, worst.peak.run, worst.peak.level,
                        Sharers(paths, worst.sharers));
  }
  return text;
}

/// "; of 400Gbps 331.2 Gbit/s" if all cables from hosts to the network have one rate; else empty.
std::string InGbps(const StaticPaths& paths, const CongestionRequest& request, double share) {
  if (request.load.unit_links) return "";
  const std::vector<std::uint8_t> levels = paths.NodeLevels();
  std::int64_t rate = 0;
  for (std::uint32_t cable = 0; cable < paths.cable_count(); ++cable) {
    const CableEnds ends = paths.EndsOf(cable);
    if (levels[ends.from] != 0 || levels[ends.to] == LinkTiers::kNvLevel) continue;
    if (rate != 0 && paths.RateOf(cable) != rate) return "";
    rate = paths.RateOf(cable);
  }
  if (rate == 0) return "";
  return fmt::format("; of {} {:.1f} Gbit/s", ToText(BitRate{rate}),
                     share * static_cast<double>(rate) * 1e-9);
}

/// The cables with the most messages; only cables that several messages ever shared at once.
std::string Cables(const StaticPaths& paths, const CongestionStudy& study) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < study.totals.cables.size(); ++i) {
    if (study.totals.peaks[i].messages > 1) order.push_back(i);
  }
  const std::size_t shown = std::min(kMostCables, order.size());
  const auto& sums = study.totals.cables;
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return sums[a] != sums[b] ? sums[a] > sums[b] : a < b;
                    });
  std::string text;
  for (std::size_t i = 0; i < shown && sums[order[i]] > 0; ++i)
    text +=
        fmt::format("{:<16} {}: {:.2f} messages a run\n", i == 0 ? "fullest cables" : "",
                    paths.CableName(order[i]),
                    static_cast<double>(sums[order[i]]) / static_cast<double>(study.runs.size()));
  return text;
}

}  // namespace

std::string CongestionText(const StaticPaths& paths, const CongestionRequest& request,
                           const CongestionStudy& study, const std::string& source,
                           const std::string& routes) {
  const RunMeans means = MeansOf(study);
  std::string text = fmt::format("network          {}: {} hosts, {} cables (each direction)\n",
                                 source, paths.host_count(), paths.cable_count());
  text += fmt::format("routes           {}\n", routes);
  text += fmt::format("pattern          {} over {} ranks, {} runs, seed {}\n", request.pattern.text,
                      request.pattern.ranks, study.runs.size(), request.seed);
  if (const std::string meant = PatternOfTheseRanks(request.pattern); !meant.empty())
    text +=
        fmt::format("                 (as {}: there are {} ranks)\n", meant, request.pattern.ranks);
  text += fmt::format("messages         {} with a way", means.messages);
  if (means.no_route + means.loops > 0)
    text +=
        fmt::format("; NOT counted: {} without a way, {} in a loop", means.no_route, means.loops);
  text += "\n";
  if (means.messages == 0) return text;
  text += Row("bandwidth", means.bandwidth);
  text += fmt::format("                 (share of its host's rate that a message gets{})\n",
                      InGbps(paths, request, means.bandwidth.mean));
  text += Weights(study.totals);
  text += Row("sum of maxima", means.congestion);
  text += Row("delay", means.delay);
  return text + Tiers(paths, study) + Cables(paths, study) + Worst(paths, request, study);
}

}  // namespace heddle
