// SPDX-License-Identifier: GPL-2.0-only
/// `heddle topo`: generate a topology from a template, or show one that exists.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <set>

#include "core/app/base/cli/command_description.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/step_line.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/inspect/fabric_json.h"
#include "core/app/views/inspect/scale_up_topo.h"
#include "core/app/views/inspect/template_flags.h"
#include "core/app/views/inspect/template_help.h"
#include "core/app/views/inspect/topo_route.h"
#include "core/base/printable.h"
#include "core/options/quantity_text.h"
#include "io/astra/astra_network.h"
#include "topology/files/describe.h"
#include "topology/files/graphviz.h"
#include "topology/generate/fabric_plan.h"
#include "topology/generate/server_options.h"
#include "topology/generate/switch_size.h"
#include "topology/graph/gpu_types.h"
#include "topology/graph/oversubscription.h"

namespace heddle {
namespace {

void Note(const std::string& note) {
  std::fprintf(stderr, "heddle: note: %s\n", PrintableLines(note).c_str());
}

/// What is said of a fabric. On a terminal a line shows its steps meanwhile.
FabricOverview FactsWithSteps(const Graph& graph) {
  StepLine steps;
  return OverviewOf(graph, [&](const std::string& step) { steps.Show(step); });
}

std::string DescribeWithSteps(const Graph& graph) {
  return DescribeFabric(graph, FactsWithSteps(graph));
}

/// Reads a fabric. On a terminal a line says so meanwhile.
FabricInput ReadWithStep(const std::string& file, const RoutingArguments& routing) {
  StepLine steps;
  steps.Show("reads " + file);
  return ReadFabric(file, routing);
}

/// Writes the topology file and makes its graph. On a terminal a line shows both steps meanwhile.
Graph WriteAndMake(const FabricPlan& plan, const std::string& output) {
  const std::string links = fmt::format("{} links", GroupedDigits(plan.cables.size()));
  const bool to_output = output.empty() || IsStandardOutput(output);
  StepLine steps;
  if (!to_output) steps.Show("writes " + links);
  WriteText(output, PlanText(plan));
  steps.Show("makes a graph of " + links);
  return MakeGraph(plan);
}

int Show(const std::vector<std::string>& arguments) {
  std::string file;
  std::string drawing;
  RoutingArguments routing;
  CLI::App app("Describe a topology for people.", "topo show");
  app.add_option("FILE", file, "topology file")->required()->type_name("FILE");
  app.add_option("--dot", drawing,
                 "write Graphviz to this file (\"-\": standard output), for up to 200 nodes")
      ->type_name("FILE");
  app.add_option("--routing", routing.routing, RoutingText() + "; instead of the fabric's own")
      ->capture_default_str()
      ->type_name("ROUTING");
  app.add_option("--tables", routing.tables, "forwarding tables, or a subnet manager's dump")
      ->type_name("FILE");
  bool force = false, json = false;
  app.add_flag("--force", force, "replace an existing file");
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle topo show fabric.txt",
                       "heddle topo show ibnetdiscover.out --tables opensm.fdbs",
                       "heddle topo show fabric.txt --dot - | dot -Tsvg > fabric.svg"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckJsonAlone(json, "--dot", drawing);
  CheckOutputs({{"--dot", drawing}}, {{"FILE", file}, {"--tables", routing.tables}}, force);
  const FabricInput fabric = ReadWithStep(file, routing);
  const Graph& graph = *fabric.graph;
  for (const std::string& warning : fabric.warnings) PrintWarning(warning);
  if (!drawing.empty()) {
    WriteText(drawing, GraphvizText(graph));
    if (drawing == "-") return 0;
  }
  const FabricOverview facts = FactsWithSteps(graph);
  if (json) {
    const std::optional<TableSpread> spread =
        fabric.tables ? std::optional(SpreadOf(graph, *fabric.tables)) : std::nullopt;
    PrintJson(FabricJson(file, graph, facts, spread ? &*spread : nullptr));
    return 0;
  }
  PrintText(DescribeFabric(graph, facts));
  if (fabric.tables) PrintText("tables     " + SpreadText(graph, *fabric.tables));
  return 0;
}

constexpr double kLowestEven = 0.9, kHighestEven = 1.1;

/// Notes tiers whose oversubscription is not the one that was asked for, or else not 1.
void NoteRatios(const Graph& graph, const WantedRatio& wanted) {
  for (const TierBandwidth& tier : TierBandwidths(graph)) {
    const double ratio = tier.tier == kLeafTier ? wanted.ratio : 1;
    const double off = tier.is_top() ? 1 : tier.ratio() / ratio;
    if (off >= kLowestEven && off <= kHighestEven) continue;
    Note(fmt::format("{}: {:.2f} : 1, outside {:.4g} to {:.4g}{}", tier.name, tier.ratio(),
                     kLowestEven * ratio, kHighestEven * ratio,
                     wanted.flags.empty() ? ""
                                          : "; " + wanted.flags +
                                                " change it, --oversubscription 1 derives spines "
                                                "and NICs per leaf"));
  }
}

/// Described by hand: the generator's flags are SimAI's, which CLI11 cannot parse.
CommandDescription DescribeGenerator() {
  CommandDescription description{
      "topo", "Generate a topology from a template, or show one.", {}, {}};
  std::string names;
  for (const std::string& name : TemplateNames()) names += (names.empty() ? "" : "|") + name;
  for (const std::string& name : ScaleUpTopoNames()) names += "|" + name;
  description.arguments.push_back({{}, names, "template"});
  description.flags.push_back({{"-topo", "--topology"}, names, "template"});
  description.flags.push_back({{"-o", "--output"}, "FILE", "where to write"});
  description.flags.push_back({{"--force"}, "", "replace an existing file"});
  std::set<std::string> seen;  // a word belongs to the first flag that has it
  for (const auto& flags : {TemplateFlags(), ScaleUpTopoFlags()}) {
    for (const TemplateFlag& flag : flags) {
      std::vector<std::string> words;
      if (!flag.brief.empty() && seen.insert(flag.brief).second) words.push_back("-" + flag.brief);
      if (!flag.name.empty() && seen.insert(flag.name).second) words.push_back("--" + flag.name);
      if (words.empty()) continue;
      description.flags.push_back({words, flag.has_value ? "VALUE" : "", flag.help});
    }
  }
  description.flags.push_back({{"-h", "--help"}, "", "print this help"});
  return description;
}

bool AsksForHelp(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") return true;
  }
  return arguments.empty();
}

void PrintGeneratorHelp(const std::vector<std::string>& arguments) {
  if (IsScaleUpTopo(arguments)) {
    return PrintHelp(ScaleUpTopoHelp(arguments) + "\n" +
                     Examples({"heddle topo HierarchicalTorus -dims 2x4x4 -o torus.txt",
                               "heddle topo HierarchicalAllToAll -dims 1x8 --links 7 -o "
                               "switches.txt"}) +
                     "\n");
  }
  if (const std::string one = TemplateHelp(arguments); !one.empty()) return PrintHelp(one);
  PrintHelp(
      "Usage: heddle topo FABRIC [FLAGS] [-o FILE]\n       heddle topo show FILE [--dot "
      "FILE]\n       heddle topo route FILE ROUTING [-o TABLES]\n\n" +
      TemplateListHelp() + "Fabrics of scale-up links, with flags of their own:\n" +
      ScaleUpTopoList() + "\n" +
      Examples({"heddle topo spectrum-x --gpus 512 --oversubscription 1 -o rails.txt",
                "heddle topo fat-tree --gpus 512 --oversubscription 2 -o tree.txt",
                "heddle topo HierarchicalTorus -dims 2x4x4 -o t.txt",
                "heddle topo show rails.txt --dot rails.dot",
                "heddle topo route tree.txt dmodk -o tables.txt"}) +
      "\n");
}

/// Notes that GPUs of a server reach each other over the fabric alone.
void NoteNvLinks(const FabricPlan& plan) {
  if (plan.nvswitches > 0) return;
  Note(fmt::format(
      "servers of {} {} have no NVLink; -gps {} gives servers of {} with an NVSwitch, "
      "as other fabrics have",
      plan.gpus_per_server, plan.gpus_per_server == 1 ? "GPU" : "GPUs", kServerGpus, kServerGpus));
}

/// Writes a network file and describes its fabric.
int MakeScaleUpTopo(const std::vector<std::string>& arguments) {
  const ScaleUpTopo topo = ParseScaleUpTopo(arguments);
  CheckOutputs({{"-o", topo.output}}, {}, topo.force);
  const Graph graph = MakeScaleUpGraph(topo.network);
  WriteText(topo.output, AstraNetworkText(topo.network));
  const bool to_output = topo.output.empty() || IsStandardOutput(topo.output);
  std::fputs(DescribeWithSteps(graph).c_str(), to_output ? stderr : stdout);
  std::fflush(stdout);
  return 0;
}

}  // namespace

int TopoCommand(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "show")
    return Show({arguments.begin() + 1, arguments.end()});
  if (!arguments.empty() && arguments[0] == "route")
    return RouteTopology({arguments.begin() + 1, arguments.end()});
  if (arguments == std::vector<std::string>{kDescribeYourself})
    throw CommandDescribed(DescribeGenerator());
  if (AsksForHelp(arguments)) {
    PrintGeneratorHelp(arguments);
    return static_cast<int>(arguments.empty() ? ExitCode::kUsage : ExitCode::kDone);
  }
  if (IsScaleUpTopo(arguments)) return MakeScaleUpTopo(arguments);
  ParsedTemplate parsed = ParseTemplateFlags(arguments);
  CheckOutputs({{"-o", parsed.output}}, {}, parsed.force);
  const std::string nvlinks = SetNvLinksByGpuType(&parsed.flags);
  const FabricPlan plan = parsed.maker->Plan(parsed.flags);
  if (!nvlinks.empty()) Note(nvlinks);
  for (const std::string& note : parsed.maker->Notes(parsed.flags)) Note(note);
  if (const std::string note = SwitchSizeNote(plan); !note.empty()) Note(note);
  if (const std::string note = GpuTypeNote(plan.gpu_type); !note.empty()) Note(note);
  NoteNvLinks(plan);
  const Graph graph = WriteAndMake(plan, parsed.output);
  const std::string text = DescribeWithSteps(graph);
  const bool to_output = parsed.output.empty() || IsStandardOutput(parsed.output);
  std::fputs(text.c_str(), to_output ? stderr : stdout);
  std::fflush(stdout);
  NoteRatios(graph, parsed.maker->wanted_ratio());
  return 0;
}

}  // namespace heddle
