// SPDX-License-Identifier: GPL-2.0-only
#include "topology/tables/tables_file.h"

#include <fmt/format.h>

#include <iterator>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

constexpr const char* kMagic = "heddle-tables";

void ReadHead(TokenReader* reader, const Graph& graph) {
  const auto word = reader->Next();
  if (word != kMagic)
    reader->Fail("found " + Quote(word), "forwarding tables: heddle-tables 1 GPUS NODES");
  reader->RequireNumber("the version of the format", 1, 1);
  const auto gpus = reader->RequireNumber("the number of GPUs", 1, kMaxNodes);
  const auto nodes = reader->RequireNumber("the number of nodes", 1, kMaxNodes);
  if (gpus != graph.gpu_count() || nodes != graph.node_count())
    reader->Fail(
        fmt::format("tables of another topology: {} GPUs, {} nodes in all", gpus, nodes),
        fmt::format("{} GPUs, {} nodes, as the topology", graph.gpu_count(), graph.node_count()));
}

}  // namespace

ForwardingTables ParseTables(std::string_view text, const std::string& name, const Graph& graph) {
  ForwardingTables tables(graph);
  TokenReader reader(text, name);
  ReadHead(&reader, graph);
  const std::uint32_t last_gpu = graph.gpu_count() - 1;
  const std::uint64_t last_node = graph.node_count() - 1;
  while (reader.WordsOnNextLine() > 0) {
    const NodeId node(
        static_cast<std::uint32_t>(reader.RequireNumber("a switch", graph.gpu_count(), last_node)));
    const auto first = reader.RequireNumber("the first GPU", 0, last_gpu);
    const auto last = reader.RequireNumber("the last GPU", first, last_gpu);
    const std::size_t ports = graph.ports(node).size();
    if (ports == 0) reader.Fail(Describe(graph, node) + " has no link", "a switch with links");
    const auto port = reader.RequireNumber("a port of the switch", 0, ports - 1);
    if (!tables.SetRun({node, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last),
                        PortId(static_cast<std::uint32_t>(port))}))
      reader.Fail(fmt::format("{} has two ports for a GPU from {} to {}", Describe(graph, node),
                              first, last),
                  "one port for each GPU");
  }
  return tables;
}

std::string TablesText(const ForwardingTables& tables) {
  std::string text = fmt::format("{} 1 {} {}\n", kMagic, tables.gpus(), tables.nodes());
  tables.VisitRuns([&](const TableRun& run) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", run.node.value, run.first, run.last,
                   run.port.value);
  });
  return text;
}

}  // namespace heddle
