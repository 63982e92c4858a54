// SPDX-License-Identifier: GPL-2.0-only
/// `heddle congestion`: what random placements of a communication pattern get of a network's
/// bandwidth, by counting who shares which cable.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "core/app/cli/commands.h"
#include "core/app/cli/file_digest.h"
#include "core/app/cli/on_all_ranks.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/parse_arguments.h"
#include "core/app/cli/terminal.h"
#include "core/app/congestion/congestion_drawing.h"
#include "core/app/congestion/congestion_result.h"
#include "core/app/congestion/congestion_study.h"
#include "core/app/congestion/congestion_text.h"
#include "core/app/congestion/listed_patterns.h"
#include "core/app/congestion/orcs_program.h"
#include "core/app/congestion/packet_check.h"
#include "core/app/routing/fabric_input.h"
#include "core/app/setup/input_files.h"
#include "core/app/setup/output_conflicts.h"
#include "core/base/nearest_name.h"
#include "core/traffic/flow_request.h"
#include "io/input/text_file.h"
#include "topology/files/orcs_dot.h"
#include "topology/graph/graph.h"
#include "topology/load/graph_paths.h"
#include "topology/load/table_paths.h"

namespace heddle {
namespace {

struct CongestionArguments {
  std::string network, pattern = "bisect_fb_sym", mappings, output, dot, svg;
  std::uint32_t ranks = 0, first_ranks = 2;
  std::uint64_t runs = 1000, seed = 1;
  std::string placement = "random";
  bool fixed_subset = false, unit_links = false, force = false;
  std::string verify;  ///< bytes of a message; empty: no packets
  std::vector<std::string> settings;
  RoutingArguments routing;
};

void AddArguments(CLI::App* app, CongestionArguments* given) {
  app->add_option("NETWORK", given->network, "topology file, or a network in ORCS's DOT")
      ->required()
      ->type_name("FILE");
  app->add_option("--routing", given->routing.routing,
                  RoutingText() + "; instead of the network's own")
      ->capture_default_str()
      ->type_name("ROUTING");
  app->add_option("--tables", given->routing.tables,
                  "forwarding tables of a topology file (heddle topo route)")
      ->type_name("FILE");
  app->add_option(
         "-p,--pattern", given->pattern,
         fmt::format("who sends to whom, level by level: {}", fmt::join(LevelPatternNames(), ", ")))
      ->capture_default_str()
      ->type_name("PATTERN");
  app->add_option("-n,--runs", given->runs, "runs, each with ranks placed anew")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}));
  app->add_option("-s,--ranks", given->ranks, "ranks of the pattern; 0: as many as hosts, even");
  app->add_option("-z,--first-ranks", given->first_ranks,
                  "ranks of the first pattern of ptrnvsptrn, whose delay counts")
      ->capture_default_str();
  app->add_option("--seed", given->seed, "of placements and random patterns")
      ->capture_default_str();
  app->add_flag("--fixed-subset", given->fixed_subset,
                "draw the hosts once, and place ranks on them anew in each run");
  app->add_option("--placement", given->placement,
                  "where ranks are in each run: on hosts drawn one by one, on servers drawn whole, "
                  "or on the first hosts in their order")
      ->capture_default_str()
      ->type_name("random|servers|in-order");
  app->add_option("--mappings", given->mappings,
                  "names of hosts by rank, one run a line, instead of drawn ones")
      ->type_name("FILE");
  app->add_flag("--unit-links", given->unit_links,
                "count all cables as equally fast, as ORCS does");
  app->add_option("-o,--output", given->output, "result (HDF5), for heddle report and Python")
      ->type_name("FILE");
  app->add_option("--dot", given->dot, "the network for Graphviz, coloured by load")
      ->type_name("FILE");
  app->add_option("--svg", given->svg, "the same, drawn")->type_name("FILE");
  app->add_option("--verify-with-packets", given->verify,
                  "simulate run 0 packet by packet as well, with messages of this size")
      ->type_name("SIZE")
      ->expected(0, 1)
      ->default_str("16MiB");
  app->add_option("--set", given->settings, "KEY=VALUE of heddle run, for the packets; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app->add_flag("--force", given->force, "replace these files");
  app->add_option("--compat", "take ORCS's flags behind this word, and print its text")
      ->type_name("orcs-1.1|orcs-2.0");
  app->footer(
      Examples({"heddle congestion fabric.txt", "heddle congestion net.dot -p tree -n 10000",
                "mpirun -n 4 heddle congestion fabric.txt -p ptrnvsptrn:tree::bisect -z 64",
                "heddle congestion --compat orcs-2.0 -i net.dot -p bruck -s 64"}));
}

/// A network, and what its ways refer to.
struct Network {
  FabricInput fabric;
  std::optional<OrcsDot> dot;  ///< read for itself: cables may have one direction only
  std::unique_ptr<GraphPaths> of_graph;
  const StaticPaths& paths() const {
    return of_graph ? static_cast<const StaticPaths&>(*of_graph) : dot->network();
  }
};

void ReadNetwork(const CongestionArguments& given, Network* network) {
  if (IsDotFile(given.network) && !given.routing.any()) {
    network->dot.emplace(ReadTextFile(given.network), given.network);
    return;
  }
  network->fabric = ReadFabric(given.network, given.routing);
  const FabricInput& fabric = network->fabric;
  if (fabric.tables != nullptr) {
    network->of_graph = std::make_unique<TablePaths>(*fabric.graph, *fabric.tables, fabric.names);
  } else {
    network->of_graph = std::make_unique<GraphPaths>(*fabric.graph, fabric.names);
  }
}

void SetPlacement(const std::string& placement, std::uint32_t gpus_per_server, HostChoice* hosts) {
  if (placement == "servers") {
    hosts->group = gpus_per_server;
  } else if (placement == "in-order") {
    hosts->drawn = hosts->shuffled = false;
  } else if (placement != "random") {
    throw UsageError(fmt::format("--placement: '{}'.{} Expected: random, servers or in-order",
                                 Printable(placement),
                                 DidYouMean(placement, {"random", "servers", "in-order"})));
  }
}

CongestionRequest MakeRequest(const CongestionArguments& given, const Network& network) {
  const StaticPaths& paths = network.paths();
  const std::uint32_t hosts = paths.host_count();
  const std::uint32_t gpus_per_server =
      network.fabric.graph ? network.fabric.graph->gpus_per_server() : 1;
  CongestionRequest request;
  const std::uint32_t ranks = given.ranks == 0 ? hosts - hosts % 2 : given.ranks;
  if (ranks < 2 || ranks > hosts)
    throw UserError(
        fmt::format("--ranks: found {}. Expected: 2 to {}, as many as hosts", ranks, hosts));
  request.pattern.text = given.pattern;
  request.pattern.ranks = ranks;
  request.pattern.first_ranks = given.first_ranks;
  request.pattern.list = ListPatterns(gpus_per_server);
  request.hosts.hosts.resize(hosts);
  std::iota(request.hosts.hosts.begin(), request.hosts.hosts.end(), 0U);
  request.hosts.ranks = ranks;
  request.hosts.seed = given.seed;
  request.hosts.fixed_subset = given.fixed_subset;
  SetPlacement(given.placement, gpus_per_server, &request.hosts);
  if (!given.mappings.empty())
    request.hosts.mappings =
        ParseMappings(ReadTextFile(given.mappings), given.mappings, paths, ranks);
  request.load.unit_links = given.unit_links;
  request.load.cable_sums = true;
  if (given.pattern.rfind("ptrnvsptrn", 0) == 0) request.load.delay_ranks = given.first_ranks;
  request.runs = given.runs;
  MakeLevelPattern(request.pattern);
  return request;
}

/// Throws UserError for a drawing of a large network.
void CheckDrawings(const CongestionArguments& given, const StaticPaths& paths) {
  if (given.svg.empty() || IsDrawable(paths.node_count(), paths.cable_count())) return;
  throw UserError(fmt::format(
      "--svg: {} nodes and {} cables. Expected: at most {} and {}; a report (-o, heddle "
      "report) shows the load of larger networks by tier",
      paths.node_count(), paths.cable_count(), kMostDrawnNodes, kMostDrawnCables));
}

void CheckFiles(const CongestionArguments& given) {
  std::vector<InputFile> inputs = {{"NETWORK", given.network}};
  if (!given.routing.tables.empty()) inputs.push_back({"--tables", given.routing.tables});
  if (!given.mappings.empty()) inputs.push_back({"--mappings", given.mappings});
  CheckOutputs(
      {{"-o", given.output, /*is_text=*/false}, {"--dot", given.dot}, {"--svg", given.svg}}, inputs,
      given.force);
}

/// As it can be given again, without outputs.
std::string CommandLine(const CongestionArguments& given) {
  std::string text = fmt::format("heddle congestion {} -p {} -n {} --seed {}", given.network,
                                 given.pattern, given.runs, given.seed);
  if (given.ranks != 0) text += fmt::format(" -s {}", given.ranks);
  if (given.pattern.rfind("ptrnvsptrn", 0) == 0) text += fmt::format(" -z {}", given.first_ranks);
  if (given.mappings.empty()) {
    text += " --placement " + given.placement;
    if (given.fixed_subset) text += " --fixed-subset";
  } else {
    text += " --mappings " + given.mappings;
  }
  if (given.unit_links) text += " --unit-links";
  if (!given.routing.tables.empty()) return text + " --tables " + given.routing.tables;
  return given.routing.any() ? text + " --routing " + given.routing.routing : text;
}

std::vector<Attribute> About(const CongestionArguments& given) {
  std::vector<Attribute> about = {
      {"command_line", CommandLine(given)},
      {"placement", given.mappings.empty() ? given.placement : std::string("given")},
      {"network_digest", InputDigest(given.network)}};
  if (!given.routing.tables.empty())
    about.push_back({"tables_digest", InputDigest(given.routing.tables)});
  if (given.routing.any())
    about.push_back(
        {"routing", given.routing.tables.empty() ? given.routing.routing : std::string("tables")});
  if (!given.mappings.empty()) about.push_back({"mappings_digest", InputDigest(given.mappings)});
  return about;
}

/// Collective.
void Verify(const CongestionArguments& given, const CongestionRequest& request,
            const Communicator& world, Network* network) {
  PacketCheckOptions options;
  options.settings = given.settings;
  AgreeOnErrors(world, [&] {
    options.size = ParseBytes(given.verify);
    if (options.size.count <= 0 || options.size.count > kMaxFlowBytes)
      throw UserError(
          fmt::format("--verify-with-packets: '{}'. Expected: a size above 0, such as 16MiB",
                      Printable(given.verify)));
    if (network->dot) network->fabric = ReadFabric(given.network, given.routing);
  });
  const PacketCheck check =
      CheckWithPackets(*network->fabric.graph, network->paths(), request, options, world);
  if (world.is_root()) PrintText(PacketCheckText(network->paths(), check));
}

/// At the root.
void WriteFiles(const CongestionArguments& given, const CongestionRequest& request,
                const CongestionStudy& study, Network* network) {
  const StaticPaths& paths = network->paths();
  if (!given.output.empty())
    WriteCongestionResult(paths, request, study, {About(given), given.output, given.force});
  if (!given.dot.empty())
    WriteText(given.dot, network->dot ? network->dot->Coloured(HeatOf(paths, request, study))
                                      : HeatDot(DrawLoad(paths, request, study)));
  if (!given.svg.empty()) WriteText(given.svg, HeatSvg(DrawLoad(paths, request, study)));
}

void Execute(const CongestionArguments& given, const Communicator& world) {
  Network network;
  CongestionRequest request;
  AgreeOnErrors(world, [&] {
    if (world.is_root()) CheckFiles(given);
    ReadNetwork(given, &network);
    for (const std::string& warning : network.fabric.warnings) {
      if (world.is_root()) PrintWarning(warning);
    }
    CheckDrawings(given, network.paths());
    request = MakeRequest(given, network);
  });
  const CongestionStudy study = StudyCongestion(network.paths(), request, world);
  AgreeOnErrors(world, [&] {
    if (!world.is_root()) return;
    PrintText(CongestionText(network.paths(), request, study, given.network));
    WriteFiles(given, request, study, &network);
  });
  if (!given.verify.empty()) Verify(given, request, world, &network);
}

}  // namespace

int CongestionCommand(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--compat") {
    if (arguments.size() < 2)
      throw UsageError("--compat has no value. Expected: orcs-1.1 or orcs-2.0");
    return RunOrcs(ParseOrcsVersion(arguments[1]), {arguments.begin() + 2, arguments.end()});
  }
  CongestionArguments given;
  CLI::App app(
      "Count who shares which cable when a pattern's ranks are placed at random: bandwidth "
      "without a simulated packet.",
      "congestion");
  AddArguments(&app, &given);
  if (!ParseArguments(&app, arguments)) return 0;
  if (app.count("--compat") > 0) throw UsageError("--compat must be the first word");
  return OnAllRanks([&](const Communicator& world) {
    Execute(given, world);
    return 0;
  });
}

}  // namespace heddle
