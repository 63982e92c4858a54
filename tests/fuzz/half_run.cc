// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/half_run.h"

#include <algorithm>
#include <utility>

#include "core/options.h"
#include "core/state_archive.h"
#include "partition/partition.h"
#include "tests/fuzz/flow_list_fuzz.h"
#include "tests/support/simulate.h"
#include "topology/failures.h"

namespace heddle {
namespace {

/// All GPUs to all others, in both directions over every link.
std::vector<FlowRequest> Flows() {
  std::vector<FlowRequest> flows;
  for (std::uint32_t from = 0; from < SmallGraph().gpu_count(); ++from) {
    for (std::uint32_t to = 0; to < SmallGraph().gpu_count(); ++to) {
      if (from == to) continue;
      FlowRequest flow;
      flow.source = NodeId(from);
      flow.destination = NodeId(to);
      flow.size = Bytes{200'000};
      flow.start = MicroSeconds(to);
      flows.push_back(flow);
    }
  }
  return flows;
}

std::vector<LinkEvent> Failures() {
  FailureEvent down;
  down.time = MicroSeconds(6);
  down.a = NodeId(1);
  down.b = NodeId(6);
  down.cable = 0;
  return ExpandFailures(SmallGraph(), {down});
}

}  // namespace

HalfRun::HalfRun(const HalfRunInput& input) {
  OptionSet options;
  transport_.Declare(&options);
  collectives_.Declare(&options);
  for (const auto& [key, value] : input.options) options.Set(key, value);
  if (input.workload != nullptr) jobs_ = {testing::MakeJob(SmallGraph(), input.workload)};
}

HalfRun::Parts HalfRun::Make() const {
  const Graph& graph = SmallGraph();
  const Domains domains = MakeDomains(graph, {});
  Parts parts;
  const FabricLayout layout{domains.domain_of, domains.nodes, AssignDomains(graph, domains, 1, "block", 1)};
  parts.fabric = std::make_unique<Fabric>(graph, transport_, layout, RankId(0), 1, 1, Failures());
  if (jobs_.empty()) {
    parts.fabric->Plan(PlanFlows(Flows(), transport_.nic.qps_per_connection));
  } else {
    parts.coordinator = std::make_unique<FlowCoordinator>(graph, jobs_, collectives_, true);
    parts.fabric->Drive(parts.coordinator.get());
  }
  return parts;
}

HalfRun::State HalfRun::RunUntil(Time stop) const {
  Parts parts = Make();
  PostOffice& post = parts.fabric->post_office();
  for (Time next = post.NextTime(); next < stop; next = post.NextTime()) {
    const Time edge = std::min(stop, next + parts.fabric->Lookahead());
    for (std::size_t i = 0; i < post.domains().size(); ++i) post.RunDomain(i, edge);
  }
  post.EmptyAllInboxes();
  TakeMonitorTables(*parts.fabric, stop);
  State state;
  for (std::size_t i = 0; i < post.domains().size(); ++i) {
    StateWriter writer;
    parts.fabric->Save(i, &writer);
    state.domains.emplace_back(writer.bytes().begin(), writer.bytes().end());
  }
  if (parts.coordinator) {
    StateWriter writer;
    parts.coordinator->context().SaveCollectives(&writer);
    state.collectives.assign(writer.bytes().begin(), writer.bytes().end());
  }
  return state;
}

}  // namespace heddle
