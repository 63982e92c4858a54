// SPDX-License-Identifier: GPL-2.0-only
/// `heddle congestion`: what random placements of a communication pattern get of a network's
/// bandwidth, by counting who shares which cable.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "core/app/cli/commands.h"
#include "core/app/cli/on_all_ranks.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/parse_arguments.h"
#include "core/app/cli/terminal.h"
#include "core/app/congestion/congestion_study.h"
#include "core/app/congestion/congestion_text.h"
#include "core/app/congestion/listed_patterns.h"
#include "core/app/congestion/orcs_program.h"
#include "core/app/routing/routing_input.h"
#include "core/app/setup/input_files.h"
#include "core/base/nearest_name.h"
#include "io/input/text_file.h"
#include "topology/files/orcs_dot.h"
#include "topology/graph/graph.h"
#include "topology/load/graph_paths.h"
#include "topology/load/table_paths.h"

namespace heddle {
namespace {

struct CongestionArguments {
  std::string network, pattern = "bisect_fb_sym", mappings;
  std::uint32_t ranks = 0, first_ranks = 2;
  std::uint64_t runs = 1000, seed = 1;
  std::string placement = "random";
  bool fixed_subset = false, unit_links = false;
  RoutingArguments routing;
};

void AddArguments(CLI::App* app, CongestionArguments* given) {
  app->add_option("NETWORK", given->network,
                  "topology file, or a network in ORCS's DOT (a name that ends with .dot)")
      ->required()
      ->type_name("FILE");
  app->add_option("--routing", given->routing.routing, RoutingText() + "; of a topology file")
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
  app->add_option("--compat", "take ORCS's flags behind this word, and print its text")
      ->type_name("orcs-1.1|orcs-2.0");
  app->footer(
      Examples({"heddle congestion fabric.txt", "heddle congestion net.dot -p tree -n 10000",
                "mpirun -n 4 heddle congestion fabric.txt -p ptrnvsptrn:tree::bisect -z 64",
                "heddle congestion --compat orcs-2.0 -i net.dot -p bruck -s 64"}));
}

/// A network, and what its ways refer to.
struct Network {
  std::optional<Graph> graph;
  std::optional<OrcsDot> dot;
  std::unique_ptr<GraphPaths> of_graph;
  const StaticPaths& paths() const {
    return of_graph ? static_cast<const StaticPaths&>(*of_graph) : dot->network();
  }
};

/// Returns warnings.
std::vector<std::string> ReadNetwork(const std::string& path, const RoutingArguments& routing,
                                     Network* network) {
  std::vector<std::string> warnings;
  const std::string end = ".dot";
  const bool is_dot =
      path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
  if (is_dot && routing.any())
    throw UserError(
        path + ": a network in DOT has tables of its own. Expected: no --routing and no --tables");
  if (is_dot) {
    network->dot.emplace(ReadTextFile(path), path);
  } else {
    network->graph.emplace(ReadTopology(path));
    const auto tables = SetRouting(routing, &*network->graph, &warnings);
    if (tables != nullptr) {
      network->of_graph = std::make_unique<TablePaths>(*network->graph, *tables);
    } else {
      network->of_graph = std::make_unique<GraphPaths>(*network->graph);
    }
  }
  return warnings;
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
  const std::uint32_t gpus_per_server = network.graph ? network.graph->gpus_per_server() : 1;
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

void Execute(const CongestionArguments& given, const Communicator& world) {
  Network network;
  CongestionRequest request;
  AgreeOnErrors(world, [&] {
    for (const std::string& warning : ReadNetwork(given.network, given.routing, &network)) {
      if (world.is_root()) PrintWarning(warning);
    }
    request = MakeRequest(given, network);
  });
  const CongestionStudy study = StudyCongestion(network.paths(), request, world);
  AgreeOnErrors(world, [&] {
    if (world.is_root()) PrintText(CongestionText(network.paths(), request, study, given.network));
  });
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
