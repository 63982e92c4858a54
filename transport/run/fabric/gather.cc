// SPDX-License-Identifier: GPL-2.0-only
/// Gathers the ranks' results in an order that does not depend on their number, and checks that the
/// books balance.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/mpi/gather_records.h"
#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/model/record/flow_records.h"
#include "transport/run/controller/central_controller.h"
#include "transport/run/fabric/fabric.h"
#include "transport/run/fabric/record_tables.h"

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
  return DropTable(rows);
}

Table GatherPorts(const Communicator& world, const Fabric& fabric) {
  const Time end{world.Max(fabric.now().ps)};
  std::vector<PortRow> mine;
  for (const auto& domain : fabric.domains()) {
    for (const FabricDomain::Node& node : domain->nodes()) {
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
  return PortTable(rows);
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
  return PauseCauseTable(rows);
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
