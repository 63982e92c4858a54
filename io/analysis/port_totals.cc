// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/port_totals.h"

#include "core/base/table.h"

namespace heddle {

std::vector<PortTotals> ReadPortTotals(const ReportSource& source) {
  std::vector<PortTotals> ports;
  if (!source.Has("ports")) return ports;
  const std::vector<std::string> columns = {
      "node",       "port",   "sent_packets", "sent_bytes", "max_queued_bytes",
      "ecn_marked", "pauses", "paused_ps"};
  ForEachBlock(source.reader(), "ports", columns, [&](const Table& block) {
    const auto& node = GetColumn<std::uint32_t>(block, "node");
    const auto& port = GetColumn<std::uint32_t>(block, "port");
    const auto& packets = GetColumn<std::int64_t>(block, "sent_packets");
    const auto& bytes = GetColumn<std::int64_t>(block, "sent_bytes");
    const auto& queued = GetColumn<std::int64_t>(block, "max_queued_bytes");
    const auto& marked = GetColumn<std::int64_t>(block, "ecn_marked");
    const auto& pauses = GetColumn<std::int64_t>(block, "pauses");
    const auto& paused = GetColumn<std::int64_t>(block, "paused_ps");
    for (std::size_t i = 0; i < node.size(); ++i) {
      ports.push_back({source.HopOf("ports", node[i], port[i]), packets[i], bytes[i], queued[i],
                       marked[i], pauses[i], paused[i]});
    }
  });
  return ports;
}

double UtilisationOf(const ReportSource& source, const PortTotals& port) {
  return static_cast<double>(port.sent_bytes) * 8 /
         (source.RateOf(port.port) * static_cast<double>(source.end_ps()) * 1e-12);
}

}  // namespace heddle
