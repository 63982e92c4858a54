// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/simulate.h"

#include <ns3/simulator.h>

#include <type_traits>
#include <utility>
#include <variant>

#include "collectives/collective_tables.h"
#include "collectives/flow_coordinator.h"
#include "collectives/job_tables.h"
#include "io/simai_workload.h"
#include "partition/partition.h"

namespace heddle::testing {
namespace {

/// The rows of each table behind those of the same table.
void Append(const std::vector<Table>& more, std::vector<Table>* tables) {
  if (tables->empty()) {
    *tables = more;
    return;
  }
  for (std::size_t t = 0; t < more.size(); ++t) {
    for (std::size_t c = 0; c < more[t].columns.size(); ++c) {
      std::visit(
          [&](auto& values) {
            const auto& added = std::get<std::decay_t<decltype(values)>>(more[t].columns[c].data);
            values.insert(values.end(), added.begin(), added.end());
          },
          (*tables)[t].columns[c].data);
    }
  }
}

/// `set_up` gives the fabric its traffic; `collect` adds what it knows.
template <class SetUp, class Collect>
Outcome Run(const Graph& graph, const TransportOptions& options, const Cut& cut, EngineKind kind, const Communicator& world,
            const std::vector<LinkEvent>& failures, SetUp set_up, Collect collect) {
  const Domains domains = MakeDomains(graph, {Time{0}, cut.grain});
  const Assignment ranks = AssignDomains(graph, domains, world.size(), cut.partitioner, 7);
  Fabric fabric(graph, options, {domains.domain_of, domains.nodes, ranks}, world.rank(), world.size(), cut.seed, failures);
  EngineSetup setup;
  fabric.RecordFlows(cut.sample);
  set_up(&fabric);
  setup.lookahead = fabric.Lookahead();
  setup.post_office = &fabric.post_office();
  setup.neighbours = fabric.NeighbourRanks();
  Outcome outcome;
  if (cut.check_every >= 0) {
    setup.report_interval = cut.check_every;
    setup.on_cut = [&](const heddle::Cut& at) {
      CheckConservation(world, fabric);
      Append(TakeMonitorTables(fabric, at.now), &outcome.monitors);
    };
  }
  RunEngine(kind, world, setup);
  // heddle's engine may run again in this process; each run then starts at time 0 with a simulator of its own.
  if (kind == EngineKind::kDomain) ns3::Simulator::Destroy();
  outcome.books = CheckConservation(world, fabric);
  CheckHeldPaths(world, fabric);
  outcome.controller = ControllerTables(fabric);
  outcome.flows = GatherFlows(world, fabric);
  outcome.drops = GatherDrops(world, fabric);
  outcome.ports = GatherPorts(world, fabric);
  outcome.pause_causes = GatherPauseCauses(world, fabric);
  outcome.statistics = GatherFlowStatistics(world, fabric);
  outcome.statistics.push_back(GatherTierLoad(world, fabric));
  outcome.deadlock = FindDeadlock(world, fabric);
  Append(TakeMonitorTables(fabric, Time::Max()), &outcome.monitors);
  outcome.end = Time{world.Max(fabric.now().ps)};
  outcome.flow_digest = static_cast<std::uint64_t>(world.Sum(static_cast<std::int64_t>(fabric.flow_digest())));
  collect(&outcome);
  return outcome;
}

}  // namespace

Outcome Simulate(const Graph& graph, const std::vector<FlowRequest>& flows, const TransportOptions& options,
                 const Cut& cut, EngineKind kind, const Communicator& world, const std::vector<LinkEvent>& failures) {
  const auto plan = [&](Fabric* fabric) { fabric->Plan(PlanFlows(flows, options.nic.qps_per_connection)); };
  return Run(graph, options, cut, kind, world, failures, plan, [](Outcome*) {});
}

Outcome SimulateJobs(const Graph& graph, const std::vector<Job>& jobs, const CollectiveOptions& collectives,
                     const TransportOptions& options, const Cut& cut, EngineKind kind, const Communicator& world,
                     const std::vector<LinkEvent>& failures) {
  FlowCoordinator coordinator(graph, jobs, collectives, true);
  const auto drive = [&](Fabric* fabric) { fabric->Drive(&coordinator); };
  const auto collect = [&](Outcome* outcome) {
    const ExecutionContext& found = coordinator.context();
    const AlgorithmOf algorithm = [&](std::uint32_t job, std::uint32_t op, std::uint32_t group) {
      return coordinator.context().jobs[job]->Collective(op, group).choice;
    };
    outcome->jobs = {GatherJobs(world, jobs, found.finishes), GatherRanks(world, jobs, found.finishes),
                     GatherCollectives(world, jobs, found.collectives, algorithm), GatherLayers(world, jobs, found.layers),
                     GatherSteps(world, jobs, found.steps)};
    outcome->end = Time{world.Max(coordinator.end().ps)};
    for (const auto& [gpu, text] : coordinator.Waiting(100)) outcome->waiting.push_back(text);
  };
  return Run(graph, options, cut, kind, world, failures, drive, collect);
}

Outcome SimulateDriven(const Graph& graph, FlowDriver* driver, const TransportOptions& options, const Cut& cut) {
  const auto drive = [&](Fabric* fabric) { fabric->Drive(driver); };
  return Run(graph, options, cut, EngineKind::kDomain, Communicator::Serial(), {}, drive, [](Outcome*) {});
}

Job MakeJob(const Graph& graph, const std::string& workload, std::vector<NodeId> gpus, Time start, std::uint32_t passes) {
  Workload parsed = ParseSimaiWorkload(workload, "test");
  if (gpus.empty()) {
    for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) gpus.push_back(NodeId(gpu));
  }
  const auto ranks = static_cast<std::uint32_t>(gpus.size());
  const ParallelGroups groups(DefaultSizes(parsed, ranks, graph.gpus_per_server()), ranks, "test");
  Program program = MakeProgram(parsed, groups, passes);
  return {"test", std::move(parsed), groups, std::move(program), std::move(gpus), start, Placement::kList};
}

}  // namespace heddle::testing
