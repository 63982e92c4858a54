// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/studies/orcs/orcs_routes.h"
#include "core/base/printable.h"
#include "core/base/random.h"

namespace heddle {
namespace {

std::string NamesText(const OrcsArguments& given, const CongestionRequest& request,
                      const StaticNetwork& network, std::uint64_t run) {
  std::string text = given.is_old() ? "\n\nUsed subset of nodes: \n=================\n"
                                    : "\n\nNamelist in node with rank 0: \n=================\n";
  for (const std::uint32_t host : request.hosts->MappingOf(run))
    text += PrintableLines(network.HostName(host)) + "\n";
  return text + "===============\n\n";
}

std::string PatternText(const OrcsArguments& given, const StaticNetwork& network,
                        const std::vector<RankPair>& pairs,
                        const std::vector<std::uint32_t>& mapping) {
  const bool old = given.is_old();
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

std::string BrokenText(const StaticNetwork& network, const std::vector<RankPair>& pairs,
                       const std::vector<std::uint32_t>& mapping) {
  std::string text;
  for (const RankPair& pair : pairs)
    text += DescribePath(network, mapping[pair.source], mapping[pair.destination]);
  return text;
}

}  // namespace

std::string OrcsRunsText(const OrcsArguments& given, const CongestionRequest& request,
                         const StaticNetwork& network, const CongestionStudy& study) {
  std::string text;
  const bool broken = std::any_of(study.runs.begin(), study.runs.end(), [](const LoadFigures& run) {
    return run.no_route + run.loops > 0;
  });
  const auto pattern = MakeLevelPattern(request.pattern);
  const std::uint64_t runs = given.print_names || given.print_pattern || broken ? request.runs : 0;
  std::vector<RankPair> pairs;
  for (std::uint64_t run = 0; run < runs; ++run) {
    RandomStream random(request.seed, run, RandomPurpose::kLevelPattern);
    pattern->BeginRun(&random);
    if (given.print_names) text += NamesText(given, request, network, run);
    if (!given.print_pattern && !broken) continue;
    const std::vector<std::uint32_t> mapping = request.hosts->MappingOf(run);
    const std::uint64_t first = static_cast<std::uint64_t>(std::max(given.level, 0));
    pattern->Level(first, &pairs);
    for (std::uint64_t level = first; !pairs.empty(); pattern->Level(++level, &pairs)) {
      if (given.print_pattern) text += PatternText(given, network, pairs, mapping);
      if (broken) text += BrokenText(network, pairs, mapping);
      if (given.level >= 0) break;
    }
    const bool says_end = given.is_old() && given.metric != "dep_max_delay";
    if (given.print_pattern && says_end && pairs.empty()) text += "Pattern empty!\n";
  }
  return text;
}

}  // namespace heddle
