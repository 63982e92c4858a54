// SPDX-License-Identifier: GPL-2.0-only
#include "transport/fabric/flow_tables.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/base/make_column.h"
#include "core/mpi/gather_records.h"
#include "core/records/arrival_join.h"
#include "transport/controller/central_controller.h"
#include "transport/domain/fabric_domain.h"

namespace heddle {
namespace {

/// What is never started has no number: its rows are ordered by what else they tell.
bool ComesBefore(const FlowRecord& a, const FlowRecord& b) {
  if (a.flow != b.flow) return a.flow < b.flow;
  const auto rest = [](const FlowRecord& r) {
    return std::make_tuple(r.message, r.start.ps, r.origin.job, r.origin.operation,
                           r.origin.channel, r.origin.chunk, r.destination.value, r.size);
  };
  return rest(a) < rest(b);
}

/// Sorts by source and number; if a flow has several arrivals, the earliest comes first.
void SortByFlow(FlowRecords* records) {
  std::sort(records->flows.begin(), records->flows.end(), ComesBefore);
  std::sort(records->arrivals.begin(), records->arrivals.end(),
            [](const FlowArrival& a, const FlowArrival& b) {
              return a.flow != b.flow ? a.flow < b.flow : a.time < b.time;
            });
}

}  // namespace

FlowRecords TakeFlows(Fabric* fabric) {
  FlowRecords taken;
  for (const auto& domain : fabric->domains()) {
    FlowRecords records;
    domain->TakeRecords(&records.flows, &records.arrivals);
    taken.Append(records);
  }
  return taken;
}

std::vector<FlowRecord> OpenFlows(const Fabric& fabric) {
  std::vector<FlowRecord> open;
  for (const auto& domain : fabric.domains()) {
    const std::vector<FlowRecord> more = domain->Unfinished();
    open.insert(open.end(), more.begin(), more.end());
  }
  return open;
}

Table FlowTable(const Fabric& fabric, const std::vector<FlowRecord>& flows) {
  return FlowTable(flows, fabric.origins(), fabric.context().controlled());
}

Table GatherFlows(const Communicator& world, const Fabric& fabric, const FlowRecords& mine) {
  FlowRecords all{GatherRecords(world, mine.flows), GatherRecords(world, mine.arrivals)};
  SortByFlow(&all);
  Table table = FlowTable(fabric, all.flows);
  bool taken = false;
  ArrivalJoin([&] {
    return ArrivalTable(std::exchange(taken, true) ? std::vector<FlowArrival>() : all.arrivals);
  }).AddReceived(&table);
  return table;
}

Table GatherFlows(const Communicator& world, const Fabric& fabric) {
  FlowRecords mine;
  for (const auto& domain : fabric.domains()) mine.Append({domain->finished(), domain->arrivals()});
  const std::vector<FlowRecord> open = OpenFlows(fabric);
  mine.flows.insert(mine.flows.end(), open.begin(), open.end());
  return GatherFlows(world, fabric, mine);
}

}  // namespace heddle
