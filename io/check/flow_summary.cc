// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/flow_summary.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/table.h"
#include "io/check/attribute_validation.h"

namespace heddle {
namespace {

struct Bin {
  double from, to;
  std::int64_t flows;
};

std::vector<Bin> SortedBins(const Table& table, const char* from, const char* to) {
  std::vector<Bin> bins;
  const auto& flows = GetColumn<std::int64_t>(table, "flows");
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto value = [&](const char* column) {
      for (const Column& c : table.columns) {
        const auto* integers = std::get_if<std::vector<std::int64_t>>(&c.data);
        if (c.name == column && integers != nullptr) return static_cast<double>((*integers)[i]);
      }
      return GetColumn<double>(table, column)[i];
    };
    bins.push_back({value(from), value(to), flows[i]});
  }
  std::sort(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) { return a.from < b.from; });
  return bins;
}

/// The middle of the bin that contains the value which `share` of all flows do not exceed.
double Percentile(const std::vector<Bin>& bins, double share) {
  std::int64_t all = 0, seen = 0;
  for (const Bin& bin : bins) all += bin.flows;
  for (const Bin& bin : bins) {
    seen += bin.flows;
    if (static_cast<double>(seen) >= share * static_cast<double>(all))
      return (bin.from + bin.to) / 2;
  }
  return 0;
}

/// Number of flows with a slowdown, that is, with an ideal time, for each row of /flow_sizes.
std::vector<std::int64_t> CountSlowdowns(const Table& sizes, const Table& slowdowns) {
  std::map<std::int64_t, std::int64_t> of_class;
  const auto& classes = GetColumn<std::int64_t>(slowdowns, "from_bytes");
  const auto& flows = GetColumn<std::int64_t>(slowdowns, "flows");
  for (std::size_t i = 0; i < flows.size(); ++i) of_class[classes[i]] += flows[i];
  std::vector<std::int64_t> counts;
  for (const std::int64_t from : GetColumn<std::int64_t>(sizes, "from_bytes")) {
    counts.push_back(of_class[from]);
  }
  return counts;
}

/// `flows`: number of flows in the mean of each row of `sizes`.
template <class Value>
Distribution DistributionOf(const std::vector<Bin>& bins, const Table& sizes,
                            const std::vector<std::int64_t>& flows, const char* mean,
                            const char* largest) {
  Distribution result;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    all += flows[i];
    result.mean += GetColumn<double>(sizes, mean)[i] * static_cast<double>(flows[i]);
    result.largest =
        std::max(result.largest, static_cast<double>(GetColumn<Value>(sizes, largest)[i]));
  }
  if (all > 0) result.mean /= static_cast<double>(all);
  result.p50 = std::min(Percentile(bins, 0.5), result.largest);
  result.p99 = std::min(Percentile(bins, 0.99), result.largest);
  return result;
}

}  // namespace

FlowSummary ReadFlowSummary(const ResultReader& reader) {
  const std::vector<Attribute> attributes = reader.ReadAttributes();
  const auto figure = [&](const char* name) { return IntegerOf(attributes, name).value_or(0); };
  FlowSummary figures{figure("simulated_ps"),
                      figure("packet_hops"),
                      figure("flows_planned"),
                      figure("flows_finished"),
                      {},
                      {}};
  const Table sizes = reader.ReadTable("flow_sizes");
  figures.fct_ps = DistributionOf<std::int64_t>(
      SortedBins(reader.ReadTable("fct_histogram"), "fct_from_ps", "fct_to_ps"), sizes,
      GetColumn<std::int64_t>(sizes, "flows"), "fct_mean_ps", "fct_max_ps");
  const Table slowdowns = reader.ReadTable("slowdown_histogram");
  figures.slowdown =
      DistributionOf<double>(SortedBins(slowdowns, "slowdown_from", "slowdown_to"), sizes,
                             CountSlowdowns(sizes, slowdowns), "slowdown_mean", "slowdown_max");
  return figures;
}

}  // namespace heddle
