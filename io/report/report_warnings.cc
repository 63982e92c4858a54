// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// Texts by value of column `state` of table "flows".
constexpr const char* kStates[] = {
    "",
    "not begun when the run ended",
    "no route to the destination",
    "too many timeouts without progress",
    "held by PFC when the run ended: a deadlock, or a pause that nothing ended",
    "under way when nothing was left to happen"};

/// "75 of 112 flows did not finish: 8 under way when ..., 67 not begun when the run
/// ended."; with one reason, it has no number. Empty if all finished. Only a run that reached its
/// end shows what never began.
std::string UnfinishedText(const ReportedFlows& flows, bool ended) {
  std::vector<std::pair<std::int64_t, std::string>> parts;
  std::int64_t begun = 0;
  for (std::size_t state = 2; state < flows.unfinished_by_state.size(); ++state) {
    const std::int64_t count = flows.unfinished_by_state[state];
    if (count > 0) parts.emplace_back(count, kStates[state]);
    begun += count;
  }
  const std::int64_t rows = begun + flows.unfinished_by_state[1];
  const std::int64_t all = ended ? std::max(flows.planned - flows.finished, rows) : rows;
  if (all > begun) parts.emplace_back(all - begun, kStates[1]);
  if (all == 0) return "";
  std::string text = fmt::format("{} of {} flow{} did not finish: ", all, flows.planned,
                                 flows.planned == 1 ? "" : "s");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += "; ";
    text +=
        parts.size() > 1 ? fmt::format("{} {}", parts[i].first, parts[i].second) : parts[i].second;
  }
  return text + ".";
}

std::int64_t CountDrops(const ReportSource& source) {
  std::int64_t drops = 0;
  if (!source.Has("drops")) return drops;
  ForEachBlock(source.reader(), "drops", {"packets"}, [&](const Table& block) {
    for (const std::int64_t packets : GetColumn<std::int64_t>(block, "packets")) drops += packets;
  });
  return drops;
}

std::string Milliseconds(const Json& ps) {
  return fmt::format("{:.3f} ms", static_cast<double>(ps.get<std::int64_t>()) * 1e-9);
}

/// "link_down at switch 72 - switch 76 after 0.300 ms, and 1 more event"; empty if nothing failed
/// while there was traffic.
std::string FailureText(const Json& events) {
  std::string first;
  std::size_t more = 0;
  for (const Json& event : events) {
    if (event["after_end"].get<bool>()) continue;
    if (!first.empty()) {
      ++more;
      continue;
    }
    first = fmt::format("{} at {} after {}", event["event"].get<std::string>(),
                        event["where"].get<std::string>(), Milliseconds(event["time_ps"]));
  }
  if (more > 0) first += fmt::format(", and {} more event{}", more, more == 1 ? "" : "s");
  return first;
}

/// "Flows waited 12.583 ms in all for 2 timeouts, GPU 1 to GPU 9 the longest: 12.583 ms"; empty
/// without timeouts.
std::string TimeoutText(const Json& failures) {
  const auto timeouts = failures["timeouts"].get<std::int64_t>();
  if (timeouts == 0) return "";
  const Json& longest = failures["rows"][0];
  return fmt::format("Flows waited {} in all for {} timeout{}, {} the longest: {}",
                     Milliseconds(failures["waited_ps"]), timeouts, timeouts == 1 ? "" : "s",
                     longest["flow"].get<std::string>(), Milliseconds(longest["waited_ps"]));
}

void AddCause(const Json& failures, Json* warnings) {
  if (failures.is_null()) return;
  const std::string failed = FailureText(failures["events"]), waited = TimeoutText(failures);
  if (!failed.empty()) warnings->push_back("Failure: " + failed + ".");
  if (!waited.empty()) warnings->push_back(waited + ".");
}

}  // namespace

Json ReportWarnings(const ReportSource& source, const ReportedFlows& flows, const Json& failures) {
  Json warnings = Json::array();
  if (!source.reader().complete()) {
    const auto until = source.root().Integer("until_ps");
    warnings.push_back(
        until ? fmt::format("The run was killed; the result is what was saved of it, up to {:g} us "
                            "of simulated time.",
                            static_cast<double>(*until) * 1e-6)
              : std::string("The result is not complete: the run was ended before its time."));
  }
  if (const auto cycle = source.root().Text("deadlock")) {
    warnings.push_back(fmt::format(
        "The run ended in a deadlock, a cycle of paused ports that wait for each other: {}.",
        *cycle));
  }
  AddCause(failures, &warnings);
  if (const std::string text = UnfinishedText(flows, source.reader().complete()); !text.empty())
    warnings.push_back(text);
  if (!flows.whole) {
    warnings.push_back(
        "The run kept no records of flows; completion times and slowdowns are not known. "
        "With --record flows=all they are.");
  }
  const std::string recorded = source.root().Text("flows_recorded").value_or("all");
  if (recorded.rfind("sample", 0) == 0) {
    warnings.push_back(fmt::format(
        "Only a sample of the flows was recorded ({}): who used a link is of the sample. "
        "Distributions are of all flows.",
        recorded));
  }
  constexpr double kMuchIdle = 0.4;  // as in the run's summary
  const double idle = source.root().Number("nic_ports_idle").value_or(0);
  if (idle >= kMuchIdle) {
    warnings.push_back(fmt::format(
        "NIC ports were idle for {:.0f} % of the time in which another port of the same GPU had "
        "flows. nic.ports=round-robin and nic.qps_per_connection spread a pair's flows over ports.",
        100 * idle));
  }
  if (const std::int64_t drops = CountDrops(source); drops > 0) {
    warnings.push_back(fmt::format("{} packet{} dropped.", drops, drops == 1 ? " was" : "s were"));
  }
  return warnings;
}

}  // namespace heddle
