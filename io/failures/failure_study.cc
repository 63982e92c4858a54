// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/failure_study.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/table.h"
#include "core/base/units.h"
#include "io/collisions/recorded_flows.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

void AddDrops(const ReportSource& source, FailureStudy* study) {
  if (!source.HasRows("drops")) return;
  std::vector<Outage> outages;
  for (const StudiedOutage& one : study->outages) outages.push_back(one.outage);
  const auto of_link = OutagesOfLinks(outages, source.graph().links().size());
  const auto add = [&](HopIndex hop, std::int64_t packets) {
    const Hop at = source.numbers().At(hop);
    const LinkId link = source.graph().ports(at.node)[at.port.value].link;
    study->lost_packets += packets;
    for (const std::uint32_t outage : of_link[link.value]) {
      if (!study->outages[outage].outage.is_down()) continue;
      study->outages[outage].lost_packets += packets;
      return;
    }
  };
  ForEachBlock(source.reader(), "drops", {"node", "port", "reason", "packets"},
               [&](const Table& block) {
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& reason = GetColumn<std::string>(block, "reason");
                 const auto& packets = GetColumn<std::int64_t>(block, "packets");
                 for (std::size_t i = 0; i < node.size(); ++i) {
                   const HopIndex hop = source.HopOf("drops", node[i], port[i]);
                   if (reason[i] == "link down") add(hop, packets[i]);
                   if (reason[i] == "no route") study->no_route_packets += packets[i];
                 }
               });
}

void AddFlows(const ReportSource& source, const FlowLosses& losses, FailureStudy* study) {
  const NodeNames& names = source.names();
  const auto& src = GetColumn<std::uint32_t>(losses.flows(), "src");
  const auto& dst = GetColumn<std::uint32_t>(losses.flows(), "dst");
  for (std::size_t i = 0; i < study->outages.size(); ++i) {
    StudiedOutage& one = study->outages[i];
    one.flows = losses.of(i);
    const std::size_t row = one.flows.longest;
    if (row != kNoFlow)
      one.longest = names.Of(NodeId(src[row])) + " to " + names.Of(NodeId(dst[row]));
  }
  study->others = losses.others();
  study->flows_of_others = losses.flows_of_others();
  const auto& state = GetColumn<std::uint8_t>(losses.flows(), "state");
  study->flows_started = std::count_if(state.begin(), state.end(), [](auto s) { return s != 1; });
  for (HeldCollective& held : FindHeldCollectives(source, losses))
    study->outages[held.outage].held.push_back(std::move(held));
}

LastFlow FindLastFlow(const ReportSource& source, const FlowLosses& losses) {
  const auto& start = GetColumn<std::int64_t>(losses.flows(), "start_ps");
  const auto& fct = GetColumn<std::int64_t>(losses.flows(), "fct_ps");
  std::size_t last = kNoFlow;
  for (std::size_t row = 0; row < start.size(); ++row) {
    if (fct[row] < 0) continue;
    if (last == kNoFlow || start[row] + fct[row] > start[last] + fct[last]) last = row;
  }
  if (last == kNoFlow) return {};
  const NodeNames& names = source.names();
  const auto name = [&](const char* column) {
    return names.Of(NodeId(GetColumn<std::uint32_t>(losses.flows(), column)[last]));
  };
  const FlowFate& fate = losses.fates()[last];
  return {name("src") + " to " + name("dst"), start[last] + fct[last], fate.outage,
          fate.kind == FlowFate::Kind::kOnIt,
          std::max(losses.RecoveryOf(last).waited_ps, fate.no_way_ps)};
}

/// Recovery of all flows that have rows.
void AddRecoveryOfAll(const ReportSource& source, FailureStudy* study) {
  if (!source.HasRows("recovery")) return;
  ForEachBlock(source.reader(), "recovery", {"timeouts", "waited_ps", "nacks", "resent_bytes"},
               [&](const Table& block) {
                 const auto& timeouts = GetColumn<std::uint16_t>(block, "timeouts");
                 for (std::size_t i = 0; i < timeouts.size(); ++i) {
                   ++study->flows_of_others;
                   study->others.timeouts += timeouts[i];
                   study->others.waited_ps += GetColumn<std::int64_t>(block, "waited_ps")[i];
                   study->others.nacks += GetColumn<std::uint32_t>(block, "nacks")[i];
                   study->others.resent_bytes += GetColumn<std::int64_t>(block, "resent_bytes")[i];
                 }
               });
}

}  // namespace

FailureStudy StudyFailures(const std::string& file) {
  const ReportSource source(file);
  if (!source.HasRows("failures")) {
    FailInput({file, 0}, "no table failures with rows: nothing failed in this run",
              "a result of heddle run --failures FILE, or with LINK_DOWN");
  }
  Outages outages = ReadOutages(source);
  FailureStudy study;
  study.file = file;
  study.end_ps = source.end_ps();
  study.convergence_ps =
      ParseTime(source.root().Text("option failure.convergence").value_or("0s")).ps;
  study.unknown = WhyNoPaths(source);
  study.after_end = outages.after_end;
  for (const Outage& outage : outages.all) study.outages.push_back({outage, 0, {}, "", {}});
  AddDrops(source, &study);
  if (!study.unknown.empty()) {
    AddRecoveryOfAll(source, &study);
    return study;
  }
  const FlowLosses losses(source, outages);
  AddFlows(source, losses, &study);
  study.jobs = FindJobCosts(source, losses);
  study.last_flow = FindLastFlow(source, losses);
  return study;
}

}  // namespace heddle
