// SPDX-License-Identifier: GPL-2.0-only
/// `heddle export`: texts in SimAI's formats from a result.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "core/app/output_text.h"
#include "core/app/parse_arguments.h"
#include "io/export_fct.h"
#include "io/export_monitors.h"
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

Graph ReadGraph(const ResultReader& result) {
  return GraphFromTables(result.ReadTable(kShapeTable), result.ReadTable(kLinkTable));
}

/// A line a flow: its number in the table, ends, ports, and the nodes that data and ACKs enter.
std::string PathsText(const ResultReader& result) {
  const Graph graph = ReadGraph(result);
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

std::string FctText(const ResultReader& result) {
  std::ostringstream text;
  const std::size_t unfinished = ExportFct(result.ReadTable("flows"), text);
  if (unfinished > 0) std::fprintf(stderr, "heddle: note: %zu unfinished flows are left out\n", unfinished);
  return text.str();
}

/// A text that comes from one table.
auto TextOf(const char* table, void (*write)(const Table&, std::ostream&)) {
  return [=](const ResultReader& result) {
    std::ostringstream text;
    write(result.ReadTable(table), text);
    return text.str();
  };
}

std::string PausesText(const ResultReader& result) {
  std::ostringstream text;
  ExportPauses(result.ReadTable("pfc"), ReadGraph(result), text);
  return text.str();
}

/// One kind of text that a result can become.
struct Export {
  const char* flag;
  const char* help;
  const char* table;
  const char* monitor;  ///< the word in monitor.kinds that makes the table; empty if every result has it
  std::function<std::string(const ResultReader&)> make_text;
  std::string file = {};
};

std::vector<Export> AllExports() {
  return {
      {"--fct", "SimAI's fct.txt", "flows", "", FctText},
      {"--paths", "the nodes that each flow crosses", "flows", "", PathsText},
      {"--qlen", "SimAI's qlen.txt: queue lengths", "monitors/queues", "queues",
       TextOf("monitors/queues", ExportQueues)},
      {"--bw", "SimAI's bw.txt: throughput of links", "monitors/links", "links", TextOf("monitors/links", ExportLinks)},
      {"--rate", "SimAI's rate.txt: rates of queue pairs", "monitors/rates", "rates",
       TextOf("monitors/rates", ExportRates)},
      {"--cnp", "SimAI's cnp.txt: CNPs of queue pairs", "monitors/cnps", "cnps", TextOf("monitors/cnps", ExportCnps)},
      {"--pfc", "SimAI's pfc.txt: pause and resume frames", "pfc", "pfc", PausesText},
  };
}

void CheckMonitored(const std::string& file, const ResultReader& result, const Export& wanted) {
  if (*wanted.monitor == '\0' || result.HasTable(wanted.table)) return;
  FailInput({file, 0},
            fmt::format("no table {}, which {} needs: the run did not monitor it", wanted.table, wanted.flag),
            fmt::format("the result of a run with --set monitor.kinds={} (several: queues,links,...)", wanted.monitor));
}

}  // namespace

int ExportCommand(const std::vector<std::string>& arguments) {
  std::string file;
  std::vector<Export> exports = AllExports();
  CLI::App app("Write text files from a result.", "export");
  app.add_option("RESULT", file, "result file (HDF5)")->required();
  for (Export& one : exports) {
    app.add_option(one.flag, one.file, fmt::format("{}, to this file (\"-\": standard output)", one.help));
  }
  if (!ParseArguments(&app, arguments)) return 0;
  exports.erase(std::remove_if(exports.begin(), exports.end(), [](const Export& one) { return one.file.empty(); }),
                exports.end());
  if (exports.empty()) {
    throw UsageError("heddle export needs one or more of --fct, --paths, --qlen, --bw, --rate, --cnp and --pfc FILE");
  }
  const ResultReader result(file);
  for (const Export& one : exports) CheckMonitored(file, result, one);
  for (const Export& one : exports) WriteText(one.file, one.make_text(result));
  return 0;
}

}  // namespace heddle
