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

void AddIdentity(const std::vector<FlowRecord>& rows, Table* table) {
  auto& columns = table->columns;
  columns.push_back(MakeColumn<std::uint32_t>(
      "src", "1", "GPU that sends", rows, [](const FlowRecord& r) { return r.flow.source.value; }));
  columns.push_back(
      MakeColumn<std::uint32_t>("dst", "1", "GPU that receives", rows,
                                [](const FlowRecord& r) { return r.destination.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("number", "1",
                                              "running number of the flow at its source", rows,
                                              [](const FlowRecord& r) { return r.flow.number; }));
  columns.push_back(MakeColumn<std::uint32_t>(
      "message", "1",
      "running number of the message at its source; several queue pairs may carry one", rows,
      [](const FlowRecord& r) { return r.message; }));
  columns.push_back(MakeColumn<std::uint16_t>("source_port", "1",
                                              "UDP source port, which chooses the path", rows,
                                              [](const FlowRecord& r) { return r.source_port; }));
  columns.push_back(
      MakeColumn<std::uint16_t>("destination_port", "1", "UDP destination port", rows,
                                [](const FlowRecord& r) { return r.destination_port; }));
  columns.push_back(MakeColumn<std::uint8_t>("priority", "1", "priority of its data, 1 to 7", rows,
                                             [](const FlowRecord& r) { return r.priority; }));
}

void AddTimes(const std::vector<FlowRecord>& rows, Table* table) {
  auto& columns = table->columns;
  columns.push_back(MakeColumn<std::int64_t>("size_bytes", "byte", "payload", rows,
                                             [](const FlowRecord& r) { return r.size; }));
  columns.push_back(MakeColumn<std::int64_t>("start_ps", "ps", "creation of the queue pair", rows,
                                             [](const FlowRecord& r) { return r.start.ps; }));
  columns.push_back(MakeColumn<std::int64_t>("fct_ps", "ps",
                                             "flow completion time: from start to the last "
                                             "acknowledgement at the sender; -1: not finished",
                                             rows,
                                             [](const FlowRecord& r) { return r.completion.ps; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "ideal_ps", "ps",
      "completion time of the flow alone on its path in the healthy fabric; 0: unknown", rows,
      [](const FlowRecord& r) { return r.ideal.ps; }));
  columns.push_back(MakeColumn<std::uint8_t>(
      "state", "1", FlowStateValues().c_str(), rows,
      [](const FlowRecord& r) { return static_cast<std::uint8_t>(r.state); }));
}

/// Adds the columns that name each flow's collective.
void AddOrigins(const std::vector<FlowRecord>& rows, Table* table) {
  auto& columns = table->columns;
  columns.push_back(MakeColumn<std::uint16_t>("job", "1", "job that sent it", rows,
                                              [](const FlowRecord& r) { return r.origin.job; }));
  columns.push_back(
      MakeColumn<std::uint32_t>("operation", "1", "its collective's number within the job", rows,
                                [](const FlowRecord& r) { return r.origin.operation; }));
  columns.push_back(
      MakeColumn<std::uint16_t>("channel", "1", "channel of the collective", rows,
                                [](const FlowRecord& r) { return r.origin.channel; }));
  columns.push_back(MakeColumn<std::uint32_t>("chunk", "1", "ring: the step; otherwise the piece",
                                              rows,
                                              [](const FlowRecord& r) { return r.origin.chunk; }));
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
  Table table{
      "flows", "one row a flow, by source GPU and the order in which its flows were asked for", {}};
  AddIdentity(flows, &table);
  AddTimes(flows, &table);
  if (fabric.origins()) AddOrigins(flows, &table);
  if (fabric.context().controlled()) {
    table.columns.push_back(
        MakeColumn<std::uint32_t>("request", "1",
                                  "number of its request to the controller at its source; "
                                  "4294967295: the controller had no say",
                                  flows, [](const FlowRecord& r) { return r.request; }));
  }
  return table;
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
