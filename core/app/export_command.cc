// SPDX-License-Identifier: GPL-2.0-only
/// `heddle export`: texts in SimAI's formats from a result.
#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "core/app/output_text.h"
#include "core/app/parse_arguments.h"
#include "io/export_fct.h"
#include "io/graph_table.h"
#include "io/result_reader.h"
#include "io/table_column.h"
#include "topology/path_tracer.h"

namespace heddle {
namespace {

std::string NextHopText(const Graph& graph, const std::vector<Hop>& path) {
  std::string text;
  for (NodeId node : NodesEntered(graph, path)) text += fmt::format(" {}", node.value);
  return text;
}

/// A line a flow: its number in the table, ends, ports, and the nodes that data and ACKs enter.
std::string PathsText(const ResultReader& result) {
  const Graph graph = GraphFromTables(result.ReadTable(kShapeTable), result.ReadTable(kLinkTable));
  const Routes routes(graph);
  const Table flows = result.ReadTable("flows");
  const auto& src = GetColumn<std::uint32_t>(flows, "src");
  const auto& dst = GetColumn<std::uint32_t>(flows, "dst");
  const auto& source_port = GetColumn<std::uint16_t>(flows, "source_port");
  const auto& destination_port = GetColumn<std::uint16_t>(flows, "destination_port");
  std::string text = "# flow src dst sport dport | data path (next hops) | ack path\n";
  for (std::size_t i = 0; i < src.size(); ++i) {
    const NodeId from(src[i]);
    const NodeId to(dst[i]);
    text += fmt::format("{} {} {} {} {} |{} |{}\n", i, src[i], dst[i], source_port[i], destination_port[i],
                        NextHopText(graph, TracePath(graph, routes, from, to, source_port[i], destination_port[i])),
                        NextHopText(graph, TracePath(graph, routes, to, from, destination_port[i], source_port[i])));
  }
  return text;
}

}  // namespace

int ExportCommand(const std::vector<std::string>& arguments) {
  std::string file;
  std::string fct;
  std::string paths;
  CLI::App app("Write text files from a result.", "export");
  app.add_option("RESULT", file, "result file (HDF5)")->required();
  app.add_option("--fct", fct, "SimAI's fct.txt to this file (\"-\": standard output)");
  app.add_option("--paths", paths, "the nodes that each flow crosses, to this file (\"-\": standard output)");
  if (!ParseArguments(&app, arguments)) return 0;
  if (fct.empty() && paths.empty()) throw UsageError("heddle export needs --fct FILE, --paths FILE, or both");
  const ResultReader result(file);
  if (!fct.empty()) {
    std::ostringstream text;
    const std::size_t unfinished = ExportFct(result.ReadTable("flows"), text);
    WriteText(fct, text.str());
    if (unfinished > 0) std::fprintf(stderr, "heddle: note: %zu unfinished flows are left out\n", unfinished);
  }
  if (!paths.empty()) WriteText(paths, PathsText(result));
  return 0;
}

}  // namespace heddle
