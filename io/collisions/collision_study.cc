// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/collision_study.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/table.h"
#include "io/analysis/controller_join.h"
#include "io/collisions/colliding_pairs.h"
#include "io/collisions/recorded_flows.h"
#include "io/result/attribute_map.h"
#include "io/result/result_graph.h"
#include "io/result/result_reader.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

/// Results do not store failures themselves, only their digest or the option.
bool TopologyChanged(const ResultReader& result) {
  for (const Attribute& attribute : result.ReadAttributes()) {
    if (attribute.name == "failures_digest") return true;
    const auto* text = std::get_if<std::string>(&attribute.value);
    if (attribute.name == "option failure.link_down" && text != nullptr && *text != "0 0 0")
      return true;
  }
  return false;
}

/// Whether queue pairs have numbers of flows in which they send nothing (docs/models/cast.md).
bool LeavesGaps(const ResultReader& result) {
  const auto scheduler = AttributeMap(result.ReadAttributes()).Text("option requests.scheduler");
  return scheduler.value_or("message") != "message";
}

/// Checks that all flows have rows. Numbers of flows are consecutive within a source; a gap means
/// that finished flows have no rows. A result that declares a sample is accepted with a warning.
void CheckFlowsAreKept(const std::string& file, const ResultReader& result, const Table& flows) {
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& number = GetColumn<std::uint32_t>(flows, "number");
  bool all = !source.empty();
  if (all && RecordedFlows(result) == "all" && LeavesGaps(result)) return;
  for (std::size_t i = 0; i < source.size(); ++i) {
    all = all && number[i] == (i > 0 && source[i] == source[i - 1] ? number[i - 1] + 1 : 0);
  }
  if (all) return;
  if (!source.empty() && RecordedFlows(result) != "all") {
    WarnOfMissingFlows(file, result);
    return;
  }
  FailInput({file, 0},
            source.empty() ? "no flows"
                           : "only some of the flows, as runs without records of flows keep them",
            "a result with all its flows (heddle run --record flows=all)");
}

CollisionCounts CountsOf(const CollisionAnalysis& analysis, const PortLists& contested,
                         const std::vector<FlowSpan>& spans) {
  CollisionCounts counts;
  counts.pairs = CountCollidingPairs(contested, spans, analysis.users());
  counts.ports_used = static_cast<std::uint32_t>(analysis.ports().size());
  for (const PortSharing& port : analysis.ports()) {
    counts.ports += port.pairs > 0;
    counts.most_on_port = std::max(counts.most_on_port, port.most_at_once);
    counts.shared_ps += port.shared_ps;
  }
  return counts;
}

CollisionCounts CountsAtAnyTime(const PortLists& contested, std::uint32_t port_count) {
  const std::vector<FlowSpan> spans = AllAtOnce(contested.size());
  CollisionCounts counts =
      CountsOf(CollisionAnalysis(contested, spans, port_count), contested, spans);
  counts.shared_ps = 0;
  return counts;
}

/// Adds the times that flows waited for the controller.
void AddWaits(const Table& requests, CollisionStudy* study) {
  const auto& cause = GetColumn<std::uint8_t>(requests, "cause");
  const auto& wait = GetColumn<std::int64_t>(requests, "wait_ps");
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < wait.size(); ++i) {
    if (cause[i] != 0) continue;  // a rerouted flow did not wait
    sum += static_cast<double>(wait[i]);
    study->max_wait_ps = std::max(study->max_wait_ps, wait[i]);
    ++count;
  }
  if (count > 0) study->mean_wait_ps = static_cast<std::int64_t>(sum / static_cast<double>(count));
}

CollisionStudy Study(const std::string& file) {
  const ResultReader result(file);
  Table flows = result.ReadTable("flows");
  CheckFlowsAreKept(file, result, flows);
  Graph graph = ReadGraph(result);
  const bool controlled = result.HasTable(kRequestTable) || result.HasTable(kPathTable);
  const Table requests = controlled ? result.ReadTable(kRequestTable) : Table();
  const Table paths = controlled ? result.ReadTable(kPathTable) : Table();
  ExpectPathsByFlow(result);
  const Routes routes = RoutesOfResult(graph, result);
  const HopNumbers numbers(graph);
  const FlowLanes lanes(graph, AttributeMap(result.ReadAttributes()));
  const FlowPathSource source(graph, flows, controlled ? &requests : nullptr,
                              controlled ? &paths : nullptr, &lanes);
  const PortLists traced = source.Trace(routes, numbers);
  const PortLists contested = ContestedPorts(graph, flows, traced);
  const std::vector<FlowSpan> spans = SpansOfFlows(flows);
  CollisionStudy study{file,
                       graph,
                       flows,
                       TopologyChanged(result),
                       0,
                       0,
                       CollisionAnalysis(contested, spans, numbers.count()),
                       {},
                       {},
                       {},
                       controlled,
                       0,
                       0,
                       0,
                       {}};
  study.figures = {CountsAtAnyTime(contested, numbers.count()),
                   CountsOf(study.over_time, contested, spans)};
  study.spines = LoadOfSpines(graph, flows, numbers, traced);
  study.completion = FiguresOf(flows);
  study.unfinished = study.completion.flows - study.completion.finished;
  const std::vector<bool> between = BetweenServers(graph, flows);
  study.between_servers =
      static_cast<std::size_t>(std::count(between.begin(), between.end(), true));
  if (!controlled) return study;
  study.chosen =
      static_cast<std::size_t>(std::count(source.chosen().begin(), source.chosen().end(), true));
  AddWaits(requests, &study);
  const PortLists own =
      ContestedPorts(graph, flows, source.TraceWith(routes, numbers, HostsOwnPorts(flows)));
  study.own_ports = {CountsAtAnyTime(own, numbers.count()),
                     CountsOf(CollisionAnalysis(own, spans, numbers.count()), own, spans)};
  return study;
}

}  // namespace

CollisionStudy StudyCollisions(const std::string& file) {
  try {
    return Study(file);
  } catch (const UserError& error) {
    const std::string message = error.what();
    if (message.rfind(file, 0) == 0) throw;
    throw UserError(file + ": " + message);  // names the file, because several results may be read
  }
}

}  // namespace heddle
