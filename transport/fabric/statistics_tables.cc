// SPDX-License-Identifier: GPL-2.0-only
/// The statistics that every run has, whatever its number of flows: finished flows in bins, and the
/// bytes carried by each tier of links over time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/make_column.h"
#include "core/mpi/gather_records.h"
#include "transport/domain/fabric_domain.h"
#include "transport/fabric/fabric.h"

namespace heddle {
namespace {

using SizeClass = FlowStatistics::SizeClass;
using Bin = FlowStatistics::Bin;

double OfSlowdown(double fixed) { return std::ldexp(fixed, -FlowStatistics::kFraction); }
double Mean(FlowStatistics::Sum sum, std::uint64_t count) {
  return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}
/// 2^power, or the largest integer if that is too large.
std::int64_t PowerOfTwo(std::uint32_t power) {
  return power < 63 ? std::int64_t{1} << power : std::numeric_limits<std::int64_t>::max();
}
/// Rounds down, or to the largest integer: the end of the last bin exceeds it.
std::int64_t Whole(double value) {
  return value < 0x1p63 ? static_cast<std::int64_t>(value)
                        : std::numeric_limits<std::int64_t>::max();
}

/// Sums the statistics of all ranks, at the root.
FlowStatistics GatherAll(const Communicator& world, const Fabric& fabric) {
  FlowStatistics mine;
  for (const auto& domain : fabric.domains()) mine.Merge(domain->statistics());
  const std::vector<SizeClass> sizes = GatherRecords(world, mine.Sizes());
  const std::vector<Bin> completions = GatherRecords(world, mine.Completions());
  FlowStatistics all;
  all.Merge(sizes, completions, GatherRecords(world, mine.Slowdowns()));
  return all;
}

Table SizeTable(const FlowStatistics& statistics) {
  using Row = const SizeClass&;
  RecordTable table("flow_sizes", "finished flows by size, powers of two of the payload",
                    statistics.Sizes());
  table.Add<std::int64_t>("from_bytes", "byte", "least payload of the class",
                          [](Row r) { return PowerOfTwo(r.power); });
  table.Add<std::int64_t>("to_bytes", "byte", "payload at which the next class begins",
                          [](Row r) { return PowerOfTwo(r.power + 1); });
  table.Add<std::int64_t>("flows", "1", "finished flows", [](Row r) { return r.flows; });
  table.Add<std::int64_t>("bytes", "byte", "their payload", [](Row r) { return r.bytes; });
  table.Add<double>("fct_mean_ps", "ps", "mean flow completion time",
                    [](Row r) { return Mean(r.fct_sum, r.flows); });
  table.Add<std::int64_t>("fct_max_ps", "ps", "longest flow completion time",
                          [](Row r) { return r.fct_max; });
  table.Add<double>("slowdown_mean", "1", "mean of completion time over ideal time",
                    [](Row r) { return OfSlowdown(Mean(r.slowdown_sum, r.slowdowns)); });
  table.Add<double>("slowdown_max", "1", "largest completion time over ideal time",
                    [](Row r) { return OfSlowdown(static_cast<double>(r.slowdown_max)); });
  return table.Take();
}

Table SlowdownTable(const FlowStatistics& statistics) {
  using Row = const Bin&;
  RecordTable table("slowdown_histogram",
                    "finished flows by size class and completion time over ideal time",
                    statistics.Slowdowns());
  table.Add<std::int64_t>("from_bytes", "byte", "size class, as in /flow_sizes",
                          [](Row r) { return PowerOfTwo(r.power); });
  table.Add<double>("slowdown_from", "1", "least slowdown of the bin",
                    [](Row r) { return OfSlowdown(LogBins::From(r.bin)); });
  table.Add<double>("slowdown_to", "1", "slowdown at which the next bin begins",
                    [](Row r) { return OfSlowdown(LogBins::From(r.bin + 1)); });
  table.Add<std::int64_t>("flows", "1", "finished flows", [](Row r) { return r.flows; });
  return table.Take();
}

Table CompletionTable(const FlowStatistics& statistics) {
  using Row = const Bin&;
  RecordTable table("fct_histogram", "finished flows by completion time", statistics.Completions());
  table.Add<std::int64_t>("fct_from_ps", "ps", "least flow completion time of the bin",
                          [](Row r) { return Whole(LogBins::From(r.bin)); });
  table.Add<std::int64_t>("fct_to_ps", "ps", "completion time at which the next bin begins",
                          [](Row r) { return Whole(LogBins::From(r.bin + 1)); });
  table.Add<std::int64_t>("flows", "1", "finished flows", [](Row r) { return r.flows; });
  return table.Take();
}

struct LoadRow {
  const LinkTiers::Tier* tier;
  Time from, to;
  std::int64_t bytes;

  double utilisation() const {
    return static_cast<double>(bytes) * 8 / ((to - from).seconds() * tier->rate_bps);
  }
};

/// One row for each tier and bin, at the root. Collective.
std::vector<LoadRow> GatherLoadRows(const Communicator& world, const Fabric& fabric) {
  const Time end{world.Max(fabric.now().ps)};
  const Time width = TierLoad::WidthFor(end);
  const auto bins = static_cast<std::size_t>((end.ps + width.ps - 1) / width.ps);
  const std::vector<LinkTiers::Tier>& tiers = fabric.context().link_tiers->tiers();
  std::vector<std::int64_t> sums(tiers.size() * bins);
  for (const auto& domain : fabric.domains()) {
    if (bins > 0) domain->tier_load().AddTo(width, bins, &sums);
  }
  world.Sum(&sums);
  std::vector<LoadRow> rows;
  for (std::size_t i = 0; world.is_root() && i < sums.size(); ++i) {
    const Time from = width * static_cast<std::int64_t>(i % bins);
    rows.push_back({&tiers[i / bins], from, std::min(from + width, end), sums[i]});
  }
  return rows;
}

}  // namespace

std::vector<Table> GatherFlowStatistics(const Communicator& world, const Fabric& fabric) {
  const FlowStatistics all = GatherAll(world, fabric);
  return {SizeTable(all), SlowdownTable(all), CompletionTable(all)};
}

Table GatherTierLoad(const Communicator& world, const Fabric& fabric) {
  using Row = const LoadRow&;
  RecordTable table("tier_load", "what the links of each tier carried over time",
                    GatherLoadRows(world, fabric));
  table.Add<std::int64_t>("from_ps", "ps", "beginning of the bin", [](Row r) { return r.from.ps; });
  table.Add<std::int64_t>("to_ps", "ps", "its end; of the last one: the fabric's last event",
                          [](Row r) { return r.to.ps; });
  table.Add<std::string>("tier", "1", "which links, by the layers that they connect",
                         [](Row r) { return r.tier->name; });
  table.Add<std::uint32_t>("links", "1", "directed links of the tier",
                           [](Row r) { return r.tier->links; });
  table.Add<std::int64_t>("sent_bytes", "byte",
                          "bytes of the packets whose transmission began in the bin",
                          [](Row r) { return r.bytes; });
  table.Add<double>("utilisation", "1",
                    "sent_bytes over what the links could carry at their nominal rates",
                    [](Row r) { return r.utilisation(); });
  return table.Take();
}

}  // namespace heddle
