// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_figures.h"

#include <cstdlib>
#include <utility>

#include "core/base/table.h"
#include "io/analysis/result_view.h"
#include "io/analysis/tier_use.h"
#include "io/step/step_findings.h"

namespace heddle {
namespace {

TierUse UseOf(const ReportSource& source, const TierSum& tier) {
  TierUse use{tier.name, tier.mean(), tier.mean()};
  if (!source.HasRows("tier_load")) return use;
  ForEachBlock(source.reader(), "tier_load", {"tier", "utilisation"},
               [&](const Table& block) { use.highest = HighestUse(block, use.name, use.highest); });
  return use;
}

}  // namespace

FabricFigures ReadFabricFigures(const std::string& result) {
  FabricFigures figures;
  std::vector<StepExplanation> jobs = ExplainSteps(result);
  figures.why = std::move(jobs[LastToEnd(jobs)]);
  figures.step_ps = static_cast<double>(figures.why.span_ps());
  const ReportSource source(result);
  figures.shares = figures.why.shares;
  figures.backend = source.backend();
  if (source.HasRows("collectives"))
    figures.collectives =
        TimesOfKinds(source.reader().ReadTable("collectives"), WarmupPasses(source.root()));
  const std::vector<TierSum> tiers = SumTiers(source);
  if (const TierSum* hottest = HottestTier(tiers)) figures.hottest = UseOf(source, *hottest);
  figures.above_leaves = BytesAboveLeaves(tiers);
  const auto queue_pairs = source.root().Text("option nic.qps_per_connection");
  figures.queue_pairs = std::strtoull(queue_pairs.value_or("1").c_str(), nullptr, 10);
  return figures;
}

}  // namespace heddle
