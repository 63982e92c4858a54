// SPDX-License-Identifier: GPL-2.0-only
/// What the ranks found, brought together in an order that no rank count changes; and the books, balanced.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "transport/fabric.h"

namespace heddle {
namespace {

/// All ranks' records at the root, in rank order.
template <class Record>
std::vector<Record> GatherRecords(const Communicator& world, const std::vector<Record>& mine) {
  static_assert(std::is_trivially_copyable_v<Record>);
  std::vector<char> bytes(mine.size() * sizeof(Record));
  if (!mine.empty()) std::memcpy(bytes.data(), mine.data(), bytes.size());
  std::vector<Record> all;
  for (const std::vector<char>& part : world.Gather(bytes)) {
    const std::size_t count = part.size() / sizeof(Record);
    const std::size_t at = all.size();
    all.resize(at + count);
    if (count > 0) std::memcpy(static_cast<void*>(all.data() + at), part.data(), part.size());
  }
  return all;
}

template <class Value, class Rows, class Get>
Column MakeColumn(const char* name, const char* unit, const char* description, const Rows& rows, Get get) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<Value>(get(row)));
  return {name, unit, description, std::move(values)};
}

struct FlowRow {
  FlowRecord flow;
  std::int64_t received_ps;
};

std::vector<FlowRow> JoinArrivals(std::vector<FlowRecord> flows, std::vector<FlowArrival> arrivals) {
  std::sort(flows.begin(), flows.end(), [](const FlowRecord& a, const FlowRecord& b) { return a.flow < b.flow; });
  std::sort(arrivals.begin(), arrivals.end(),
            [](const FlowArrival& a, const FlowArrival& b) { return a.flow < b.flow; });
  std::vector<FlowRow> rows;
  rows.reserve(flows.size());
  auto arrival = arrivals.begin();
  for (const FlowRecord& flow : flows) {
    while (arrival != arrivals.end() && arrival->flow < flow.flow) ++arrival;
    const bool arrived = arrival != arrivals.end() && arrival->flow == flow.flow;
    rows.push_back({flow, arrived ? (arrival->time - flow.start).ps : -1});
  }
  return rows;
}

}  // namespace

Table GatherFlows(const Communicator& world, const Fabric& fabric) {
  std::vector<FlowRecord> mine;
  std::vector<FlowArrival> my_arrivals;
  for (const auto& domain : fabric.domains()) {
    mine.insert(mine.end(), domain->finished().begin(), domain->finished().end());
    const std::vector<FlowRecord> open = domain->Unfinished();
    mine.insert(mine.end(), open.begin(), open.end());
    my_arrivals.insert(my_arrivals.end(), domain->arrivals().begin(), domain->arrivals().end());
  }
  const std::vector<FlowRow> rows = JoinArrivals(GatherRecords(world, mine), GatherRecords(world, my_arrivals));
  Table table{"flows", "one row a flow, by source GPU and the order in which its flows were asked for", {}};
  auto& columns = table.columns;
  columns.push_back(MakeColumn<std::uint32_t>("src", "1", "GPU that sends", rows,
                                              [](const FlowRow& r) { return r.flow.flow.source.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("dst", "1", "GPU that receives", rows,
                                              [](const FlowRow& r) { return r.flow.destination.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("number", "1", "running number of the flow at its source", rows,
                                              [](const FlowRow& r) { return r.flow.flow.number; }));
  columns.push_back(MakeColumn<std::uint16_t>("source_port", "1", "UDP source port, which chooses the path", rows,
                                              [](const FlowRow& r) { return r.flow.source_port; }));
  columns.push_back(MakeColumn<std::uint16_t>("destination_port", "1", "UDP destination port", rows,
                                              [](const FlowRow& r) { return r.flow.destination_port; }));
  columns.push_back(MakeColumn<std::uint8_t>("priority", "1", "priority of its data, 0 to 7", rows,
                                             [](const FlowRow& r) { return r.flow.priority; }));
  columns.push_back(MakeColumn<std::int64_t>("size_bytes", "byte", "payload", rows,
                                             [](const FlowRow& r) { return r.flow.size; }));
  columns.push_back(MakeColumn<std::int64_t>("start_ps", "ps", "creation of the queue pair", rows,
                                             [](const FlowRow& r) { return r.flow.start.ps; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "fct_ps", "ps", "flow completion time: from start to the last acknowledgement at the sender; -1: not finished",
      rows, [](const FlowRow& r) { return r.flow.completion.ps; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "received_ps", "ps", "from start to the arrival of the last byte at the receiver; -1: not arrived", rows,
      [](const FlowRow& r) { return r.received_ps; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "ideal_ps", "ps", "completion time of the flow alone, by SimAI's formula (standalone_fct)", rows,
      [](const FlowRow& r) { return r.flow.ideal.ps; }));
  return table;
}

Table GatherDrops(const Communicator& world, const Fabric& fabric) {
  std::vector<DropRecord> mine;
  for (const auto& domain : fabric.domains()) mine.insert(mine.end(), domain->drops().begin(), domain->drops().end());
  std::vector<DropRecord> rows = GatherRecords(world, mine);
  std::sort(rows.begin(), rows.end(), [](const DropRecord& a, const DropRecord& b) {
    return a.node != b.node ? a.node < b.node : a.port < b.port;
  });
  Table table{"drops", "packets lost for want of buffer, by switch port that they were meant for", {}};
  table.columns.push_back(MakeColumn<std::uint32_t>("node", "1", "switch", rows,
                                                    [](const DropRecord& r) { return r.node.value; }));
  table.columns.push_back(MakeColumn<std::uint32_t>("port", "1", "egress port of the switch", rows,
                                                    [](const DropRecord& r) { return r.port.value; }));
  table.columns.push_back(MakeColumn<std::int64_t>("packets", "1", "packets dropped", rows,
                                                   [](const DropRecord& r) { return r.packets; }));
  return table;
}

DomainBooks CheckConservation(const Communicator& world, Fabric& fabric) {
  fabric.post_office().EmptyAllInboxes();
  DomainBooks books = fabric.Books();
  std::int64_t flying_packets = 0;
  std::int64_t flying_bytes = 0;
  for (const auto& domain : fabric.domains()) domain->CountInFlight(&flying_packets, &flying_bytes);
  std::vector<std::int64_t> sums = {books.injected_packets, books.injected_bytes, books.received_packets,
                                    books.received_bytes,   books.dropped_packets, books.dropped_bytes,
                                    books.link_packets,     books.flows_started,   books.flows_finished,
                                    books.out_of_order,     flying_packets,        flying_bytes};
  world.Sum(&sums);
  books = {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8], sums[9]};
  if (sums[0] != sums[2] + sums[4] + sums[10] || sums[1] != sums[3] + sums[5] + sums[11]) {
    throw SharedError(ExitCode::kInvariantViolated, fmt::format(
        "conservation is broken: hosts sent {} packets ({} bytes), received {} ({}), switches dropped {} ({}), in flight "
        "are {} ({}): {} packets are missing. The result is not to be trusted",
        sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[10], sums[11],
        sums[0] - sums[2] - sums[4] - sums[10]));
  }
  return books;
}

}  // namespace heddle
