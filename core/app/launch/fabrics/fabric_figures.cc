// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_figures.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "core/base/table.h"
#include "io/analysis/port_totals.h"
#include "io/analysis/result_view.h"

namespace heddle {
namespace {

bool IsNvLink(const std::string& tier) { return tier == "NVLink"; }
bool IsBetweenSwitches(const std::string& tier) {
  return !IsNvLink(tier) && tier.find("host") == std::string::npos;
}

TierUse HottestTier(const ReportSource& source, double* above_leaves) {
  const std::vector<std::string>& names = source.tiers().names();
  std::vector<double> sums(names.size(), 0);
  for (const PortTotals& port : ReadPortTotals(source)) {
    const std::uint32_t tier = source.tiers().Of(port.port);
    sums[tier] += UtilisationOf(source, port);
    if (IsBetweenSwitches(names[tier])) *above_leaves += static_cast<double>(port.sent_bytes);
  }
  TierUse hottest;
  for (std::uint32_t tier = 0; tier < names.size(); ++tier) {
    const double mean = sums[tier] / std::max<double>(source.tiers().links(tier), 1);
    if (IsNvLink(names[tier]) || mean <= hottest.mean) continue;
    hottest = {names[tier], mean, mean};
  }
  if (!source.HasRows("tier_load")) return hottest;
  ForEachBlock(source.reader(), "tier_load", {"tier", "utilisation"}, [&](const Table& block) {
    const auto& tiers = GetColumn<std::string>(block, "tier");
    const auto& use = GetColumn<double>(block, "utilisation");
    for (std::size_t i = 0; i < tiers.size(); ++i) {
      if (tiers[i] == hottest.name) hottest.highest = std::max(hottest.highest, use[i]);
    }
  });
  return hottest;
}

}  // namespace

FabricFigures ReadFabricFigures(const std::string& result) {
  FabricFigures figures;
  std::vector<StepExplanation> jobs = ExplainSteps(result);
  const auto last = std::max_element(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.end_ps, b.job) < std::tie(b.end_ps, a.job);
  });
  figures.why = std::move(*last);
  figures.step_ps = static_cast<double>(figures.why.end_ps - figures.why.start_ps);
  const ReportSource source(result);
  figures.shares = figures.why.shares;
  figures.backend = source.backend();
  if (source.HasRows("collectives"))
    figures.collectives =
        TimesOfKinds(source.reader().ReadTable("collectives"), WarmupPasses(source.root()));
  figures.hottest = HottestTier(source, &figures.above_leaves);
  const auto queue_pairs = source.root().Text("option nic.qps_per_connection");
  figures.queue_pairs = std::strtoull(queue_pairs.value_or("1").c_str(), nullptr, 10);
  return figures;
}

}  // namespace heddle
