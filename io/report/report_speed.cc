// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>

#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

double At(const Table& table, const char* name, std::size_t row) {
  return Rounded(GetColumn<double>(table, name)[row]);
}

}  // namespace

Json ReportRanks(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("run/ranks")) return nullptr;
  const std::uint64_t all = source.reader().CountRows("run/ranks");
  const Table table = source.reader().ReadRows(
      "run/ranks", 0, std::min<std::uint64_t>(all, std::max<std::size_t>(limits.points, 256)),
      {"rank", "host", "domains", "events", "packet_hops", "windows", "messages", "blocked_seconds",
       "wall_seconds", "memory_mib"});
  Json rows = Json::array();
  for (std::size_t i = 0; i < GetColumn<std::uint32_t>(table, "rank").size(); ++i) {
    const auto count = [&](const char* name) { return GetColumn<std::int64_t>(table, name)[i]; };
    const double wall = GetColumn<double>(table, "wall_seconds")[i];
    rows.push_back(
        {{"rank", GetColumn<std::uint32_t>(table, "rank")[i]},
         {"host", GetColumn<std::string>(table, "host")[i]},
         {"domains", GetColumn<std::uint32_t>(table, "domains")[i]},
         {"events", count("events")},
         {"hops", count("packet_hops")},
         {"windows", count("windows")},
         {"messages", count("messages")},
         {"blocked", wall > 0 ? Rounded(GetColumn<double>(table, "blocked_seconds")[i] / wall) : 0},
         {"wall_seconds", At(table, "wall_seconds", i)},
         {"memory_mib", At(table, "memory_mib", i)}});
  }
  return {{"rows", rows}, {"all", all}};
}

Json ReportProgress(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("run/progress")) return nullptr;
  const Table table = source.reader().ReadTable("run/progress");
  const auto& wall = GetColumn<double>(table, "wall_seconds");
  const std::size_t stride =
      std::max<std::size_t>(1, (wall.size() + limits.points - 1) / limits.points);
  Json seconds = Json::array(), time = Json::array(), hops = Json::array(), flows = Json::array(),
       blocked = Json::array(), memory = Json::array();
  for (std::size_t i = 0; i < wall.size(); ++i) {
    if (i % stride != 0 && i + 1 != wall.size()) continue;
    seconds.push_back(Rounded(wall[i]));
    time.push_back(GetColumn<std::int64_t>(table, "time_ps")[i]);
    hops.push_back(GetColumn<std::int64_t>(table, "packet_hops")[i]);
    flows.push_back(GetColumn<std::int64_t>(table, "flows_finished")[i]);
    blocked.push_back(At(table, "blocked_share", i));
    memory.push_back(At(table, "memory_mib", i));
  }
  return {{"wall_seconds", seconds}, {"time_ps", time},    {"hops", hops},
          {"flows", flows},          {"blocked", blocked}, {"memory_mib", memory}};
}

}  // namespace heddle
