// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/algorithm_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/tuner/tuner_algorithms.h"
#include "core/base/check.h"

namespace heddle {
namespace {

constexpr char kJoin = '+';

bool IsAmong(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether each algorithm to which the automatic choice can come is in the list.
bool LeavesAutomatic(Operation operation, const std::vector<std::string>& list) {
  return std::all_of(AlgorithmRows().begin(), AlgorithmRows().end(), [&](const AlgorithmRow& row) {
    return !row.Does(operation) || !IsAutomatic(row.algorithm) || IsAmong(list, row.word);
  });
}

/// Throws UserError unless it is one word of an option, a list of different algorithms, or a file.
void CheckList(Operation operation, const std::string& value) {
  if (value == kAutoAlgorithm || value == kFastestAlgorithm || !AlgorithmFileOf(value).empty())
    return;
  const std::vector<std::string> known = AllWordsFor(operation), given = AlgorithmsIn(value);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool twice = std::count(given.begin(), given.end(), given[i]) > 1;
    if (IsAmong(known, given[i]) && !twice) continue;
    throw UserError(fmt::format(
        "expected {}, {}, or one or several of {}, such as {}+{}; or {}NAME.xml", kAutoAlgorithm,
        kFastestAlgorithm, fmt::join(known, ", "), known[0], known[1], kAlgorithmFile));
  }
}

}  // namespace

std::string AlgorithmFileOf(const std::string& value) {
  const std::string begin = kAlgorithmFile;
  return value.rfind(begin, 0) == 0 ? value.substr(begin.size()) : "";
}

std::vector<std::string> AlgorithmsIn(const std::string& value) {
  if (value == kAutoAlgorithm || value == kFastestAlgorithm || !AlgorithmFileOf(value).empty())
    return {};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(kJoin, begin), value.size());
    words.push_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string SimcclAlgorithm(Operation operation, const std::string& value) {
  const std::vector<std::string> list = AlgorithmsIn(value);
  if (list.empty()) return AlgorithmFileOf(value).empty() ? value : kAutoAlgorithm;
  const std::vector<std::string> simulated = WordsFor(operation);
  const std::string ring = RowOf(Algorithm::kRing).word;
  if (list.size() > 1 && IsAmong(list, ring))
    return LeavesAutomatic(operation, list) ? kAutoAlgorithm : ring;
  const auto first = std::find_if(list.begin(), list.end(),
                                  [&](const std::string& w) { return IsAmong(simulated, w); });
  return first == list.end() ? "" : *first;
}

std::vector<std::string> AllWordsFor(Operation operation) {
  std::vector<std::string> words = WordsFor(operation);
  for (const std::string& word : TunerWordsFor(operation)) {
    if (!IsAmong(words, word)) words.push_back(word);
  }
  return words;
}

void AddAlgorithmOption(OptionSet* options, Operation operation, const OptionSet::About& about,
                        std::string* value) {
  Option option;
  option.key = about.key;
  option.help = about.help;
  option.source = about.source;
  option.variables = about.variables;
  option.choices = WordsFor(operation);
  option.choices.insert(option.choices.begin(), {kAutoAlgorithm, kFastestAlgorithm});
  option.range =
      fmt::format("{}, {}, one or several of {} (ring+nvls), or {}NAME.xml", kAutoAlgorithm,
                  kFastestAlgorithm, fmt::join(AllWordsFor(operation), ", "), kAlgorithmFile);
  option.set = [operation, value](std::string_view text) {
    CheckList(operation, std::string(text));
    *value = std::string(text);
  };
  option.get = [value] { return *value; };
  options->Add(std::move(option));
}

bool IsAutomatic(Algorithm algorithm) {
  return algorithm == Algorithm::kRing || algorithm == Algorithm::kNvls ||
         algorithm == Algorithm::kNvlsTree || algorithm == Algorithm::kDirect;
}

}  // namespace heddle
