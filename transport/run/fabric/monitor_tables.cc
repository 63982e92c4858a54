// SPDX-License-Identifier: GPL-2.0-only
/// A rank's samples as tables (their columns are part of the result format,
/// docs/formats/result.md).
#include <algorithm>
#include <utility>

#include "core/base/make_column.h"
#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/run/fabric/fabric.h"

namespace heddle {
namespace {

template <class Row>
void Append(std::vector<Row>* all, std::vector<Row>&& more) {
  all->insert(all->end(), more.begin(), more.end());
}

template <class Row>
void AddPlace(Table* table, const std::vector<Row>& rows) {
  table->columns.push_back(MakeColumn<std::int64_t>("time_ps", "ps", "simulated time", rows,
                                                    [](const Row& r) { return r.time.ps; }));
  table->columns.push_back(MakeColumn<std::uint32_t>("node", "1", "node", rows,
                                                     [](const Row& r) { return r.node.value; }));
  table->columns.push_back(MakeColumn<std::uint32_t>("port", "1", "its port", rows,
                                                     [](const Row& r) { return r.port.value; }));
}

Table QueueTable(const std::vector<QueueSample>& rows) {
  Table table{"monitors/queues", "queues whose length has changed since the sample before", {}};
  AddPlace(&table, rows);
  table.columns.push_back(MakeColumn<std::uint8_t>(
      "priority", "1", "queue, 0 to 7", rows, [](const QueueSample& r) { return r.priority; }));
  table.columns.push_back(
      MakeColumn<std::int64_t>("queued_bytes", "byte", "length of the queue", rows,
                               [](const QueueSample& r) { return r.queued_bytes; }));
  table.columns.push_back(
      MakeColumn<std::int64_t>("port_bytes", "byte", "of all queues of the port", rows,
                               [](const QueueSample& r) { return r.port_bytes; }));
  return table;
}

Table LinkTable(const std::vector<LinkSample>& rows, const SampleGrid& grid) {
  Table table{"monitors/links", "ports that have sent since the sample before", {}};
  AddPlace(&table, rows);
  table.columns.push_back(
      MakeColumn<std::int64_t>("sent_bytes", "byte", "put on the link since the sample before",
                               rows, [](const LinkSample& r) { return r.sent_bytes; }));
  table.columns.push_back(MakeColumn<double>(
      "throughput_gbps", "Gbit/s", "sent_bytes over the time since the sample before", rows,
      [grid](const LinkSample& r) {
        const Time length = r.time - grid.Before(r.time);
        return static_cast<double>(r.sent_bytes) * 8e3 / static_cast<double>(length.ps);
      }));
  return table;
}

Table PairTable(const char* name, const char* description, const std::vector<PairSample>& rows,
                const char* column, const char* unit, const char* meaning) {
  Table table{name, description, {}};
  auto& columns = table.columns;
  columns.push_back(MakeColumn<std::int64_t>("time_ps", "ps", "simulated time", rows,
                                             [](const PairSample& r) { return r.time.ps; }));
  columns.push_back(MakeColumn<std::uint32_t>(
      "src", "1", "sender", rows, [](const PairSample& r) { return r.flow.source.value; }));
  columns.push_back(MakeColumn<std::uint32_t>(
      "dst", "1", "receiver", rows, [](const PairSample& r) { return r.destination.value; }));
  columns.push_back(MakeColumn<std::uint16_t>("source_port", "1", "UDP source port", rows,
                                              [](const PairSample& r) { return r.source_port; }));
  columns.push_back(
      MakeColumn<std::uint16_t>("destination_port", "1", "UDP destination port", rows,
                                [](const PairSample& r) { return r.destination_port; }));
  columns.push_back(MakeColumn<std::int64_t>("size_bytes", "byte", "payload of the flow", rows,
                                             [](const PairSample& r) { return r.size; }));
  columns.push_back(MakeColumn<std::int64_t>(column, unit, meaning, rows,
                                             [](const PairSample& r) { return r.value; }));
  return table;
}

Table PauseTable(const std::vector<PauseRecord>& rows) {
  Table table{"pfc", "pauses and resumes that took effect, where they were received", {}};
  AddPlace(&table, rows);
  const auto add = [&](const char* name, const char* description, auto field) {
    table.columns.push_back(MakeColumn<std::uint32_t>(
        name, "1", description, rows, [field](const PauseRecord& r) { return (r.*field).value; }));
  };
  table.columns.push_back(MakeColumn<std::uint8_t>(
      "priority", "1", "1 to 7", rows, [](const PauseRecord& r) { return r.priority; }));
  table.columns.push_back(MakeColumn<std::uint8_t>("pause", "1", "1 pause, 0 resume", rows,
                                                   [](const PauseRecord& r) { return r.pause; }));
  add("cause_node", "switch that paused", &PauseRecord::cause_node);
  add("cause_port", "its egress port that filled up", &PauseRecord::cause_port);
  add("root_node", "switch where the chain of pauses began", &PauseRecord::root_node);
  add("root_port", "its congested egress port", &PauseRecord::root_port);
  table.columns.push_back(MakeColumn<std::uint8_t>(
      "depth", "1", "pausing switches between that port and the one that paused", rows,
      [](const PauseRecord& r) { return std::min(r.depth, 255U); }));
  return table;
}

Table WeightTable(const std::vector<WeightSample>& rows) {
  Table table{"monitors/cast", "queue pairs of connections whose weights were computed", {}};
  auto& columns = table.columns;
  columns.push_back(MakeColumn<std::int64_t>("time_ps", "ps", "simulated time", rows,
                                             [](const WeightSample& r) { return r.time.ps; }));
  columns.push_back(MakeColumn<std::uint32_t>(
      "src", "1", "sender", rows, [](const WeightSample& r) { return r.source.value; }));
  columns.push_back(MakeColumn<std::uint32_t>(
      "dst", "1", "receiver", rows, [](const WeightSample& r) { return r.destination.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("connection", "1",
                                              "name among the connections of the two", rows,
                                              [](const WeightSample& r) { return r.connection; }));
  columns.push_back(MakeColumn<std::uint8_t>("priority", "1", "priority of its data, 1 to 7", rows,
                                             [](const WeightSample& r) { return r.priority; }));
  columns.push_back(MakeColumn<std::uint16_t>("queue_pair", "1", "within the connection", rows,
                                              [](const WeightSample& r) { return r.queue_pair; }));
  columns.push_back(MakeColumn<double>("weight", "1", "share of the connection's bytes or requests",
                                       rows, [](const WeightSample& r) { return r.weight; }));
  columns.push_back(MakeColumn<std::int64_t>("estimate_ps", "ps",
                                             "of the round trip beyond the payload's time", rows,
                                             [](const WeightSample& r) { return r.estimate.ps; }));
  columns.push_back(MakeColumn<std::int64_t>("posted_bytes", "byte", "given to it so far", rows,
                                             [](const WeightSample& r) { return r.bytes; }));
  return table;
}

}  // namespace

std::vector<Table> TakeMonitorTables(const Fabric& fabric, TrafficEnd end, bool is_end) {
  const MonitorOptions& options = fabric.context().options.monitors;
  MonitorRecords all;
  for (const auto& domain : fabric.domains()) {
    MonitorRecords taken = domain->TakeMonitorRecords(end.time(), is_end);
    Append(&all.queues, std::move(taken.queues));
    Append(&all.links, std::move(taken.links));
    Append(&all.rates, std::move(taken.rates));
    Append(&all.cnps, std::move(taken.cnps));
    Append(&all.pauses, std::move(taken.pauses));
    Append(&all.weights, std::move(taken.weights));
  }
  std::vector<Table> tables;
  if (options.queues) tables.push_back(QueueTable(all.queues));
  if (options.links) tables.push_back(LinkTable(all.links, options.link_grid()));
  if (options.rates) {
    tables.push_back(PairTable("monitors/rates",
                               "queue pairs whose rate has changed since the sample before",
                               all.rates, "rate_bps", "bit/s", "sending rate"));
  }
  if (options.cnps) {
    tables.push_back(PairTable(
        "monitors/cnps", "queue pairs that had congestion notifications since the sample before",
        all.cnps, "cnps", "1", "ACKs with the CNP flag since its start"));
  }
  if (options.pfc) tables.push_back(PauseTable(all.pauses));
  if (options.cast) tables.push_back(WeightTable(all.weights));
  return tables;
}

}  // namespace heddle
