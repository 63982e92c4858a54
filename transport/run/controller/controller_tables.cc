// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/controller/controller_tables.h"

#include <cstdint>
#include <utility>

#include "core/base/make_column.h"

namespace heddle {
namespace {

/// A hop of a reserved path.
struct HopRow {
  std::uint32_t row;
  std::size_t number;
  Hop hop;
  NodeId peer;
};

std::vector<HopRow> HopRows(const CentralController& controller) {
  const Graph& graph = controller.graph();
  std::vector<HopRow> rows;
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < controller.decisions().size(); ++row) {
    for (std::size_t number = 0; number < controller.decisions()[row].hops; ++number) {
      const Hop hop = controller.hop_numbers().At(controller.path_hops()[next++]);
      rows.push_back({row, number, hop, graph.ports(hop.node)[hop.port.value].peer});
    }
  }
  return rows;
}

Table RequestTable(const std::vector<PathDecision>& rows) {
  Table table{"controller/requests",
              "the controller's choices of source ports, in the order in which it made them",
              {}};
  auto& columns = table.columns;
  using Row = const PathDecision&;
  columns.push_back(MakeColumn<std::uint32_t>("src", "1", "GPU that asked", rows,
                                              [](Row r) { return r.id.source.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("dst", "1", "GPU that it sends to", rows,
                                              [](Row r) { return r.destination.value; }));
  columns.push_back(MakeColumn<std::uint32_t>(
      "request", "1", "running number of the request at its source; see /flows/request", rows,
      [](Row r) { return r.id.number; }));
  columns.push_back(
      MakeColumn<std::uint8_t>("cause", "1", "0: a flow that is to start, 1: links changed", rows,
                               [](Row r) { return static_cast<std::uint8_t>(r.cause); }));
  columns.push_back(
      MakeColumn<std::uint8_t>("outcome", "1",
                               "0: a free path, 1: none is free, the host's own source port, 2: "
                               "none is free, the least loaded path",
                               rows, [](Row r) { return static_cast<std::uint8_t>(r.result); }));
  columns.push_back(MakeColumn<std::uint16_t>("source_port", "1", "chosen; 0: the host's own", rows,
                                              [](Row r) { return r.source_port; }));
  columns.push_back(MakeColumn<std::uint32_t>("candidates", "1",
                                              "source ports that a search from 1 upwards tries",
                                              rows, [](Row r) { return r.candidates; }));
  columns.push_back(MakeColumn<std::int64_t>("asked_ps", "ps", "when the host asked", rows,
                                             [](Row r) { return r.asked.ps; }));
  columns.push_back(MakeColumn<std::int64_t>("decided_ps", "ps", "when the controller chose", rows,
                                             [](Row r) { return r.decided.ps; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "wait_ps", "ps", "how much later than the flow could have started the answer came", rows,
      [](Row r) { return r.wait.ps; }));
  columns.push_back(MakeColumn<std::int64_t>(
      "released_ps", "ps",
      "when the path was free again; -1: held until the run ended, or nothing was reserved", rows,
      [](Row r) { return r.released.ps; }));
  return table;
}

}  // namespace

std::vector<Table> ControllerTables(const CentralController* controller) {
  if (controller == nullptr) return {};
  const std::vector<HopRow> hops = HopRows(*controller);
  Table paths{"controller/paths",
              "a row a hop of each path that was reserved; the host's NIC is not among them",
              {}};
  auto& columns = paths.columns;
  using Row = const HopRow&;
  columns.push_back(MakeColumn<std::int64_t>("row", "1", "of /controller/requests", hops,
                                             [](Row r) { return r.row; }));
  columns.push_back(MakeColumn<std::uint8_t>("hop", "1", "place on the path, from 0", hops,
                                             [](Row r) { return r.number; }));
  columns.push_back(MakeColumn<std::uint32_t>("node", "1", "switch", hops,
                                              [](Row r) { return r.hop.node.value; }));
  columns.push_back(MakeColumn<std::uint16_t>("port", "1", "its port that the flow leaves through",
                                              hops, [](Row r) { return r.hop.port.value; }));
  columns.push_back(MakeColumn<std::uint32_t>("peer", "1", "node that the port leads to", hops,
                                              [](Row r) { return r.peer.value; }));
  return {RequestTable(controller->decisions()), std::move(paths)};
}

}  // namespace heddle
