// SPDX-License-Identifier: GPL-2.0-only
/// Gathers the ranks' results in an order that does not depend on their number, and checks that the
/// books balance.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/make_column.h"
#include "core/mpi/gather_records.h"
#include "transport/controller/central_controller.h"
#include "transport/domain/fabric_domain.h"
#include "transport/fabric/fabric.h"
#include "transport/record/flow_records.h"

namespace heddle {

Table GatherDrops(const Communicator& world, const Fabric& fabric) {
  std::vector<DropRecord> mine;
  for (const auto& domain : fabric.domains())
    mine.insert(mine.end(), domain->drops().begin(), domain->drops().end());
  std::vector<DropRecord> rows = GatherRecords(world, mine);
  std::sort(rows.begin(), rows.end(), [](const DropRecord& a, const DropRecord& b) {
    return std::tie(a.node.value, a.port.value, a.reason) <
           std::tie(b.node.value, b.port.value, b.reason);
  });
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

namespace {

struct PortRow {
  NodeId node;
  PortId port;
  std::int64_t sent_packets = 0, sent_bytes = 0, max_queued_bytes = 0, marked = 0, pauses = 0,
               paused_ps = 0;
};

}  // namespace

Table GatherPorts(const Communicator& world, const Fabric& fabric) {
  const Time end{world.Max(fabric.now().ps)};
  std::vector<PortRow> mine;
  for (const auto& domain : fabric.domains()) {
    for (const FabricDomain::NodeView& node : domain->nodes()) {
      for (std::uint32_t p = 0; p < node.ports; ++p) {
        const std::uint32_t index = node.first_port + p;
        const Port& port = domain->port(index);
        const PortExtras& extras = domain->extras(index);
        if (port.sent == 0 && extras.pauses == 0) continue;
        mine.push_back({node.id, PortId(p), port.sent, port.sent_bytes, port.max_queued_bytes,
                        extras.marked, extras.pauses, domain->PausedTime(index, end).ps});
      }
    }
  }
  std::vector<PortRow> rows = GatherRecords(world, mine);
  std::sort(rows.begin(), rows.end(), [](const PortRow& a, const PortRow& b) {
    return a.node != b.node ? a.node < b.node : a.port < b.port;
  });
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

Table GatherPauseCauses(const Communicator& world, const Fabric& fabric) {
  const Time end{world.Max(fabric.now().ps)};
  std::vector<PauseCauseRecord> mine;
  for (const auto& domain : fabric.domains()) {
    const std::vector<PauseCauseRecord> causes = domain->PauseCauses(end);
    mine.insert(mine.end(), causes.begin(), causes.end());
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, PauseCauseRecord> by_port;
  for (const PauseCauseRecord& record : GatherRecords(world, mine)) {
    PauseCauseRecord& sum = by_port[{record.node.value, record.port.value}];
    sum.node = record.node;
    sum.port = record.port;
    sum.pauses += record.pauses;
    sum.paused += record.paused;
    sum.longest_chain = std::max(sum.longest_chain, record.longest_chain);
  }
  std::vector<PauseCauseRecord> rows;
  for (const auto& [port, record] : by_port) rows.push_back(record);
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const PauseCauseRecord& a, const PauseCauseRecord& b) { return a.paused > b.paused; });
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

std::string FindDeadlock(const Communicator& world, const Fabric& fabric) {
  std::vector<PauseEdge> mine;
  for (const auto& domain : fabric.domains()) {
    const std::vector<PauseEdge> edges = domain->PauseEdges();
    mine.insert(mine.end(), edges.begin(), edges.end());
  }
  const auto cycle = FindPauseCycle(GatherRecords(world, mine));
  return cycle.empty() ? "" : DescribeCycle(*fabric.context().graph, cycle);
}

DomainBooks CheckConservation(const Communicator& world, Fabric& fabric) {
  fabric.post_office().EmptyAllInboxes();
  DomainBooks books = fabric.Books();
  std::int64_t flying_packets = 0;
  std::int64_t flying_bytes = 0;
  for (const auto& domain : fabric.domains()) domain->CountInFlight(&flying_packets, &flying_bytes);
  const auto counts = books.Values();
  std::vector<std::int64_t> sums(counts.begin(), counts.end());
  sums.push_back(flying_packets);
  sums.push_back(flying_bytes);
  world.Sum(&sums);
  for (int i = 0; i < DomainBooks::kCount; ++i) *books.Counts()[i] = sums[i];
  flying_packets = sums[DomainBooks::kCount];
  flying_bytes = sums[DomainBooks::kCount + 1];
  for (std::int64_t* most : books.Maxima()) *most = world.Max(*most);
  const bool packets_balance =
      books.injected_packets == books.received_packets + books.dropped_packets + flying_packets;
  const bool bytes_balance = books.injected_bytes == books.received_bytes + books.dropped_bytes +
                                                         books.trimmed_bytes + flying_bytes;
  if (!packets_balance || !bytes_balance) {
    throw SharedError(
        ExitCode::kInvariantViolated,
        fmt::format("conservation is broken: {} packets ({} bytes) were sent, {} ({}) received, {} "
                    "({}) dropped, {} ({}) trimmed, {} ({}) are in flight: "
                    "{} packets are missing. The result is not to be trusted",
                    books.injected_packets, books.injected_bytes, books.received_packets,
                    books.received_bytes, books.dropped_packets, books.dropped_bytes,
                    books.trimmed_packets, books.trimmed_bytes, flying_packets, flying_bytes,
                    books.injected_packets - books.received_packets - books.dropped_packets -
                        flying_packets));
  }
  return books;
}

void CheckHeldPaths(const Communicator& world, const Fabric& fabric) {
  if (!fabric.context().controlled()) return;
  std::int64_t known = 0;
  for (const auto& domain : fabric.domains())
    known += static_cast<std::int64_t>(domain->HeldPaths());
  known = world.Sum(known);
  const std::int64_t held =
      world.Sum(fabric.controller() != nullptr ? fabric.controller()->figures().held : 0);
  if (known == held) return;
  throw SharedError(ExitCode::kInvariantViolated,
                    fmt::format("the controller holds {} paths, but {} flows that have not ended "
                                "have one. The result is not to be "
                                "trusted",
                                held, known));
}

}  // namespace heddle
