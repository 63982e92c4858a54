// SPDX-License-Identifier: GPL-2.0-only
/// `heddle export`: converts a result to text formats of SimAI, nccl-tests and Perfetto.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/traces/workload_export.h"
#include "core/base/check.h"
#include "core/base/table.h"
#include "io/analysis/controller_join.h"
#include "io/collisions/flow_paths.h"
#include "io/collisions/recorded_flows.h"
#include "io/export/export_astra.h"
#include "io/export/export_end_to_end.h"
#include "io/export/export_fct.h"
#include "io/export/export_flows_csv.h"
#include "io/export/export_monitors.h"
#include "io/export/export_nccl_tests.h"
#include "io/export/export_path_log.h"
#include "io/export/export_perfetto.h"
#include "io/result/attribute_map.h"
#include "io/result/graph_table.h"
#include "io/result/result_graph.h"
#include "io/result/result_reader.h"
#include "topology/graph/node_names.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

std::string NextHopText(const Graph& graph, const std::vector<Hop>& path) {
  std::string text;
  for (NodeId node : NodesEntered(graph, path)) text += fmt::format(" {}", node.value);
  return text;
}

/// One line for each flow: its row number, ends, ports, and the nodes that data and ACKs traverse.
std::string PathsText(const ResultReader& result) {
  const Graph graph = ReadGraph(result);
  ExpectPathsByFlow(result);
  const Routes routes = RoutesOfResult(graph, result);
  const Table flows = result.ReadTable("flows");
  const auto& src = GetColumn<std::uint32_t>(flows, "src");
  const auto& dst = GetColumn<std::uint32_t>(flows, "dst");
  const auto& source_port = GetColumn<std::uint16_t>(flows, "source_port");
  const auto& destination_port = GetColumn<std::uint16_t>(flows, "destination_port");
  std::string text = "# flow src dst sport dport | data path (next hops) | ack path\n";
  const FlowLanes lanes(graph, AttributeMap(result.ReadAttributes()));
  const FlowPathSource paths(graph, flows, nullptr, nullptr, &lanes);
  for (std::size_t i = 0; i < src.size(); ++i) {
    text += fmt::format("{} {} {} {} {} |{} |", i, src[i], dst[i], source_port[i],
                        destination_port[i], NextHopText(graph, paths.PathOf(routes, i)));
    if (!HasDimensions(graph))  // nothing is acknowledged there
      text += NextHopText(graph, TracePath(graph, routes, NodeId(dst[i]), NodeId(src[i]),
                                           destination_port[i], source_port[i]));
    text += "\n";
  }
  return text;
}

/// Payload of a full packet in that run. Throws UserError if the result does not say.
Bytes PayloadOf(const ResultReader& result) {
  const std::string name = "option transport.payload";
  for (const Attribute& attribute : result.ReadAttributes()) {
    if (attribute.name != name) continue;
    const auto* text = std::get_if<std::string>(&attribute.value);
    std::int64_t bytes = 0;
    if (text == nullptr) break;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), bytes);
    if (error == std::errc() && end == text->data() + text->size()) return {bytes};
  }
  throw UserError("attribute \"" + name +
                  "\" is missing or no number. Expected: a result of heddle "
                  "run");
}

std::string FctText(const ResultReader& result) {
  std::ostringstream text;
  const Graph graph = ReadGraph(result);
  if (HasDimensions(graph)) {
    throw UserError(
        "--fct: SimAI's fct.txt has ideal times of Ethernet's paths, and the fabric is one of "
        "dimensions. Expected: --flows-csv, which has the run's own");
  }
  const Bytes payload = PayloadOf(result);
  const std::size_t unfinished =
      ExportFct(result.ReadTable("flows"), PathMetrics(graph, payload), payload, text);
  if (unfinished > 0)
    std::fprintf(stderr, "heddle: note: %zu unfinished flows are left out\n", unfinished);
  return text.str();
}

/// Includes the controller's decisions if the run had a controller.
std::string FlowsCsvText(const ResultReader& result) {
  const Table flows = result.ReadTable("flows");
  Table requests, paths;
  FlowTables tables{&flows, nullptr, nullptr};
  if (result.HasTable(kRequestTable) || result.HasTable(kPathTable)) {
    requests = result.ReadTable(kRequestTable);
    paths = result.ReadTable(kPathTable);
    tables = {&flows, &requests, &paths};
  }
  const AttributeMap root(result.ReadAttributes());
  const Graph graph = ReadGraph(result);
  const FlowLanes lanes(graph, root);
  tables.sprayed = !SprayedBy(result).empty() || !WhyNoLanes(root).empty() || HasDimensions(graph);
  tables.lanes = &lanes;
  std::ostringstream text;
  const std::size_t unfinished = ExportFlowsCsv(graph, RoutesOfResult(graph, result), tables, text);
  if (unfinished > 0)
    std::fprintf(stderr, "heddle: note: %zu unfinished flows are left out\n", unfinished);
  return text.str();
}

std::string PathLogText(const ResultReader& result) {
  std::ostringstream text;
  ExportPathLog(result.ReadTable(kRequestTable), result.ReadTable(kPathTable),
                result.ReadTable("flows"), text);
  return text.str();
}

/// An export that reads one table.
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

/// Prints a note if /collectives is a sample; throws if it has none, as a setting.
void CheckCollectives(const ResultReader& result) {
  const AttributeMap root(result.ReadAttributes());
  const std::string recorded = root.Text("collectives_recorded").value_or("all");
  if (recorded == "none")
    throw UserError(
        "the result has no collectives, as the run kept none. Expected: a run with "
        "--record collectives=all, or sample:N");
  if (recorded == "all") return;
  std::fprintf(stderr, "heddle: note: /collectives has one operation in %s of each job\n",
               Printable(recorded.substr(recorded.find(':') + 1)).c_str());
}

std::string NcclTestsText(const ResultReader& result) {
  CheckCollectives(result);
  std::ostringstream text;
  const std::size_t unfinished = ExportNcclTests(result.ReadTable("collectives"), text);
  if (unfinished > 0)
    std::fprintf(stderr, "heddle: note: %zu unfinished collectives are left out\n", unfinished);
  return text.str();
}

/// Flags that refine some of the exports.
struct Choices {
  ReportChoice report;
  bool all_flows = false;
};

/// Prints a note if there are pipeline stages and not all collectives, of which the bubble is made.
void NoteBubble(const ResultReader& result, const Table& jobs) {
  const auto& stages = GetColumn<std::uint32_t>(jobs, "pp");
  const AttributeMap root(result.ReadAttributes());
  const std::string recorded = root.Text("collectives_recorded").value_or("all");
  if (recorded == "all" ||
      std::none_of(stages.begin(), stages.end(), [](std::uint32_t pp) { return pp > 1; }))
    return;
  std::fprintf(stderr,
               "heddle: note: the run recorded collectives=%s: \"bubble time\" has the waits of "
               "recorded messages only, Expose_PP_comm those of the others\n",
               Printable(recorded).c_str());
}

std::string EndToEndText(const ResultReader& result, const Choices& choices) {
  std::ostringstream text;
  const Table jobs = result.ReadTable("jobs");
  NoteBubble(result, jobs);
  ExportEndToEnd({jobs, result.ReadTable("ranks"), result.ReadTable("operations"),
                  result.ReadTable("layers"), result.ReadTable("collectives")},
                 choices.report, text);
  return text.str();
}

AstraTables AstraTablesOf(const ResultReader& result) {
  return {result.ReadTable("jobs"), result.ReadTable("ranks"), result.ReadTable("layers"), {}};
}

std::string AstraEndToEndText(const ResultReader& result, const Choices& choices) {
  std::ostringstream text;
  ExportAstraEndToEnd(AstraTablesOf(result), choices.report.job.value_or(0), text);
  return text.str();
}

std::string AstraDetailedText(const ResultReader& result, const Choices& choices) {
  std::ostringstream text;
  AstraTables tables = AstraTablesOf(result);
  if (const std::string why = WhyNotEnded(tables.ranks, choices.report.job.value_or(0));
      !why.empty())
    std::fprintf(stderr, "heddle: note: %s: the delays are of the chunks that went\n", why.c_str());
  tables.phase_delays = result.ReadTable("phase_delays");
  ExportAstraDetailed(tables, choices.report.job.value_or(0), text);
  return text.str();
}

/// Number of flows above which a trace is slow to open.
constexpr std::size_t kTraceFlows = 100'000;

std::vector<std::string> NamesOf(const ResultReader& result) {
  const Graph graph = ReadGraph(result);
  const NodeNames names(graph);
  std::vector<std::string> all;
  for (std::uint32_t node = 0; node < graph.node_count(); ++node)
    all.push_back(names.Of(NodeId(node)));
  return all;
}

std::string PerfettoText(const ResultReader& result, const Choices& choices) {
  TraceTables tables{result.ReadTable(kShapeTable),
                     result.ReadTable("jobs"),
                     result.ReadTable("ranks"),
                     result.ReadTable("layers"),
                     result.ReadTable("collectives"),
                     result.ReadTable("steps"),
                     std::nullopt,
                     NamesOf(result)};
  Table flows = result.ReadTable("flows");
  const std::size_t count = GetColumn<std::int64_t>(flows, "start_ps").size();
  if (choices.all_flows || count <= kTraceFlows) {
    tables.flows = std::move(flows);
  } else {
    std::fprintf(stderr,
                 "heddle: note: the trace has no flows, they are %zu (more than %zu); "
                 "--perfetto-flows puts them in\n",
                 count, kTraceFlows);
  }
  std::ostringstream text;
  ExportPerfetto(tables, text);
  return text.str();
}

/// One format to which a result can be converted.
struct Export {
  const char* flag;
  const char* help;
  const char* table;
  const char* source;  ///< word of monitor.kinds that makes the table, or one of the constants
                       ///< below; empty if every result has it
  std::function<std::string(const ResultReader&)> make_text;
  std::string file = {};
};
/// Sources that are not words of monitor.kinds: a run of a workload, a run with time lines, a run
/// with a controller, a run with collectives in phases.
constexpr const char* kWorkload = "(workload)";
constexpr const char* kTimeLine = "(time line)";
constexpr const char* kController = "(controller)";
constexpr const char* kPhases = "(phases)";

/// `choices` is read when an export is made, not here.
std::vector<Export> AllExports(const Choices& choices) {
  return {
      {"--fct", "SimAI's fct.txt", "flows", "", FctText},
      {"--paths", "the nodes that each flow crosses", "flows", "", PathsText},
      {"--flows-csv", "flows.csv: port, spine, completion time and slowdown of each flow", "flows",
       "", FlowsCsvText},
      {"--path-log", "paths.csv: the paths that the central controller chose", kRequestTable,
       kController, PathLogText},
      {"--qlen", "SimAI's qlen.txt: queue lengths", "monitors/queues", "queues",
       TextOf("monitors/queues", ExportQueues)},
      {"--bw", "SimAI's bw.txt: throughput of links", "monitors/links", "links",
       TextOf("monitors/links", ExportLinks)},
      {"--rate", "SimAI's rate.txt: rates of queue pairs", "monitors/rates", "rates",
       TextOf("monitors/rates", ExportRates)},
      {"--cnp", "SimAI's cnp.txt: CNPs of queue pairs", "monitors/cnps", "cnps",
       TextOf("monitors/cnps", ExportCnps)},
      {"--cast", "cast.csv: weights of CAST's queue pairs", "monitors/cast", "cast",
       TextOf("monitors/cast", ExportCast)},
      {"--pfc", "SimAI's pfc.txt: pause and resume frames", "pfc", "pfc", PausesText},
      {"--end-to-end", "SimAI's ncclFlowModel_EndToEnd.csv: what each layer cost a GPU", "layers",
       kWorkload, [&](const ResultReader& result) { return EndToEndText(result, choices); }},
      {"--astra-end-to-end", "ASTRA-SIM's EndToEnd.csv: computing and communication by layer",
       "layers", kWorkload,
       [&](const ResultReader& result) { return AstraEndToEndText(result, choices); }},
      {"--astra-detailed", "ASTRA-SIM's detailed.csv: queue and network delays by phase",
       "phase_delays", kPhases,
       [&](const ResultReader& result) { return AstraDetailedText(result, choices); }},
      {"--nccl-tests", "bandwidths of collectives as nccl-tests' table", "collectives", kWorkload,
       NcclTestsText},
      {"--perfetto", "time lines of the GPUs as a trace for ui.perfetto.dev (JSON)", "steps",
       kTimeLine, [&](const ResultReader& result) { return PerfettoText(result, choices); }},
  };
}

void CheckHasTable(const std::string& file, const ResultReader& result, const Export& wanted) {
  if (*wanted.source == '\0' || result.HasTable(wanted.table)) return;
  const std::string source = wanted.source;
  const std::string problem =
      fmt::format("no table {}, which {} needs: the run ", wanted.table, wanted.flag);
  if (source == kWorkload)
    FailInput({file, 0}, problem + "had no workload", "the result of a run with -w or --job");
  if (source == kTimeLine) {
    FailInput({file, 0}, problem + "had no workload, or kept no time lines",
              "the result of a run with -w or --job, and --record timeline=all");
  }
  if (source == kPhases) {
    FailInput({file, 0}, problem + "had no collectives in phases",
              "the result of a run with --set phases.collectives=baseline or enhanced");
  }
  if (source == kController) {
    FailInput({file, 0}, problem + "had no controller",
              "the result of a run with --set controller.enable=true");
  }
  FailInput(
      {file, 0}, problem + "did not monitor it",
      fmt::format("the result of a run with --set monitor.kinds={} (several: queues,links,...)",
                  wanted.source));
}

}  // namespace

int ExportCommand(const std::vector<std::string>& arguments) {
  if (ExportsWorkload(arguments)) return ExportWorkload(arguments);
  std::string file, form_value;
  Choices choices;
  std::vector<Export> exports = AllExports(choices);
  CLI::App app("Write text files from a result.", "export");
  app.add_option("RESULT", file, "result file (HDF5)")->required()->type_name("FILE");
  for (Export& one : exports) {
    app.add_option(one.flag, one.file,
                   fmt::format("{}, to this file (\"-\": standard output)", one.help))
        ->type_name("FILE")
        ->group("Exports");
  }
  app.add_option(
         "--job", choices.report.job,
         "--end-to-end, --astra-...: the job with this number (default: 0, or the one that has the "
         "GPU)")
      ->check(WholeNumber(0, kMaxNodes));
  app.add_option("--gpu", choices.report.gpu,
                 "--end-to-end: the GPU with this number (default: that of the job's rank 0)")
      ->check(WholeNumber(0, kMaxNodes));
  app.add_flag("--perfetto-flows", choices.all_flows,
               fmt::format("--perfetto: all flows, even if more than {}", kTraceFlows));
  for (const ExportForm& form : ExportForms()) {
    app.add_option(form.flag, form_value,
                   std::string("without RESULT, with the flags of heddle run: ") + form.help)
        ->type_name(form.value);
  }
  bool force = false;
  app.add_flag("--force", force, "replace existing files");
  app.footer(Examples({"heddle export result.h5 --fct - --paths -",
                       "heddle export -n fabric.txt -w workload.txt --goal step.goal",
                       "heddle export -n fabric.txt -w workload.txt --chakra traces/step",
                       "heddle export result.h5 --nccl-tests - --perfetto trace.json",
                       "heddle export result.h5 --end-to-end steps.csv --job 1",
                       "heddle export torus.h5 --astra-end-to-end - --astra-detailed -"}));
  if (!ParseArguments(&app, arguments)) return 0;
  exports.erase(std::remove_if(exports.begin(), exports.end(),
                               [](const Export& one) { return one.file.empty(); }),
                exports.end());
  if (exports.empty()) {
    throw UsageError(
        "heddle export needs one or more of --fct, --paths, --flows-csv, --path-log, --qlen, --bw, "
        "--rate, --cnp, --pfc, "
        "--end-to-end, --astra-end-to-end, --astra-detailed, --nccl-tests and --perfetto FILE");
  }
  std::vector<OutputFile> outputs;
  for (const Export& one : exports) outputs.push_back({one.flag, one.file});
  CheckOutputs(outputs, {{"RESULT", file}}, force);
  const ResultReader result(file);
  for (const Export& one : exports) CheckHasTable(file, result, one);
  const auto reads_flows = [](const Export& one) { return std::string(one.table) == "flows"; };
  if (std::any_of(exports.begin(), exports.end(), reads_flows)) WarnOfMissingFlows(file, result);
  for (const Export& one : exports) WriteText(one.file, one.make_text(result));
  return 0;
}

}  // namespace heddle
