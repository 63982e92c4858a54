// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/fabric/flow_tables.h"

#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/run/controller/central_controller.h"
#include "transport/run/fabric/gathered_records.h"

namespace heddle {
std::vector<FlowLists> NewFlows(const Fabric& fabric) {
  std::vector<FlowLists> lists;
  for (const auto& domain : fabric.domains())
    lists.push_back({&domain->finished(), &domain->arrivals()});
  return lists;
}

void DropFlows(Fabric* fabric) {
  for (const auto& domain : fabric->domains()) domain->DropRecords();
}

std::vector<FlowRecord> OpenFlows(const Fabric& fabric) {
  std::vector<FlowRecord> open;
  for (const auto& domain : fabric.domains()) {
    const std::vector<FlowRecord> more = domain->Unfinished();
    open.insert(open.end(), more.begin(), more.end());
  }
  return open;
}

Table GatherFlows(const Communicator& world, const Fabric& fabric, const FlowRecords& mine) {
  return GatherFlowTable(world, mine, fabric.origins(), fabric.context().controlled());
}

Table GatherFlows(const Communicator& world, const Fabric& fabric) {
  FlowRecords mine;
  for (const FlowLists& list : NewFlows(fabric)) mine.Append(list);
  const std::vector<FlowRecord> open = OpenFlows(fabric);
  mine.flows.insert(mine.flows.end(), open.begin(), open.end());
  return GatherFlows(world, fabric, mine);
}

}  // namespace heddle
