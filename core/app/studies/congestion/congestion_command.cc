// SPDX-License-Identifier: GPL-2.0-only
/// `heddle congestion`: what random placements of a communication pattern get of a network's
/// bandwidth, by counting who shares which cable.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/file_digest.h"
#include "core/app/base/cli/on_all_ranks.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/setup/all_options.h"
#include "core/app/run/setup/transport_agreement.h"
#include "core/app/studies/congestion/congestion_arguments.h"
#include "core/app/studies/congestion/congestion_drawing.h"
#include "core/app/studies/congestion/congestion_json.h"
#include "core/app/studies/congestion/congestion_result.h"
#include "core/app/studies/congestion/congestion_text.h"
#include "core/app/studies/congestion/counted_routes.h"
#include "core/app/studies/congestion/packet_check.h"
#include "core/app/studies/congestion/queue_pair_split.h"
#include "core/app/studies/congestion/route_check.h"
#include "core/app/studies/orcs/orcs_program.h"
#include "core/app/studies/static_study/congestion_study.h"
#include "core/app/studies/static_study/host_choice.h"
#include "core/app/studies/static_study/host_names.h"
#include "core/app/studies/static_study/listed_patterns.h"
#include "core/options/nearest_name.h"
#include "core/system/output_lock.h"
#include "core/traffic/flow_request.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "topology/files/orcs_dot.h"
#include "topology/graph/graph.h"
#include "topology/load/graph_paths.h"
#include "topology/load/route_quality.h"
#include "topology/load/table_paths.h"

namespace heddle {
namespace {

/// A network, and what its paths refer to.
struct Network {
  FabricInput fabric;
  std::optional<OrcsDot> dot;  ///< read for itself: cables may have one direction only
  std::unique_ptr<GraphPaths> of_graph;
  const Graph* graph() const { return dot ? nullptr : fabric.graph.get(); }
  const StaticPaths& paths() const {
    return of_graph ? static_cast<const StaticPaths&>(*of_graph) : dot->network();
  }
};

void ReadNetwork(const CongestionArguments& given, Network* network) {
  CheckRoutesAreGiven(given);
  if (IsDotFile(given.network) && !given.routing.any()) {
    ReadAs(FileKind::kDot, given.network,
           [&] { network->dot.emplace(ReadTextFile(given.network), given.network); });
    return;
  }
  network->fabric = ReadFabric(given.network, given.routing);
  const FabricInput& fabric = network->fabric;
  if (fabric.tables != nullptr) {
    network->of_graph =
        std::make_unique<TablePaths>(*fabric.graph, *fabric.tables, fabric.names, fabric.labels);
  } else {
    network->of_graph = std::make_unique<GraphPaths>(*fabric.graph, fabric.names, fabric.labels);
  }
}

/// The hosts of each server: as the file says, or as many neighbours as a server has GPUs.
std::vector<std::vector<std::uint32_t>> ServersOf(const FabricInput& fabric, std::uint32_t hosts) {
  if (!fabric.servers.empty()) return fabric.servers;
  return EqualServers(hosts, fabric.graph ? fabric.graph->gpus_per_server() : 1);
}

/// Throws UsageError for an unknown placement.
std::shared_ptr<const HostChoice> ChooseHosts(const CongestionArguments& given,
                                              const FabricInput& fabric, std::uint32_t hosts,
                                              std::uint32_t ranks) {
  const std::string& placement = given.placement;
  DrawnServers drawn;
  drawn.servers = EqualServers(hosts, 1);
  drawn.ranks = ranks;
  drawn.seed = given.seed;
  drawn.fixed_subset = given.fixed_subset;
  if (placement == "servers") {
    drawn.servers = ServersOf(fabric, hosts);
  } else if (placement == "in-order") {
    std::vector<std::uint32_t> in_order(ranks);
    std::iota(in_order.begin(), in_order.end(), 0U);
    return std::make_shared<GivenHosts>(
        std::vector<std::vector<std::uint32_t>>{std::move(in_order)});
  } else if (placement != "random") {
    throw UsageError(fmt::format("--placement: '{}'.{} Expected: random, servers or in-order",
                                 Printable(placement),
                                 DidYouMean(placement, {"random", "servers", "in-order"})));
  }
  return std::make_shared<DrawnHosts>(std::move(drawn));
}

CongestionRequest MakeRequest(const CongestionArguments& given, const Network& network) {
  const StaticPaths& paths = network.paths();
  const std::uint32_t hosts = paths.host_count();
  const std::uint32_t gpus_per_server =
      network.fabric.graph ? network.fabric.graph->gpus_per_server() : 1;
  CongestionRequest request;
  const std::uint32_t ranks = given.ranks == 0 ? hosts - hosts % 2 : given.ranks;
  if (hosts < 2)
    throw UserError(
        fmt::format("{}: {} hosts. Expected: 2 and more", Printable(given.network), hosts));
  if (ranks < 2 || ranks > hosts)
    throw UserError(
        fmt::format("--ranks: found {}. Expected: 2 to {}, as many as hosts", ranks, hosts));
  request.pattern.text = given.pattern;
  request.pattern.ranks = ranks;
  request.pattern.first_ranks = given.first_ranks;
  request.pattern.list = ListPatterns(gpus_per_server);
  request.seed = given.seed;
  request.hosts = ChooseHosts(given, network.fabric, hosts, ranks);
  if (!given.mappings.empty())
    request.hosts = std::make_shared<GivenHosts>(ReadAs(FileKind::kUnknown, given.mappings, [&] {
      return ParseMappings(ReadTextFile(given.mappings), given.mappings, paths, ranks);
    }));
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
  CheckJsonAlone(given.json, "--dot", given.dot);
  CheckJsonAlone(given.json, "--svg", given.svg);
  std::vector<InputFile> inputs = {{"NETWORK", given.network}};
  if (!given.routing.tables.empty()) inputs.push_back({"--tables", given.routing.tables});
  if (!given.mappings.empty()) inputs.push_back({"--mappings", given.mappings});
  CheckOutputs(
      {{"-o", given.output, /*is_text=*/false}, {"--dot", given.dot}, {"--svg", given.svg}}, inputs,
      given.force);
}

std::vector<Attribute> About(const CongestionArguments& given, const Network& network) {
  std::vector<Attribute> about = {
      {"command_line", CommandLine(given)},
      {"placement", given.mappings.empty() ? given.placement : std::string("given")},
      {"fixed_subset", std::int64_t{given.fixed_subset ? 1 : 0}},
      {"network_digest", InputDigest(given.network)}};
  if (!given.routing.tables.empty())
    about.push_back({"tables_digest", InputDigest(given.routing.tables)});
  about.push_back({"routing", RoutesOf(given, network.graph()).word});
  if (!given.mappings.empty()) about.push_back({"mappings_digest", InputDigest(given.mappings)});
  return about;
}

/// Throws UserError for settings with which `heddle run` would not run.
void CheckSettings(const CongestionArguments& given) {
  AllOptions all;
  all.options.SetAll(given.settings);
  CheckTransport(all.transport);
  if (all.transport.monitors.any()) {
    throw UserError(
        "monitor.kinds: --verify-with-packets keeps no samples. Expected: monitor.kinds=none");
  }
}

/// The size and the settings of the packets. Throws UserError for what they may not be.
PacketCheckOptions PacketOptions(const CongestionArguments& given) {
  PacketCheckOptions options;
  options.settings = given.settings;
  CheckSettings(given);
  const auto refuse = [&] {
    throw UserError(fmt::format("--verify-with-packets: '{}'. Expected: a size from 1B to {}",
                                Printable(given.verify), ToText(Bytes{kMaxFlowBytes})));
  };
  try {
    options.size = ParseBytes(given.verify);
  } catch (const UserError&) {
    refuse();
  }
  if (options.size.count <= 0 || options.size.count > kMaxFlowBytes) refuse();
  return options;
}

/// Collective. At the root prints what was found, or puts it into the object of --json.
void Verify(const CongestionArguments& given, const CongestionRequest& request,
            const PacketCheckOptions& options, const Communicator& world, Network* network,
            OrderedJson* document) {
  AgreeOnErrors(world, [&] {
    if (network->dot) network->fabric = ReadFabric(given.network, given.routing);
    AllOptions all;
    all.options.SetAll(options.settings);
    if (network->fabric.tables != nullptr) CheckOnTables(all.transport);
  });
  const PacketCheck check =
      CheckWithPackets(*network->fabric.graph, network->paths(), request, options, world);
  if (!world.is_root()) return;
  if (given.json) {
    (*document)["packets"] = PacketsJson(network->paths(), check);
  } else {
    PrintText(PacketCheckText(network->paths(), check));
  }
}

/// At the root.
void WriteFiles(const CongestionArguments& given, const CongestionRequest& request,
                const CongestionStudy& study, const QueuePairSplit& split, Network* network) {
  const StaticPaths& paths = network->paths();
  if (!given.output.empty())
    WriteCongestionResult(paths, request, study, split,
                          {About(given, *network), given.output, given.force});
  if (!given.dot.empty())
    WriteText(given.dot, network->dot ? network->dot->Coloured(HeatOf(paths, request, study))
                                      : HeatDot(DrawLoad(paths, request, study)));
  if (!given.svg.empty()) WriteText(given.svg, HeatSvg(DrawLoad(paths, request, study)));
}

/// Routes alone. At the root.
int ReportRoutes(const CongestionArguments& given) {
  int code = 0;
  OrderedJson document = CongestionDocument(given.network, "");
  if (given.check_routes) {
    CheckRoutesAreGiven(given);
    const FabricInput fabric = ReadFabric(given.network, given.routing, TableUse::kAsTheyAre);
    const RouteCheck check = CheckRoutes(fabric);
    document["route_check"] = RouteCheckJson(check);
    if (!given.json) PrintText(check.text);
    if (!check.whole) code = static_cast<int>(ExitCode::kBadInput);
  }
  if (given.route_quality) {
    Network network;
    ReadNetwork(given, &network);
    const RouteQuality quality = QualityOf(network.paths());
    document["route_quality"] = RouteQualityJson(quality);
    if (!given.json)
      PrintText(fmt::format(
          "route quality    {} pairs of hosts with inner cables; of each the largest load: {:.0f} "
          "to {:.0f}, mean {:.2f}, sigma {:.2f}\n",
          quality.pairs, quality.least, quality.most, quality.mean, quality.sigma));
  }
  if (given.json) PrintJson(document);
  return code;
}

void Execute(const CongestionArguments& given, const Communicator& world) {
  Network network;
  CongestionRequest request;
  PacketCheckOptions packets;
  OutputLock lock;  // the root's, until the result has its name
  AgreeOnErrors(world, [&] {
    if (!given.verify.empty()) packets = PacketOptions(given);
    if (world.is_root()) {
      CheckFiles(given);
      if (!given.output.empty()) lock = OutputLock(given.output, given.force);
    }
    ReadNetwork(given, &network);
    for (const std::string& warning : network.fabric.warnings) {
      if (world.is_root()) PrintWarning(warning);
    }
    CheckDrawings(given, network.paths());
    request = MakeRequest(given, network);
  });
  AgreeOnErrors(world, [&] {
    if (given.queue_pairs > 0 && (network.dot || network.fabric.tables != nullptr))
      throw UserError(
          "--queue-pairs: with forwarding tables all queue pairs of a message take one way. "
          "Expected: a topology file without tables");
    if (given.queue_pairs > 0) CheckQueuePairs(request, given.queue_pairs);
  });
  const CongestionStudy study = StudyCongestion(network.paths(), request, world, true);
  QueuePairSplit split;
  if (given.queue_pairs > 0)
    split = StudyQueuePairs(*network.of_graph, request, given.queue_pairs, world, true);
  OrderedJson document;  // of --json, at the root
  AgreeOnErrors(world, [&] {
    if (!world.is_root()) return;
    const std::string routes = RoutesOf(given, network.graph()).text;
    if (given.json) {
      document = CongestionDocument(given.network, routes);
      document["study"] = StudyJson(network.paths(), request, study);
      if (given.queue_pairs > 0) document["queue_pairs"] = QueuePairsJson(split);
    } else {
      PrintText(CongestionText(network.paths(), request, study, given.network, routes));
      if (given.queue_pairs > 0) PrintText(QueuePairText(split));
    }
    WriteFiles(given, request, study, split, &network);
  });
  if (!given.verify.empty()) Verify(given, request, packets, world, &network, &document);
  AgreeOnErrors(world, [&] {
    if (given.json && world.is_root()) PrintJson(document);
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
  given.names_routing = app.count("--routing") > 0;
  return OnAllRanks([&](const Communicator& world) {
    if (!given.check_routes && !given.route_quality) {
      Execute(given, world);
      return 0;
    }
    int code = 0;
    AgreeOnErrors(world, [&] {
      if (world.is_root()) code = ReportRoutes(given);
    });
    return static_cast<int>(world.Max(std::int64_t{code}));
  });
}

}  // namespace heddle
