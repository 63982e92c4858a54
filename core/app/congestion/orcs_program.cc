// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/congestion/orcs_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/app/cli/commands.h"
#include "core/app/cli/on_all_ranks.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/terminal.h"
#include "core/app/congestion/congestion_study.h"
#include "core/app/congestion/orcs_routes.h"
#include "core/app/congestion/orcs_text.h"
#include "core/app/setup/output_conflicts.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/input/text_file.h"
#include "topology/files/orcs_dot.h"

namespace heddle {
namespace {

constexpr int kRefused = 1;  ///< ORCS's own exit code

bool IsOld(const OrcsArguments& given) { return given.version == OrcsVersion::k11; }

/// heddle's name of the pattern and its argument.
std::string PatternName(const OrcsArguments& given) {
  if (given.pattern == "ptrnvsptrn" && IsOld(given))
    return fmt::format("ptrnvsptrn:{}::{}", given.first, given.second);
  if (!given.argument_given) return given.pattern;
  return given.pattern + ":" + given.argument;
}

void CheckSizes(const OrcsArguments& given, std::uint32_t hosts) {
  const auto refuse = [](const char* flag, int found, int least, std::int64_t most) {
    throw UserError(fmt::format("--{}: found {}. Expected: {} to {}", flag, found, least, most));
  };
  const std::int64_t most = hosts;
  const int least = IsOld(given) ? 1 : 4;
  if (given.ranks < least || given.ranks > most) refuse("commsize", given.ranks, least, most);
  const bool has_parts = given.pattern == "ptrnvsptrn" || !IsOld(given);
  if (has_parts && (given.first_ranks < 2 || given.first_ranks >= given.ranks))
    refuse("part_commsize", given.first_ranks, 2, given.ranks - 1);
  if (given.level >= 0 && !given.pattern_given)
    throw UserError("--ptrn_level: no pattern is given. Expected: --ptrn too");
  if (given.argument_given && !given.pattern_given)
    throw UserError("--ptrnarg: no pattern is given. Expected: --ptrn too");
  if (given.part_subset != "none")
    throw UserError(
        fmt::format("--part_subset: found {}. Expected: none; other choices of ORCS 2.0 "
                    "are not reproduced",
                    given.part_subset));
}

HostChoice ChooseHosts(const OrcsArguments& given, const OrcsDot& dot) {
  HostChoice choice;
  const StaticNetwork& network = dot.network();
  choice.ranks = static_cast<std::uint32_t>(given.ranks);
  choice.seed = given.seed;
  choice.shuffled = given.shuffle;
  choice.drawn = given.subset == "rand";
  choice.fixed_subset = true;
  if (given.subset == "linear_bfs") {
    choice.hosts = dot.HostsBreadthFirst();
  } else if (given.subset != "rand") {
    choice.hosts = HostsByGuid(network, given.subset == "guid_order_asc");
  } else {
    choice.hosts.resize(network.host_count());
    std::iota(choice.hosts.begin(), choice.hosts.end(), 0U);
  }
  if (choice.ranks > choice.hosts.size())
    throw UserError(
        fmt::format("--subset linear_bfs: {} hosts are reached from the first node. Expected: {}",
                    choice.hosts.size(), choice.ranks));
  if (given.order_file != "-") {
    if (!choice.drawn) choice.hosts.resize(choice.ranks);
    choice.in_place = PutFirst(ReadTextFile(given.order_file), network, &choice.hosts);
  }
  if (!given.mappings.empty())
    choice.mappings =
        ParseMappings(ReadTextFile(given.mappings), given.mappings, network, choice.ranks);
  return choice;
}

CongestionRequest MakeRequest(const OrcsArguments& given, const OrcsDot& dot,
                              std::uint32_t processes) {
  CongestionRequest request;
  request.pattern = {PatternName(given), static_cast<std::uint32_t>(given.ranks),
                     static_cast<std::uint32_t>(given.first_ranks), PatternRules::kOrcs};
  request.hosts = ChooseHosts(given, dot);
  request.load.unit_links = true;
  request.load.only_level = given.level;
  request.load.delay_ranks = static_cast<std::uint32_t>(given.first_ranks);
  request.load.delay_rules = IsOld(given) ? DelayRules::kOrcs11 : DelayRules::kOrcs20;
  request.load.cable_sums = given.metric == "get_cable_cong";
  request.load.sum_after_each = true;
  const int each =
      std::max((given.runs + static_cast<int>(processes) - 1) / static_cast<int>(processes), 1);
  request.runs = static_cast<std::uint64_t>(each) * processes;  // ORCS rounds up for each process
  request.count_broken = true;
  return request;
}

int CountLevels(const CongestionRequest& request) {
  const auto pattern = MakeLevelPattern(request.pattern);
  RandomStream random(request.hosts.seed, 0, RandomPurpose::kLevelPattern);
  pattern->BeginRun(&random);
  std::vector<RankPair> pairs;
  int levels = 0;
  for (pattern->Level(0, &pairs); !pairs.empty(); pattern->Level(levels, &pairs)) ++levels;
  return levels;
}

std::string NamesText(const OrcsArguments& given, const CongestionRequest& request,
                      const StaticNetwork& network, std::uint64_t run) {
  std::string text = IsOld(given) ? "\n\nUsed subset of nodes: \n=================\n"
                                  : "\n\nNamelist in node with rank 0: \n=================\n";
  for (const std::uint32_t host : MappingOf(request.hosts, run))
    text += PrintableLines(network.HostName(host)) + "\n";
  return text + "===============\n\n";
}

std::string PatternText(const OrcsArguments& given, const StaticNetwork& network,
                        const std::vector<RankPair>& pairs,
                        const std::vector<std::uint32_t>& mapping) {
  const bool old = IsOld(given);
  std::string text = fmt::format("\nUsed Pattern:\n{}\n", std::string(old ? 11 : 17, '='));
  for (const RankPair& pair : pairs) {
    if (old) {
      text += fmt::format("{} -> {}\n", pair.source, pair.destination);
      continue;
    }
    text += fmt::format("{:5} -> {:<7} |   {} -> {}\n", pair.source, pair.destination,
                        PrintableLines(network.HostName(mapping[pair.source])),
                        PrintableLines(network.HostName(mapping[pair.destination])));
  }
  return text + std::string(old ? 10 : 17, '=') + "\n";
}

/// Names and patterns of all runs, if they are asked for.
std::string RunsText(const OrcsArguments& given, const CongestionRequest& request,
                     const StaticNetwork& network) {
  std::string text;
  const auto pattern = MakeLevelPattern(request.pattern);
  const std::uint64_t runs = given.print_names || given.print_pattern ? request.runs : 0;
  std::vector<RankPair> pairs;
  for (std::uint64_t run = 0; run < runs; ++run) {
    RandomStream random(request.hosts.seed, run, RandomPurpose::kLevelPattern);
    pattern->BeginRun(&random);
    if (given.print_names) text += NamesText(given, request, network, run);
    if (!given.print_pattern) continue;
    const std::vector<std::uint32_t> mapping = MappingOf(request.hosts, run);
    const std::uint64_t first = static_cast<std::uint64_t>(std::max(given.level, 0));
    pattern->Level(first, &pairs);
    for (std::uint64_t level = first; !pairs.empty(); pattern->Level(++level, &pairs)) {
      text += PatternText(given, network, pairs, mapping);
      if (given.level >= 0) break;
    }
    const bool says_end = IsOld(given) && given.metric != "dep_max_delay";
    if (says_end && pairs.empty()) text += "Pattern empty!\n";
  }
  return text;
}

void CheckOutput(const OrcsArguments& given) {
  std::vector<InputFile> inputs;
  for (const auto& [flag, path] : {std::pair{"--input_file", &given.input},
                                   {"--node_ordering_file", &given.order_file},
                                   {"--mappings", &given.mappings}}) {
    if (!path->empty() && *path != "-") inputs.push_back({flag, *path});
  }
  CheckOutputs({{"-o", given.output}}, inputs, given.force);
}

/// Everything but the result.
struct Prepared {
  OrcsDot dot;
  CongestionRequest request;
};

Prepared Prepare(OrcsArguments* given, const std::string& text, std::uint32_t processes) {
  OrcsDot dot(text, given->input);
  const std::uint32_t hosts = dot.network().host_count();
  if (!IsOld(*given) && hosts < 4)
    throw UserError(fmt::format("{}: {} hosts. Expected: 4 or more", given->input, hosts));
  if (given->ranks == 0) given->ranks = static_cast<int>(hosts - hosts % 2);
  CheckSizes(*given, hosts);
  CongestionRequest request = MakeRequest(*given, dot, processes);
  MakeLevelPattern(request.pattern);
  return {std::move(dot), std::move(request)};
}

void PrintHead(const OrcsArguments& given, const StaticNetwork& network) {
  PrintText(OrcsHead(given) +
            OrcsSizesText(given, {static_cast<std::uint32_t>(given.ranks), network.host_count(),
                                  network.node_count(), network.cable_count()}));
}

int Simulate(const OrcsArguments& given, Prepared* prepared, const Communicator& world) {
  const StaticNetwork& network = prepared->dot.network();
  const CongestionStudy study = StudyCongestion(network, prepared->request, world);
  AgreeOnErrors(world, [&] {
    if (!world.is_root()) return;
    PrintText(RunsText(given, prepared->request, network));
    const bool to_screen = given.output == "-";
    const std::string result = given.metric == "get_cable_cong" && to_screen
                                   ? prepared->dot.Coloured(CableShares(study.totals.cables))
                                   : OrcsResult(given, study);
    if (to_screen) {
      PrintText(result);
    } else {
      WriteText(given.output, OrcsHead(given) + result);
    }
  });
  return 0;
}

int Execute(const OrcsArguments& arguments, const Communicator& world) {
  OrcsArguments given = arguments;
  std::optional<Prepared> prepared;
  std::string text;
  AgreeOnErrors(world, [&] {
    if (world.is_root()) text = ReadTextFile(given.input);
  });
  text = world.Broadcast(text);
  AgreeOnErrors(world, [&] { prepared = Prepare(&given, text, world.size()); });
  const StaticNetwork& network = prepared->dot.network();
  if (given.count_levels) {
    const int levels = CountLevels(prepared->request);
    if (world.is_root())
      PrintText(fmt::format(
          "The given input configuration would result in a {} level simulation.\n", levels));
    return levels;
  }
  if (world.is_root()) PrintHead(given, network);
  if (!given.check_file && !given.check_routes) return Simulate(given, &*prepared, world);
  const std::string routes = DescribeBroken(network);
  if (world.is_root())
    PrintText(routes + (given.check_routes ? RouteQuality(network) : "Completed\n"));
  return 0;
}

}  // namespace

int RunOrcs(OrcsVersion version, const std::vector<std::string>& words) {
  OrcsArguments given;
  try {
    given = ParseOrcsArguments(version, words);
  } catch (const UserError& error) {
    if (SpeaksForAll()) PrintError(error.what());
    return kRefused;
  }
  if (given.help || given.version_asked) {
    PrintText(given.help ? OrcsHelp(version) : VersionText() + "\n");
    return 0;
  }
  return OnAllRanks([&](const Communicator& world) {
    AgreeOnErrors(world, [&] {  // heddle's own rule, with its own codes
      if (world.is_root()) CheckOutput(given);
    });
    try {
      return Execute(given, world);
    } catch (const SharedError& error) {
      if (world.is_root()) PrintError(error.what());
      return kRefused;
    }
  });
}

}  // namespace heddle
