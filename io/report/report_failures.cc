// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

constexpr const char* kFailures = "failures";
constexpr const char* kRecovery = "recovery";

Json Events(const ReportSource& source, std::size_t most) {
  Json rows = Json::array();
  if (!source.HasRows(kFailures)) return rows;
  const Table table = source.reader().ReadTable(kFailures);
  const auto& time = GetColumn<std::int64_t>(table, "time_ps");
  const auto& event = GetColumn<std::string>(table, "event");
  const auto& node = GetColumn<std::uint32_t>(table, "node");
  const auto& peer = GetColumn<std::int64_t>(table, "peer");
  const auto& rate = GetColumn<std::int64_t>(table, "rate_bps");
  for (std::size_t i = 0; i < time.size() && i < most; ++i) {
    std::string where = source.NodeName(node[i]);
    if (peer[i] >= 0) where += " - " + source.NodeName(static_cast<std::uint32_t>(peer[i]));
    rows.push_back({{"time_ps", time[i]},
                    {"event", event[i]},
                    {"where", where},
                    {"rate", rate[i]},
                    {"after_end", time[i] > source.end_ps()}});
  }
  return rows;
}

/// A flow that lost packets, or seemed to.
struct Recovered {
  std::uint32_t source = 0, number = 0;
  std::int64_t waited = 0, resent = 0;
  std::uint32_t nacks = 0, timeouts = 0;
};

std::vector<Recovered> ReadRecovered(const ReportSource& source) {
  std::vector<Recovered> flows;
  if (!source.HasRows(kRecovery)) return flows;
  ForEachBlock(
      source.reader(), kRecovery,
      {"src", "number", "timeouts", "waited_ps", "nacks", "resent_bytes"}, [&](const Table& block) {
        const auto& src = GetColumn<std::uint32_t>(block, "src");
        const auto& number = GetColumn<std::uint32_t>(block, "number");
        const auto& timeouts = GetColumn<std::uint16_t>(block, "timeouts");
        const auto& waited = GetColumn<std::int64_t>(block, "waited_ps");
        const auto& nacks = GetColumn<std::uint32_t>(block, "nacks");
        const auto& resent = GetColumn<std::int64_t>(block, "resent_bytes");
        for (std::size_t i = 0; i < src.size(); ++i) {
          flows.push_back({src[i], number[i], waited[i], resent[i], nacks[i], timeouts[i]});
        }
      });
  return flows;
}

/// Ends and times of the chosen flows, in the order of `rows`.
void AddFlows(const ReportSource& source, const std::vector<Recovered>& chosen, Json* rows) {
  ForEachBlock(
      source.reader(), "flows", {"src", "number", "dst", "size_bytes", "start_ps", "fct_ps"},
      [&](const Table& block) {
        const auto& src = GetColumn<std::uint32_t>(block, "src");
        const auto& number = GetColumn<std::uint32_t>(block, "number");
        for (std::size_t i = 0; i < src.size(); ++i) {
          const auto found = std::find_if(chosen.begin(), chosen.end(), [&](const Recovered& flow) {
            return flow.source == src[i] && flow.number == number[i];
          });
          if (found == chosen.end()) continue;
          Json& row = (*rows)[static_cast<std::size_t>(found - chosen.begin())];
          const std::uint32_t to = GetColumn<std::uint32_t>(block, "dst")[i];
          row["flow"] = source.NodeName(src[i]) + " to " + source.NodeName(to);
          row["size"] = GetColumn<std::int64_t>(block, "size_bytes")[i];
          row["start_ps"] = GetColumn<std::int64_t>(block, "start_ps")[i];
          row["fct_ps"] = GetColumn<std::int64_t>(block, "fct_ps")[i];
        }
      });
}

}  // namespace

Json ReportFailures(const ReportSource& source, const ReportLimits& limits) {
  constexpr std::size_t kMostEvents = 200, kMostFlows = 20;
  const Json events = Events(source, std::min(limits.table_rows, kMostEvents));
  std::vector<Recovered> flows = ReadRecovered(source);
  if (events.empty() && flows.empty()) return nullptr;
  std::int64_t timeouts = 0, waited = 0, nacks = 0, resent = 0;
  for (const Recovered& flow : flows) {
    timeouts += flow.timeouts;
    waited += flow.waited;
    nacks += flow.nacks;
    resent += flow.resent;
  }
  const std::size_t all = flows.size();
  std::stable_sort(flows.begin(), flows.end(), [](const Recovered& a, const Recovered& b) {
    return a.waited != b.waited ? a.waited > b.waited : a.resent > b.resent;
  });
  if (flows.size() > kMostFlows) flows.resize(kMostFlows);
  Json rows = Json::array();
  for (const Recovered& flow : flows) {
    rows.push_back({{"flow", source.NodeName(flow.source)},
                    {"timeouts", flow.timeouts},
                    {"waited_ps", flow.waited},
                    {"nacks", flow.nacks},
                    {"resent", flow.resent}});
  }
  if (!flows.empty() && source.HasColumn("flows", "number")) AddFlows(source, flows, &rows);
  return {{"events", events},    {"rows", rows},   {"all", all},      {"timeouts", timeouts},
          {"waited_ps", waited}, {"nacks", nacks}, {"resent", resent}};
}

}  // namespace heddle
