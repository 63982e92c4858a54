// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/on_all_ranks.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/studies/orcs/orcs_hosts.h"
#include "core/app/studies/orcs/orcs_load.h"
#include "core/app/studies/orcs/orcs_patterns.h"
#include "core/app/studies/orcs/orcs_routes.h"
#include "core/app/studies/orcs/orcs_runs.h"
#include "core/app/studies/orcs/orcs_text.h"
#include "core/app/studies/static_study/congestion_study.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "topology/files/orcs_dot.h"

namespace heddle {
namespace {

constexpr int kRefused = 1;  ///< ORCS's own exit code

/// heddle's name of the pattern and its argument.
std::string PatternName(const OrcsArguments& given) {
  if (given.pattern == "ptrnvsptrn" && given.is_old())
    return fmt::format("ptrnvsptrn:{}::{}", given.first, given.second);
  if (!given.argument_given) return given.pattern;
  return given.pattern + ":" + given.argument;
}

void CheckSizes(const OrcsArguments& given, std::uint32_t hosts) {
  const auto refuse = [](const char* flag, int found, int least, std::int64_t most) {
    throw UserError(fmt::format("--{}: found {}. Expected: {} to {}", flag, found, least, most));
  };
  const std::int64_t most = hosts;
  const int least = given.is_old() ? 1 : 4;
  if (given.ranks < least || given.ranks > most) refuse("commsize", given.ranks, least, most);
  const bool has_parts = given.pattern == "ptrnvsptrn" || !given.is_old();
  if (has_parts && (given.first_ranks < 2 || given.first_ranks >= given.ranks))
    refuse("part_commsize", given.first_ranks, 2, given.ranks - 1);
  if (given.level >= 0 && !given.pattern_given)
    throw UserError("--ptrn_level: no pattern is given. Expected: --ptrn too");
  if (given.argument_given && !given.pattern_given)
    throw UserError("--ptrnarg: no pattern is given. Expected: --ptrn too");
  if (given.part_subset != "none" && given.pattern != "ptrnvsptrn")
    throw UserError("--part_subset: the pattern has no parts. Expected: --ptrn ptrnvsptrn");
  if (given.part_subset == "linear_bfs" && given.subset != "linear_bfs")
    throw UserError("--part_subset linear_bfs: found another --subset. Expected: linear_bfs too");
}

CongestionRequest MakeRequest(const OrcsArguments& given, const OrcsDot& dot,
                              std::uint32_t processes) {
  CongestionRequest request;
  request.pattern = {PatternName(given), static_cast<std::uint32_t>(given.ranks),
                     static_cast<std::uint32_t>(given.first_ranks), OrcsPatterns()};
  request.hosts = ChooseOrcsHosts(given, dot);
  request.seed = given.seed;
  request.load.unit_links = true;
  request.load.only_level = given.level;
  request.load.delay_ranks = static_cast<std::uint32_t>(given.first_ranks);
  request.load.rules = OrcsLoadRules(given.version);
  request.load.cable_sums = given.metric == "get_cable_cong";
  const int each =
      std::max((given.runs + static_cast<int>(processes) - 1) / static_cast<int>(processes), 1);
  request.runs = static_cast<std::uint64_t>(each) * processes;  // ORCS rounds up for each process
  return request;
}

int CountLevels(const CongestionRequest& request) {
  const auto pattern = MakeLevelPattern(request.pattern);
  RandomStream random(request.seed, 0, RandomPurpose::kLevelPattern);
  pattern->BeginRun(&random);
  std::vector<RankPair> pairs;
  int levels = 0;
  for (pattern->Level(0, &pairs); !pairs.empty(); pattern->Level(levels, &pairs)) ++levels;
  return levels;
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
  OrcsDot dot = ReadAs(FileKind::kDot, given->input, [&] { return OrcsDot(text, given->input); });
  const std::uint32_t hosts = dot.network().host_count();
  if (!given->is_old() && hosts < 4)
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
    PrintText(OrcsRunsText(given, prepared->request, network, study));
    const bool to_screen = given.output == "-";
    const std::string result = given.metric == "get_cable_cong" && to_screen
                                   ? prepared->dot.Coloured(CableShares(study.totals.cables))
                                   : OrcsResult(given, study);
    if (to_screen) {
      PrintText(result);
    } else {
      WriteText(given.output, OrcsHead(given) + result);
    }
    // ORCS 1.1 says the number of runs on the screen, wherever the result is.
    if (given.is_old() && given.metric == "hist_acc_band")
      PrintText(fmt::format("{}\n", study.runs.size()));
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
      PrintText(
          fmt::format("The given input configuration would result in a {}{}level simulation.\n",
                      levels, given.is_old() ? ' ' : '-'));
    return levels;
  }
  if (world.is_root()) PrintHead(given, network);
  if (!given.check_file && !given.check_routes) return Simulate(given, &*prepared, world);
  const std::string routes = DescribeBroken(network);
  if (world.is_root())
    PrintText(routes + (given.check_routes ? RouteQualityText(network) : "Completed\n"));
  return 0;
}

/// What --ptrnarg expects.
std::string PatternHelp(const std::string& pattern) {
  for (const std::string& name : LevelPatternNames()) {
    if (name.rfind(pattern + ":", 0) == 0)
      return fmt::format("Usage: --ptrn={} --ptrnarg={}\n", pattern,
                         name.substr(pattern.size() + 1));
  }
  return fmt::format("Usage: --ptrn={}, without --ptrnarg\n", pattern);
}

/// What is asked about the program instead of a network; empty: nothing.
std::string Told(const OrcsArguments& given) {
  if (given.help) return OrcsHelp(given.version);
  if (given.version_asked) return VersionText() + "\n";
  if (given.pattern_given && given.argument == "help") return PatternHelp(given.pattern);
  return "";
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
  const std::string told = Told(given);
  if (!told.empty()) {
    if (SpeaksForAll()) PrintText(told);
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
