// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/topo_route.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "topology/graph/node_names.h"
#include "topology/tables/table_check.h"
#include "topology/tables/table_makers.h"
#include "topology/tables/tables_file.h"

namespace heddle {
namespace {

struct Arguments {
  std::string topology, routing, check, output = "-";
  bool force = false;
};

void AddArguments(CLI::App* app, Arguments* given) {
  app->add_option("FILE", given->topology, "topology file")->required()->type_name("FILE");
  CLI::Option* routing =
      app->add_option("ROUTING", given->routing, TableMakersText())->type_name("ROUTING");
  app->add_option("--check", given->check,
                  "look for loops and for pairs without a way in these tables instead")
      ->type_name("TABLES")
      ->excludes(routing);
  app->add_option("-o,--output", given->output, "file for the tables (\"-\": standard output)")
      ->type_name("FILE");
  app->add_flag("--force", given->force, "replace an existing file");
  app->footer(Examples({"heddle topo route fabric.txt dmodk -o tables.txt",
                        "heddle run -n fabric.txt --tables tables.txt --trace flows.csv",
                        "heddle topo route fabric.txt --check tables.txt"}));
}

/// What is wrong with tables; empty if nothing is.
std::string FindingsText(const Graph& graph, const TableFindings& found) {
  const NodeNames names(graph);
  std::string text;
  if (found.loops > 0) text += fmt::format("{} loops\n", found.loops);
  for (const TableLoop& loop : found.first_loops)
    text += fmt::format("  {}\n", Describe(names, loop));
  if (found.loops > found.first_loops.size()) text += "  ...\n";
  if (found.holes > 0) text += fmt::format("{} pairs of GPUs without a way\n", found.holes);
  for (const TableHole& hole : found.first_holes)
    text += fmt::format("  {} to {}\n", names.Of(hole.source), names.Of(hole.destination));
  if (found.holes > found.first_holes.size()) text += "  ...\n";
  return text;
}

}  // namespace

TableSpread SpreadOf(const Graph& graph, const ForwardingTables& tables) {
  std::uint64_t ports = 0, used = 0, most = 0, entries = 0;
  for (std::uint32_t node = graph.gpu_count(); node < graph.node_count(); ++node) {
    const std::vector<Attachment>& all = graph.ports(NodeId(node));
    std::vector<std::uint64_t> destinations(all.size(), 0);
    for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
      const std::uint16_t port = tables.At(NodeId(node), NodeId(gpu));
      if (port != ForwardingTables::kNone) ++destinations[port];
    }
    for (std::size_t port = 0; port < all.size(); ++port) {
      if (graph.is_gpu(all[port].peer)) continue;
      ++ports;
      used += destinations[port] > 0 ? 1 : 0;
      entries += destinations[port];
      most = std::max(most, destinations[port]);
    }
  }
  return {ports, used, used > 0 ? static_cast<double>(entries) / static_cast<double>(used) : 0.0,
          most};
}

std::string SpreadText(const Graph& graph, const ForwardingTables& tables) {
  const TableSpread spread = SpreadOf(graph, tables);
  return fmt::format(
      "ports between switches: {}, of which {} are used, by {:.1f} destinations in the mean and {} "
      "at most\n",
      spread.ports, spread.used, spread.mean, spread.most);
}

int RouteTopology(const std::vector<std::string>& arguments) {
  Arguments given;
  CLI::App app("Make forwarding tables for a topology, or check some.", "topo route");
  AddArguments(&app, &given);
  if (!ParseArguments(&app, arguments)) return 0;
  const bool checks = !given.check.empty();
  if (!checks && given.routing.empty())
    throw UsageError("ROUTING is missing. Expected: " + TableMakersText());
  CheckOutputs({{"-o", checks ? "" : given.output}},
               {{"FILE", given.topology}, {"--check", given.check}}, given.force);
  const Graph graph = ReadTopology(given.topology);
  const ForwardingTables tables =
      checks ? ReadAs(FileKind::kTables, given.check,
                      [&] { return ParseTables(ReadTextFile(given.check), given.check, graph); })
             : MakeTables(graph, given.routing);
  if (!checks) WriteText(given.output, TablesText(tables));
  const std::string findings = FindingsText(graph, CheckTables(graph, tables));
  const std::string text = SpreadText(graph, tables) + findings;
  const bool to_output = !checks && IsStandardOutput(given.output);
  if (to_output) {
    std::fputs(text.c_str(), stderr);
  } else {
    PrintText(text);
  }
  return static_cast<int>(findings.empty() ? ExitCode::kDone : ExitCode::kBadInput);
}

}  // namespace heddle
