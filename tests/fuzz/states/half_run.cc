// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/states/half_run.h"

#include <algorithm>
#include <utility>

#include "core/checkpoint/state_archive.h"
#include "core/options/options.h"
#include "partition/partition.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"
#include "tests/support/simulate.h"
#include "topology/routes/failures.h"

namespace heddle {
namespace {

/// Flows from all GPUs to all others, in both directions over every link.
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
  const FabricLayout layout{domains.domain_of, domains.nodes,
                            AssignDomains(graph, domains, 1, "block", 1)};
  parts.fabric = std::make_unique<Fabric>(graph, transport_, layout, RankId(0), 1, 1, Failures());
  if (jobs_.empty()) {
    static const std::vector<FlowRequest> kFlows = Flows();
    parts.trace =
        std::make_unique<TraceDriver>(kFlows, transport_.split(), transport_.send_latency);
    parts.fabric->Drive(parts.trace.get());
  } else {
    parts.coordinator = std::make_unique<FlowCoordinator>(graph, jobs_, collectives_, true);
    parts.fabric->Drive(parts.coordinator.get());
  }
  return parts;
}

HalfRun::State HalfRun::RunUntil(Time stop) const {
  const Parts parts = Make();
  PostOffice& post = parts.fabric->post_office();
  GoOn(parts, stop, UINT64_MAX);
  post.EmptyAllInboxes();
  TakeMonitorTables(*parts.fabric, stop, false);
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

HalfRun::Parts HalfRun::Load(const State& state) const {
  Parts parts = Make();
  for (std::size_t i = 0; i < state.domains.size(); ++i) {
    StateReader reader(state.domains[i].data(), state.domains[i].size());
    parts.fabric->Load(i, &reader);
  }
  if (parts.coordinator) {
    StateReader reader(state.collectives.data(), state.collectives.size());
    parts.coordinator->context().ForgetRecords();
    parts.coordinator->context().AddCollectives(&reader);
  }
  parts.fabric->post_office().Resume();
  return parts;
}

void HalfRun::GoOn(const Parts& parts, Time stop, std::uint64_t windows) {
  PostOffice& post = parts.fabric->post_office();
  const Time lookahead = parts.fabric->Lookahead();
  for (Time next = post.NextTime(); next < stop && windows > 0; next = post.NextTime(), --windows) {
    const Time edge = next > stop - lookahead ? stop : next + lookahead;
    for (std::size_t i = 0; i < post.domains().size(); ++i) post.RunDomain(i, edge);
  }
}

const std::vector<HalfRun>& HalfRuns() {
  constexpr const char* kTwoReduces =
      "MICRO\n2\nar -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 400000 1\na2a -1 0 NONE 0 0 NONE 0 0 ALLTOALL "
      "300000 1\n";
  static const std::vector<HalfRun> runs = [] {
    std::vector<HalfRun> made;
    const auto add = [&](std::vector<std::pair<const char*, const char*>> options,
                         const char* workload) {
      made.emplace_back(HalfRunInput{std::move(options), workload});
    };
    add({{"CC_MODE", "1"}, {"controller.enable", "true"}, {"monitor.kinds", "all"}}, kTwoReduces);
    add({{"CC_MODE", "3"}, {"reliability.selective_repeat", "true"}, {"link.error_rate", "0.01"}},
        nullptr);
    add({{"CC_MODE", "7"}, {"nic.qps_per_connection", "2"}}, nullptr);
    add({{"CC_MODE", "8"}, {"pfc.enabled", "false"}, {"controller.enable", "true"}}, nullptr);
    add({{"CC_MODE", "10"}, {"collective.nvls", "true"}}, kTwoReduces);
    add({{"collective.connections", "lasting"}, {"nic.qps_per_connection", "2"}}, kTwoReduces);
    return made;
  }();
  return runs;
}

}  // namespace heddle
