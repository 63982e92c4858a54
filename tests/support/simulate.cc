// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/simulate.h"

#include <ns3/simulator.h>

#include "partition/partition.h"

namespace heddle::testing {

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
  RunEngine(kind, world, setup);
  // heddle's engine may run again in this process; each run then starts at time 0 with a simulator of its own.
  if (kind == EngineKind::kDomain) ns3::Simulator::Destroy();
  Outcome outcome;
  outcome.books = CheckConservation(world, fabric);
  outcome.flows = GatherFlows(world, fabric);
  outcome.drops = GatherDrops(world, fabric);
  outcome.ports = GatherPorts(world, fabric);
  outcome.pause_causes = GatherPauseCauses(world, fabric);
  outcome.deadlock = FindDeadlock(world, fabric);
  outcome.monitors = TakeMonitorTables(fabric, Time::Max());
  outcome.end = Time{world.Max(fabric.now().ps)};
  return outcome;
}

}  // namespace heddle::testing
