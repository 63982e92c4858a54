// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/simulate.h"

#include <ns3/simulator.h>

#include <type_traits>
#include <variant>

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

}  // namespace

Outcome Simulate(const Graph& graph, const std::vector<FlowRequest>& flows, const TransportOptions& options,
                 const Cut& cut, EngineKind kind, const Communicator& world, const std::vector<LinkEvent>& failures) {
  const Domains domains = MakeDomains(graph, {Time{0}, cut.grain});
  const Assignment ranks = AssignDomains(graph, domains, world.size(), cut.partitioner, 7);
  Fabric fabric(graph, options, {domains.domain_of, domains.nodes, ranks}, world.rank(), world.size(), cut.seed, failures);
  fabric.Plan(PlanFlows(flows, options.nic.qps_per_connection));
  EngineSetup setup;
  setup.post_office = &fabric.post_office();
  setup.lookahead = domains.lookahead == Time::Max() ? MicroSeconds(1) : domains.lookahead;
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
  outcome.flows = GatherFlows(world, fabric);
  outcome.drops = GatherDrops(world, fabric);
  outcome.ports = GatherPorts(world, fabric);
  outcome.pause_causes = GatherPauseCauses(world, fabric);
  outcome.deadlock = FindDeadlock(world, fabric);
  Append(TakeMonitorTables(fabric, Time::Max()), &outcome.monitors);
  outcome.end = Time{world.Max(fabric.now().ps)};
  return outcome;
}

}  // namespace heddle::testing
