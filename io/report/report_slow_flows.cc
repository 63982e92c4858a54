// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/table.h"
#include "io/analysis/time_lost.h"
#include "io/report/report_parts.h"

namespace heddle {

Json ReportSlowFlows(const ReportSource& source, const ReportedFlows& known) {
  constexpr std::size_t kShown = 20;
  if (!source.HasRows("flows") || !source.HasColumn("flows", "number")) return nullptr;
  const std::uint64_t count = source.reader().CountRows("flows");
  // A sample does not show who shared a port.
  if (static_cast<std::int64_t>(count) != known.planned || count > kMostSearchedFlows)
    return nullptr;
  const Table table = source.reader().ReadRows("flows", 0, count);
  const FlowView flows(table);
  const std::vector<double> lost = TimesLost(source.graph(), flows);
  Json rows = Json::array();
  for (const std::size_t i : MostLost(flows, lost, kShown)) {
    rows.push_back({{"from", source.NodeName(flows.src[i])},
                    {"to", source.NodeName(flows.dst[i])},
                    {"bytes", flows.size[i]},
                    {"start_ps", flows.start[i]},
                    {"fct_ps", flows.fct[i]},
                    {"ideal_ps", flows.ideal[i]},
                    {"lost_ps", Rounded(lost[i])},
                    {"slowdown", Rounded(flows.slowdown(i))}});
  }
  if (rows.empty()) return nullptr;
  return {{"rows", std::move(rows)}};
}

}  // namespace heddle
