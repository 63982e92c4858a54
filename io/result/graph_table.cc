// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/graph_table.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/table.h"
#include "io/result/dimension_table.h"
#include "topology/graph/node_names.h"
#include "topology/tables/table_routing.h"

namespace heddle {
namespace {

template <class T, class Get>
std::vector<T> Gather(const std::vector<Link>& links, Get get) {
  std::vector<T> values;
  values.reserve(links.size());
  for (const Link& link : links) values.push_back(get(link));
  return values;
}

/// The only value of a column of the shape table.
template <class T>
const T& Single(const Table& shape, const std::string& name) {
  const std::vector<T>& values = GetColumn<T>(shape, name);
  if (values.size() != 1) {
    throw UserError(fmt::format("table {}: {} rows. Expected: one row", shape.name, values.size()));
  }
  return values.front();
}

}  // namespace

Table LinkTable(const Graph& graph) {
  const std::vector<Link>& links = graph.links();
  using Number = std::uint32_t;
  return {kLinkTable,
          "cables of the fabric, each the same in both directions; the row is the link's number",
          {{"a", "1", "node at one end", Gather<Number>(links, [](auto& l) { return l.a.value; })},
           {"b", "1", "node at the other end",
            Gather<Number>(links, [](auto& l) { return l.b.value; })},
           {"rate_bps", "bit/s", "data rate in each direction",
            Gather<std::int64_t>(links, [](auto& l) { return l.rate.bps; })},
           {"delay_ps", "ps", "propagation delay",
            Gather<std::int64_t>(links, [](auto& l) { return l.delay.ps; })},
           {"error_rate", "1", "probability that a packet is lost on the link",
            Gather<double>(links, [](auto& l) { return l.error_rate; })}}};
}

Table ShapeTable(const Graph& graph) {
  using Numbers = std::vector<std::uint32_t>;
  return {
      kShapeTable,
      "numbers of nodes of the fabric; node ids count GPUs first, then NVSwitches, then switches",
      {{"gpus", "1", "number of GPUs", Numbers{graph.gpu_count()}},
       {"nvswitches", "1", "number of NVSwitches", Numbers{graph.nvswitch_count()}},
       {"switches", "1", "number of other switches", Numbers{graph.switch_count()}},
       {"gpus_per_server", "1", "GPUs in a server", Numbers{graph.gpus_per_server()}},
       {"gpu_type", "1", "type of the GPUs, free text",
        std::vector<std::string>{graph.gpu_type()}}}};
}

Table NodeTable(const Graph& graph) {
  const NodeNames names(graph);
  std::vector<std::string> name;
  name.reserve(graph.node_count());
  for (std::uint32_t node = 0; node < graph.node_count(); ++node)
    name.push_back(names.Of(NodeId(node)));
  return {kNodeTable,
          "nodes of the fabric; the row is the node's number",
          {{"name", "1", "its name, as in messages and tables", std::move(name)}}};
}

Table ForwardingRows(const ForwardingTables& tables) {
  std::vector<std::uint32_t> node, first, last, port;
  tables.VisitRuns([&](const TableRun& run) {
    node.push_back(run.node.value);
    first.push_back(run.first);
    last.push_back(run.last);
    port.push_back(run.port.value);
  });
  return {kForwardingTables,
          "forwarding tables: the port of a switch for the GPUs first_gpu to last_gpu",
          {{"node", "1", "switch", std::move(node)},
           {"first_gpu", "1", "first GPU of the run", std::move(first)},
           {"last_gpu", "1", "last GPU of the run", std::move(last)},
           {"port", "1", "port of the switch", std::move(port)}}};
}

std::vector<Table> GraphTables(const Graph& graph) {
  std::vector<Table> tables = {ShapeTable(graph), LinkTable(graph), NodeTable(graph)};
  if (const ForwardingTables* entries = TablesOf(graph)) tables.push_back(ForwardingRows(*entries));
  if (graph.scale_up() != nullptr && !graph.scale_up()->dimensions.empty())
    tables.push_back(DimensionTable(*graph.scale_up()));
  return tables;
}

ForwardingTables TablesFromTable(const Graph& graph, const Table& rows) {
  ForwardingTables tables(graph);
  const auto& node = GetColumn<std::uint32_t>(rows, "node");
  const auto& first = GetColumn<std::uint32_t>(rows, "first_gpu");
  const auto& last = GetColumn<std::uint32_t>(rows, "last_gpu");
  const auto& port = GetColumn<std::uint32_t>(rows, "port");
  for (std::size_t i = 0; i < node.size(); ++i) {
    const bool exists = node[i] >= graph.gpu_count() && node[i] < graph.node_count() &&
                        first[i] <= last[i] && last[i] < graph.gpu_count() &&
                        port[i] < graph.ports(NodeId(node[i])).size();
    if (!exists || !tables.SetRun({NodeId(node[i]), first[i], last[i], PortId(port[i])})) {
      throw UserError(fmt::format(
          "table {}: row {}: node {}, GPUs {} to {}, port {}. Expected: a switch, GPUs and a port "
          "of the topology, each entry once",
          rows.name, i, node[i], first[i], last[i], port[i]));
    }
  }
  return tables;
}

Graph GraphFromTables(const Table& shape, const Table& links) {
  const auto gpus = Single<std::uint32_t>(shape, "gpus");
  const auto nvswitches = Single<std::uint32_t>(shape, "nvswitches");
  const auto switches = Single<std::uint32_t>(shape, "switches");
  Graph graph(gpus, nvswitches, switches, Single<std::uint32_t>(shape, "gpus_per_server"),
              Single<std::string>(shape, "gpu_type"));
  const auto& a = GetColumn<std::uint32_t>(links, "a");
  const auto& b = GetColumn<std::uint32_t>(links, "b");
  const auto& rate = GetColumn<std::int64_t>(links, "rate_bps");
  const auto& delay = GetColumn<std::int64_t>(links, "delay_ps");
  const auto& error_rate = GetColumn<double>(links, "error_rate");
  for (std::size_t i = 0; i < a.size(); ++i) {
    graph.AddLink({NodeId(a[i]), NodeId(b[i]), {rate[i]}, {delay[i]}, error_rate[i]});
  }
  return graph;
}

}  // namespace heddle
