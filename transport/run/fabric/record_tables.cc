// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/fabric/record_tables.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/make_column.h"
#include "core/records/arrival_join.h"

namespace heddle {
namespace {

using SizeClass = FlowStatistics::SizeClass;
using Bin = FlowStatistics::Bin;

double OfSlowdown(double fixed) { return std::ldexp(fixed, -FlowStatistics::kFraction); }
double Mean(FlowStatistics::Sum sum, std::uint64_t count) {
  return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}
/// Returns 2^power, or the largest integer if that is too large.
std::int64_t PowerOfTwo(std::uint32_t power) {
  return power < 63 ? std::int64_t{1} << power : std::numeric_limits<std::int64_t>::max();
}
/// Rounds down, or to the largest integer: the end of the last bin exceeds it.
std::int64_t Whole(double value) {
  return value < 0x1p63 ? static_cast<std::int64_t>(value)
                        : std::numeric_limits<std::int64_t>::max();
}

Table SizeTable(const FlowStatistics& statistics) {
  using Row = const SizeClass&;
  RecordTable table("flow_sizes", "finished flows by size, powers of two of the payload",
                    statistics.Sizes());
  table.Add<std::int64_t>("from_bytes", "byte", "least payload of the class",
                          [](Row r) { return PowerOfTwo(r.power); });
  table.Add<std::int64_t>("to_bytes", "byte", "payload at which the next class begins",
                          [](Row r) { return PowerOfTwo(r.power + 1); });
  table.Add<std::int64_t>("flows", "1", "finished flows", [](Row r) { return r.flows; });
  table.Add<std::int64_t>("bytes", "byte", "their payload", [](Row r) { return r.bytes; });
  table.Add<double>("fct_mean_ps", "ps", "mean flow completion time",
                    [](Row r) { return Mean(r.fct_sum, r.flows); });
  table.Add<std::int64_t>("fct_max_ps", "ps", "longest flow completion time",
                          [](Row r) { return r.fct_max; });
  table.Add<double>("slowdown_mean", "1", "mean of completion time over ideal time",
                    [](Row r) { return OfSlowdown(Mean(r.slowdown_sum, r.slowdowns)); });
  table.Add<double>("slowdown_max", "1", "largest completion time over ideal time",
                    [](Row r) { return OfSlowdown(static_cast<double>(r.slowdown_max)); });
  return table.Take();
}

Table SlowdownTable(const FlowStatistics& statistics) {
  using Row = const Bin&;
  RecordTable table("slowdown_histogram",
                    "finished flows by size class and completion time over ideal time",
                    statistics.Slowdowns());
  table.Add<std::int64_t>("from_bytes", "byte", "size class, as in /flow_sizes",
                          [](Row r) { return PowerOfTwo(r.power); });
  table.Add<double>("slowdown_from", "1", "least slowdown of the bin",
                    [](Row r) { return OfSlowdown(LogBins::From(r.bin)); });
  table.Add<double>("slowdown_to", "1", "slowdown at which the next bin begins",
                    [](Row r) { return OfSlowdown(LogBins::From(r.bin + 1)); });
  table.Add<std::int64_t>("flows", "1", "finished flows", [](Row r) { return r.flows; });
  return table.Take();
}

Table CompletionTable(const FlowStatistics& statistics) {
  using Row = const Bin&;
  RecordTable table("fct_histogram", "finished flows by completion time", statistics.Completions());
  table.Add<std::int64_t>("fct_from_ps", "ps", "least flow completion time of the bin",
                          [](Row r) { return Whole(LogBins::From(r.bin)); });
  table.Add<std::int64_t>("fct_to_ps", "ps", "completion time at which the next bin begins",
                          [](Row r) { return Whole(LogBins::From(r.bin + 1)); });
  table.Add<std::int64_t>("flows", "1", "finished flows", [](Row r) { return r.flows; });
  return table.Take();
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

Table DropTable(const std::vector<DropRecord>& rows) {
  Table table{"drops", "packets lost, by port and reason", {}};
  table.columns.push_back(MakeColumn<std::uint32_t>(
      "node", "1", "where", rows, [](const DropRecord& r) { return r.node.value; }));
  table.columns.push_back(MakeColumn<std::uint32_t>(
      "port", "1",
      "buffer full, link down in a queue: the egress port; otherwise the port of arrival", rows,
      [](const DropRecord& r) { return r.port.value; }));
  table.columns.push_back(
      MakeColumn<std::string>("reason", "1", "buffer full, wire error, link down or no route", rows,
                              [](const DropRecord& r) { return ToText(r.reason); }));
  table.columns.push_back(MakeColumn<std::int64_t>("packets", "1", "packets dropped", rows,
                                                   [](const DropRecord& r) { return r.packets; }));
  return table;
}

Table PortTable(const std::vector<PortRow>& rows) {
  Table table{"ports", "totals of every port that sent or was paused", {}};
  const auto add = [&](const char* name, const char* unit, const char* description,
                       std::int64_t PortRow::*field) {
    table.columns.push_back(MakeColumn<std::int64_t>(
        name, unit, description, rows, [field](const PortRow& r) { return r.*field; }));
  };
  table.columns.push_back(MakeColumn<std::uint32_t>("node", "1", "node", rows,
                                                    [](const PortRow& r) { return r.node.value; }));
  table.columns.push_back(MakeColumn<std::uint32_t>("port", "1", "its port", rows,
                                                    [](const PortRow& r) { return r.port.value; }));
  add("sent_packets", "1", "packets put on the link, ACKs and pause frames included",
      &PortRow::sent_packets);
  add("sent_bytes", "byte", "bytes put on the link, headers included", &PortRow::sent_bytes);
  add("max_queued_bytes", "byte", "most that waited at once", &PortRow::max_queued_bytes);
  add("ecn_marked", "1", "packets marked when they left", &PortRow::marked);
  add("pauses", "1", "times that one of its priorities was paused", &PortRow::pauses);
  add("paused_ps", "ps", "time paused, summed over priorities", &PortRow::paused_ps);
  return table;
}

Table PauseCauseTable(const std::vector<PauseCauseRecord>& rows) {
  Table table{"pause_causes", "congested egress ports where pauses began, the worst first", {}};
  table.columns.push_back(MakeColumn<std::uint32_t>(
      "node", "1", "switch", rows, [](const PauseCauseRecord& r) { return r.node.value; }));
  table.columns.push_back(
      MakeColumn<std::uint32_t>("port", "1", "its egress port", rows,
                                [](const PauseCauseRecord& r) { return r.port.value; }));
  table.columns.push_back(
      MakeColumn<std::int64_t>("pauses", "1", "pauses, direct and in chains", rows,
                               [](const PauseCauseRecord& r) { return r.pauses; }));
  table.columns.push_back(
      MakeColumn<std::int64_t>("paused_ps", "ps", "time that ports were paused, summed", rows,
                               [](const PauseCauseRecord& r) { return r.paused.ps; }));
  table.columns.push_back(MakeColumn<std::uint32_t>(
      "longest_chain", "1", "pausing switches between it and the farthest port it paused", rows,
      [](const PauseCauseRecord& r) { return r.longest_chain; }));
  return table;
}

Table TierLoadTable(const std::vector<TierLoadRow>& rows) {
  using Row = const TierLoadRow&;
  RecordTable table("tier_load", "what the links of each tier carried over time", rows);
  table.Add<std::int64_t>("from_ps", "ps", "beginning of the bin", [](Row r) { return r.from.ps; });
  table.Add<std::int64_t>("to_ps", "ps", "its end; of the last one: the fabric's last event",
                          [](Row r) { return r.to.ps; });
  table.Add<std::string>("tier", "1", "which links, by the layers that they connect",
                         [](Row r) { return r.tier; });
  table.Add<std::uint32_t>("links", "1", "directed links of the tier",
                           [](Row r) { return r.links; });
  table.Add<std::int64_t>("sent_bytes", "byte",
                          "bytes of the packets whose transmission began in the bin, as far as "
                          "links could carry them in it, the rest in the next; of whole messages, "
                          "those sent in it",
                          [](Row r) { return r.bytes; });
  table.Add<double>("utilisation", "1",
                    "sent_bytes over what the links could carry at their nominal rates",
                    [](Row r) { return r.utilisation(); });
  return table.Take();
}

std::vector<Table> FlowStatisticsTables(const FlowStatistics& statistics) {
  return {SizeTable(statistics), SlowdownTable(statistics), CompletionTable(statistics)};
}

Table FlowTable(const std::vector<FlowRecord>& flows, bool origins, bool controlled) {
  Table table{
      "flows", "one row a flow, by source GPU and the order in which its flows were asked for", {}};
  AddIdentity(flows, &table);
  AddTimes(flows, &table);
  if (origins) AddOrigins(flows, &table);
  if (controlled) {
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

std::vector<Table> FlowRowTables(const FlowRecords& records, bool origins, bool controlled) {
  Table flows = FlowTable(records.flows, origins, controlled);
  std::vector<std::int64_t>& received = ReceivedOf(&flows);
  received.resize(records.flows.size(), -1);
  for (std::size_t i = 0; i < records.received.size(); ++i) received[i] = records.received[i].ps;
  return {std::move(flows), RecoveryTable(records.flows), ArrivalTable(records.arrivals)};
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

}  // namespace heddle
