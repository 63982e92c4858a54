// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_flows_csv.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/collisions/flow_paths.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

std::string SlowdownText(std::int64_t fct, std::int64_t ideal) {
  return ideal > 0 ? fmt::format("{:.4f}", static_cast<double>(fct) / static_cast<double>(ideal))
                   : "";
}

}  // namespace

std::size_t ExportFlowsCsv(const Graph& graph, const Routes& routes, const FlowTables& tables,
                           std::ostream& out) {
  const Table& flows = *tables.flows;
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(flows, "dst");
  const auto& fct = GetColumn<std::int64_t>(flows, "fct_ps");
  const auto& ideal = GetColumn<std::int64_t>(flows, "ideal_ps");
  const FlowPathSource source_of_paths(graph, flows, tables.requests, tables.paths, tables.lanes);
  const HopNumbers numbers(graph);
  const PortLists paths = source_of_paths.Trace(routes, numbers);
  fmt::memory_buffer text;
  const auto append = [&](auto format, const auto&... values) {
    fmt::format_to(std::back_inserter(text), format, values...);
  };
  append(
      FMT_STRING("flow_id,src_gpu,dst_gpu,sport,spine_switch,fct_ns,slowdown,cc_assigned,hops\n"));
  std::size_t unfinished = 0;
  for (std::size_t flow = 0; flow < fct.size(); ++flow) {
    if (fct[flow] < 0) {
      ++unfinished;
      continue;
    }
    const NodeId spine = tables.sprayed ? NodeId() : MiddleSwitch(numbers, paths[flow]);
    append(FMT_STRING("{},{},{},{},{},{},{},{},{}\n"), flow, source[flow], destination[flow],
           source_of_paths.source_ports()[flow],
           spine.valid() ? static_cast<std::int64_t>(spine.value) : -1, fct[flow] / 1000,
           SlowdownText(fct[flow], ideal[flow]), source_of_paths.chosen()[flow] ? 1 : 0,
           paths[flow].size());
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  return unfinished;
}

}  // namespace heddle
