// SPDX-License-Identifier: GPL-2.0-only
/// The statistics that every run has, whatever its number of flows: finished flows in bins, and the
/// bytes carried by each tier of links over time.
#include <algorithm>

#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/run/fabric/fabric.h"
#include "transport/run/fabric/gathered_records.h"
#include "transport/run/fabric/record_tables.h"

namespace heddle {
namespace {

/// Packets count where their transmission begins. What is more than a tier's links can carry in an
/// interval is sent in the next one, so it counts there. `rows`: of one tier, by time.
void CarryOver(std::vector<TierLoadRow>::iterator rows, std::size_t count) {
  for (std::size_t i = 0; i + 1 < count; ++i) {
    TierLoadRow& row = rows[static_cast<std::ptrdiff_t>(i)];
    const std::int64_t more = row.bytes - row.most_bytes();
    if (more <= 0) continue;
    row.bytes -= more;
    rows[static_cast<std::ptrdiff_t>(i) + 1].bytes += more;
  }
}

/// Returns one row for each tier and bin, at the root. Collective.
std::vector<TierLoadRow> GatherLoadRows(const Communicator& world, const Fabric& fabric) {
  const Time end{world.Max(fabric.now().ps)};
  const Time width = TierLoad::WidthFor(end);
  const auto bins = static_cast<std::size_t>((end.ps + width.ps - 1) / width.ps);
  const std::vector<LinkTiers::Tier>& tiers = fabric.context().link_tiers->tiers();
  std::vector<std::int64_t> sums(tiers.size() * bins);
  for (const auto& domain : fabric.domains()) {
    if (bins > 0) domain->tier_load().AddTo(width, bins, &sums);
  }
  world.Sum(&sums);
  std::vector<TierLoadRow> rows;
  for (std::size_t i = 0; world.is_root() && i < sums.size(); ++i) {
    const Time from = width * static_cast<std::int64_t>(i % bins);
    const LinkTiers::Tier& tier = tiers[i / bins];
    rows.push_back(
        {tier.name, tier.links, tier.rate_bps, from, std::min(from + width, end), sums[i]});
  }
  for (std::size_t first = 0; first < rows.size(); first += bins)
    CarryOver(rows.begin() + static_cast<std::ptrdiff_t>(first), bins);
  return rows;
}

}  // namespace

std::vector<Table> GatherFlowStatistics(const Communicator& world, const Fabric& fabric) {
  FlowStatistics mine;
  for (const auto& domain : fabric.domains()) mine.Merge(domain->statistics());
  return GatherStatisticsTables(world, mine);
}

Table GatherTierLoad(const Communicator& world, const Fabric& fabric) {
  return TierLoadTable(GatherLoadRows(world, fabric));
}

}  // namespace heddle
