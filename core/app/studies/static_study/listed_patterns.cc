// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/listed_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/choice/algorithm_choice.h"
#include "collectives/choice/collective_options.h"
#include "collectives/schedule/explicit_flows.h"
#include "collectives/schedule/parse_operation.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/units.h"
#include "core/options/options.h"
#include "io/input/file_kind.h"
#include "io/input/pair_levels_csv.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

struct Wanted {
  CollectiveSpec spec;
  CollectiveOptions options;
};

bool IsSize(const std::string& word) {
  return !word.empty() && word.front() >= '0' && word.front() <= '9';
}

/// Sets the algorithm of the operation, as --set does.
void SetAlgorithm(const std::string& word, Wanted* wanted) {
  OptionSet options;
  wanted->options.Declare(&options);
  std::string operation = ToText(wanted->spec.operation);
  std::transform(operation.begin(), operation.end(), operation.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string key = "algorithm." + operation;
  const auto& all = options.options();
  const bool has_choice =
      std::any_of(all.begin(), all.end(), [&](const Option& option) { return option.key == key; });
  if (!has_choice)
    throw UserError(
        fmt::format("pattern collective: '{}'. Expected: a size, as {} has one algorithm",
                    Printable(word), operation));
  options.Set(key, word, {"pattern collective", 0});
}

/// `argument`: "allreduce,tree,16MiB".
void Parse(const std::string& argument, Wanted* wanted) {
  constexpr std::int64_t kBytes = 16 << 20;
  std::istringstream words(argument);
  std::string word;
  std::getline(words, word, ',');
  wanted->spec.operation = ParseOperation("pattern collective", word);
  wanted->spec.bytes = kBytes;
  while (std::getline(words, word, ',')) {
    if (IsSize(word)) {
      wanted->spec.bytes = ParseBytes(word).count;
    } else {
      SetAlgorithm(word, wanted);
    }
  }
  if (wanted->spec.bytes <= 0)
    throw UserError("pattern collective: no byte. Expected: a size above 0, such as 16MiB");
}

ListedLevels StepsOf(const std::vector<SingleFlow>& flows, std::uint32_t ranks) {
  std::vector<std::uint32_t> level(flows.size(), 0);
  std::vector<std::uint32_t> waiting(flows.size()), ready;
  for (std::uint32_t i = 0; i < flows.size(); ++i) {
    waiting[i] = static_cast<std::uint32_t>(flows[i].parents.size());
    if (waiting[i] == 0) ready.push_back(i);
  }
  for (std::size_t at = 0; at < ready.size(); ++at) {
    for (const std::uint32_t child : flows[ready[at]].children) {
      level[child] = std::max(level[child], level[ready[at]] + 1);
      if (--waiting[child] == 0) ready.push_back(child);
    }
  }
  std::map<std::uint32_t, std::vector<RankPair>> by_level;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const RankPair pair{flows[i].src.value, flows[i].dst.value};
    if (pair.source < ranks && pair.destination < ranks) by_level[level[i]].push_back(pair);
  }
  ListedLevels listed;
  for (auto& [number, pairs] : by_level) listed.Add(std::move(pairs));
  return listed;
}

ListedLevels ListCollective(const std::string& argument, std::uint32_t ranks,
                            std::uint32_t gpus_per_server) {
  Wanted wanted;
  Parse(argument, &wanted);
  const GroupShape shape(ranks, gpus_per_server, 0);
  const AlgorithmChoice choice = ChooseAlgorithm(wanted.spec, shape, "", wanted.options);
  const auto schedule = MakeSchedule(wanted.spec, choice, shape, wanted.options);
  if (schedule == nullptr) return {};
  return StepsOf(MakeExplicitFlows(*schedule, shape), ranks);
}

}  // namespace

ListLevels ListPatterns(std::uint32_t gpus_per_server) {
  using Key = std::pair<std::string, std::uint32_t>;
  auto kept = std::make_shared<std::map<Key, std::shared_ptr<const ListedLevels>>>();
  return [kept, gpus_per_server](const std::string& name, const std::string& argument,
                                 std::uint32_t ranks) {
    auto& levels = (*kept)[{name + ":" + argument, ranks}];
    if (levels) return levels;
    levels = std::make_shared<const ListedLevels>(
        name == "pairs"
            ? ReadAs(FileKind::kUnknown, argument,
                     [&] { return ParsePairLevels(ReadTextFile(argument), argument, ranks); })
            : ListCollective(argument, ranks, gpus_per_server));
    return levels;
  };
}

}  // namespace heddle
