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
#include "transport/fabric/record_tables.h"

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

Table RecoveryTable(const std::vector<FlowRecord>& flows) {
  std::vector<FlowRecord> rows;
  std::copy_if(flows.begin(), flows.end(), std::back_inserter(rows),
               [](const FlowRecord& flow) { return flow.recovery.any(); });
  RecordTable<FlowRecord> table("recovery",
                                "flows that lost packets, or seemed to, and what that cost them",
                                std::move(rows));
  table.Add<std::uint32_t>("src", "1", "GPU that sends",
                           [](const FlowRecord& r) { return r.flow.source.value; });
  table.Add<std::uint32_t>("number", "1", "running number of the flow at its source",
                           [](const FlowRecord& r) { return r.flow.number; });
  table.Add<std::uint16_t>("timeouts", "1", "retransmission timeouts; 65535: that many or more",
                           [](const FlowRecord& r) { return r.recovery.timeouts; });
  table.Add<std::int64_t>("waited_ps", "ps", "time without progress before these timeouts, in all",
                          [](const FlowRecord& r) { return r.recovery.waited.ps; });
  table.Add<std::uint32_t>("nacks", "1", "NACKs that its sender received",
                           [](const FlowRecord& r) { return r.recovery.nacks; });
  table.Add<std::int64_t>("resent_bytes", "byte", "payload sent again",
                          [](const FlowRecord& r) { return r.recovery.resent_bytes; });
  return table.Take();
}

Table ArrivalTable(const std::vector<FlowArrival>& arrivals) {
  Table table{"arrivals", "last bytes of flows at their receivers", {}};
  table.columns.push_back(
      MakeColumn<std::uint32_t>("src", "1", "GPU that sends", arrivals,
                                [](const FlowArrival& r) { return r.flow.source.value; }));
  table.columns.push_back(
      MakeColumn<std::uint32_t>("number", "1", "running number of the flow at its source", arrivals,
                                [](const FlowArrival& r) { return r.flow.number; }));
  table.columns.push_back(MakeColumn<std::int64_t>("time_ps", "ps", "arrival", arrivals,
                                                   [](const FlowArrival& r) { return r.time.ps; }));
  return table;
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
