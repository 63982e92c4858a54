// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/app/studies/static_study/statistics.h"
#include "core/base/check.h"

namespace heddle {
namespace {

std::string Head11(const OrcsArguments& given) {
  std::string text = fmt::format(
      "Input File: {}\nOutput File: {}\nCommsize: {}\nPattern: {}\nLevel: {}\nRuns: {}\n"
      "Subset: {}\nMetric: {}\n",
      given.input, given.output, given.ranks, given.pattern, given.level, given.runs, given.subset,
      given.metric);
  return text + fmt::format("Fstptrn: {}\nSecptrn: {}\nPart_commsize: {}\n\n", given.first,
                            given.second, given.first_ranks);
}

/// A part of ptrnvsptrn's argument: a name, and its own argument after a comma.
std::string PartText(std::string part) {
  const std::size_t colon = part.find(':');
  if (colon != std::string::npos) part[colon] = ',';
  return part;
}

std::string Head20(const OrcsArguments& given) {
  std::string pattern = given.pattern;
  if (pattern == "ptrnvsptrn") {
    const std::size_t gap = given.argument.find("::");
    pattern += fmt::format("\n    First Pattern: {}\n   Second Pattern: {}",
                           PartText(given.argument.substr(0, gap)),
                           PartText(given.argument.substr(gap + 2)));
  } else if (given.argument_given) {
    pattern += "," + given.argument;
  }
  std::string text = fmt::format(
      "Input File: {}\nOutput File: {}\nPattern: {}\nCommsize: {}\nPart_commsize: {}\nSubset: {}\n",
      given.input, given.output, pattern, given.ranks, given.first_ranks, given.subset);
  return text + fmt::format(
                    "Part_subset: {}\nLevel: {}\nRuns: {}\nMetric: {}\n"
                    "Shuffling namelists: {}\n\n",
                    given.part_subset, given.level, given.runs, given.metric,
                    given.shuffle ? "Yes" : "No");
}

void RefuseWeightless(const LoadTotals& totals) {
  if (totals.weights.count(0) == 0) return;
  throw UserError(fmt::format(
      "{} connections have no way: of a rank to itself, or routed in a loop, where ORCS aborts. "
      "Expected: routes without loops (--checkinputfile names them)",
      totals.weights.at(0)));
}

std::string HistMaxCong(const OrcsArguments& given, const LoadTotals& totals) {
  RefuseWeightless(totals);
  std::uint64_t all = 0;
  double bandwidth = 0;
  for (const auto& [weight, count] : totals.weights) {
    all += count;
    bandwidth += static_cast<double>(count) / weight;
  }
  std::string text;
  for (const auto& [weight, count] : totals.weights)
    text += fmt::format("weight {}: {} of the {} connections ({:.2f}%)\n",
                        static_cast<std::uint64_t>(weight), count, all,
                        static_cast<double>(count) * 100 / static_cast<double>(all));
  if (all == 0) return given.is_old() ? "\nBW: -nan\n" : "\nBW: -1.000000\n";
  return text + fmt::format("\nBW: {:f}\n", bandwidth / static_cast<double>(all));
}

/// Twenty equal bins from 0 to just above 1. ORCS 1.1 makes them wider than it says, and counts a
/// run without messages as one without bandwidth.
std::string HistAccBand(const OrcsArguments& given, const CongestionStudy& study) {
  RefuseWeightless(study.totals);
  constexpr int kBins = 20;
  const double most = given.is_old() ? 1.01 : 1.000000000000001;
  std::array<double, kBins + 1> edges{};
  for (int i = 0; i <= kBins; ++i) edges[i] = static_cast<double>(i) / kBins * most;
  std::array<std::uint64_t, kBins> bins{};
  for (const LoadFigures& run : study.runs) {
    if (run.messages == 0 && !given.is_old())
      throw UserError("a run without connections has no bandwidth. Expected: a pattern with some");
    const double value = run.mean_bandwidth();
    const auto above = std::upper_bound(edges.begin(), edges.end(), value);
    ++bins[static_cast<std::size_t>(above - edges.begin()) - 1];
  }
  std::string text =
      "Histogramm bin width: 0.050000\nFraction of full bandwidt | Number of occurences\n";
  for (int i = 0; i < kBins; ++i)
    text += fmt::format("{:12.8f} {:12.8f} {:5}\n", edges[i], edges[i + 1], bins[i]);
  return text;
}

/// A metric with one value a run.
std::string Values(const std::vector<double>& values, bool delays) {
  const Statistics s = StatisticsOf(values);
  const char* of = delays ? "Delay" : "Maximal Congestion";
  std::string text = fmt::format(
      "Statistical Results\n===================\n\nMinimal {}: {:f}\nMaximal {}: {:f}\n"
      "Average {}: {:f}\n{} Variance: {:f}\n===================\n\n",
      of, s.least, of, s.most, of, s.mean, of, s.variance);
  std::map<double, std::uint64_t> counts;
  for (const double value : values) ++counts[value];
  for (const auto& [value, count] : counts)
    text += fmt::format("{} of {:.0f} occured {} times.\n", delays ? "Delay" : "Congestion sum",
                        value, count);
  return text;
}

std::string CableSums(const LoadTotals& totals) {
  std::string text = "\nCable Congestions:\n\n Edge-ID\tacc. cong\n";
  for (std::size_t cable = 0; cable < totals.cables.size(); ++cable) {
    if (totals.cables[cable] > 0) text += fmt::format("{}\t{}\n", cable, totals.cables[cable]);
  }
  return text;
}

}  // namespace

std::string OrcsHead(const OrcsArguments& given) {
  return given.is_old() ? Head11(given) : Head20(given);
}

std::string OrcsSizesText(const OrcsArguments& given, const OrcsSizes& sizes) {
  // With --checkinputfile there is no subset, and 1.1 does not reach the edges.
  const bool all = given.check_file;
  if (given.is_old()) {
    const std::string text =
        fmt::format("Number of hosts in the inputfile: {}\nNumber of nodes in the inputfile: {}\n",
                    all ? sizes.hosts : sizes.ranks, sizes.nodes);
    return all ? text : text + fmt::format("Number of edges in the inputfile: {}\n", sizes.cables);
  }
  const std::string subset =
      all ? "" : fmt::format("      Number of hosts in the subset: {}\n", sizes.ranks);
  return subset + fmt::format(
                      "   Number of hosts in the inputfile: {}\n"
                      "Number of switches in the inputfile: {}\n"
                      "   Number of edges in the inputfile: {}\n",
                      sizes.hosts, sizes.nodes - sizes.hosts, sizes.cables);
}

std::string OrcsResult(const OrcsArguments& given, const CongestionStudy& study) {
  if (given.metric == "hist_max_cong") return HistMaxCong(given, study.totals);
  if (given.metric == "hist_acc_band") return HistAccBand(given, study);
  if (given.metric == "get_cable_cong") return CableSums(study.totals);
  const bool delays = given.metric == "dep_max_delay";
  std::vector<double> values;
  for (const LoadFigures& run : study.runs) values.push_back(delays ? run.delay : run.congestion);
  return Values(values, delays);
}

std::vector<double> CableShares(const std::vector<std::uint64_t>& cables) {
  std::uint64_t most = 0;
  for (const std::uint64_t sum : cables) most = std::max(most, sum);
  std::vector<double> shares;
  for (const std::uint64_t sum : cables)
    shares.push_back(most == 0 ? 0 : static_cast<float>(sum) / static_cast<float>(most));
  return shares;
}

}  // namespace heddle
