// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/choice/algorithm_list.h"
#include "collectives/tuner/tuner_algorithms.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

using Names = std::vector<std::string>;

/// An algorithm by NCCL's name, in lower case, and by that of the options.
struct NamedAlgorithm {
  std::string nccl, word;
};
using Algorithms = std::vector<NamedAlgorithm>;

/// NCCL's old name of both CollNet algorithms.
constexpr const char* kCollNet = "collnet";

/// Operations by NCCL's names; null: no option to choose its algorithm.
struct KnownOperation {
  const char* name;
  const char* key;
  Operation operation;
};
constexpr KnownOperation kOperations[] = {
    {"allreduce", "algorithm.allreduce", Operation::kAllReduce},
    {"allgather", "algorithm.allgather", Operation::kAllGather},
    {"reducescatter", "algorithm.reducescatter", Operation::kReduceScatter},
    {"broadcast", nullptr, Operation::kBroadcast},
    {"reduce", nullptr, Operation::kReduce}};

using Settings = std::vector<OptionSetting>;

bool Has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Splits at separators; trims blanks and omits empty names.
Names Split(const std::string& text, char separator) {
  Names parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t first = part.find_first_not_of(" \t"), last = part.find_last_not_of(" \t");
    if (first != std::string::npos) parts.push_back(part.substr(first, last - first + 1));
    begin = end + 1;
  }
  return parts;
}

/// The list of "a,b", or the forbidden list of "^a,b".
struct NameList {
  bool forbids = false;
  Names names;
};
NameList ReadList(const std::string& text) {
  NameList list;
  list.forbids = !text.empty() && text[0] == '^';
  list.names = Split(Lower(text.substr(list.forbids ? 1 : 0)), ',');
  if (list.names.empty())
    throw UserError("names nothing. Expected: a list of names such as ring,tree or ^tree");
  return list;
}

/// `offered`: those of `known` that the error message lists.
void RequireKnown(const std::string& name, const Names& known, const Names& offered) {
  if (Has(known, name)) return;
  throw UserError(fmt::format("unknown name '{}'. Expected: one of {}{}", Printable(name),
                              fmt::join(offered, ", "), NearestIs(name, offered)));
}

/// The simulated algorithms that NCCL_ALGO and options can name, in table order, then the ones that
/// only NCCL's tuner knows.
Algorithms NamedAlgorithms() {
  Algorithms named;
  for (const AlgorithmRow& row : AlgorithmRows()) {
    if (row.nccl != nullptr && row.word != nullptr) named.push_back({row.nccl, row.word});
  }
  for (const TunerAlgorithmRow& row : TunerAlgorithmRows()) {
    const auto is_it = [&](const NamedAlgorithm& other) { return other.word == row.word; };
    if (std::none_of(named.begin(), named.end(), is_it)) named.push_back({row.nccl, row.word});
  }
  return named;
}

/// NCCL's names.
Names NamesOf(const Algorithms& algorithms) {
  Names names;
  for (const NamedAlgorithm& algorithm : algorithms) names.push_back(algorithm.nccl);
  return names;
}

/// Whether a name of NCCL_ALGO means this algorithm.
bool Means(const std::string& name, const NamedAlgorithm& algorithm) {
  return name == algorithm.nccl || (name == kCollNet && algorithm.nccl.rfind(kCollNet, 0) == 0);
}

/// The words of the algorithms that a list allows: in its order, or all except the forbidden ones.
Names AllowedWords(const NameList& list) {
  const Algorithms named = NamedAlgorithms();
  const Names offered = NamesOf(named);
  Names known = offered, words;
  known.emplace_back(kCollNet);
  for (const std::string& name : list.names) RequireKnown(name, known, offered);
  const auto is_named = [&](const NamedAlgorithm& algorithm) {
    return std::any_of(list.names.begin(), list.names.end(),
                       [&](const std::string& name) { return Means(name, algorithm); });
  };
  if (list.forbids) {
    for (const NamedAlgorithm& algorithm : named) {
      if (!is_named(algorithm)) words.push_back(algorithm.word);
    }
    return words;
  }
  for (const std::string& name : list.names) {
    for (const NamedAlgorithm& algorithm : named) {
      if (Means(name, algorithm) && !Has(words, algorithm.word)) words.push_back(algorithm.word);
    }
  }
  return words;
}

/// Option values for an operation that have names in NCCL.
Names WordsOfNccl(Operation operation) {
  const Algorithms named = NamedAlgorithms();
  Names words;
  for (const std::string& word : AllWordsFor(operation)) {
    const auto is_it = [&](const NamedAlgorithm& algorithm) { return algorithm.word == word; };
    if (std::any_of(named.begin(), named.end(), is_it)) words.push_back(word);
  }
  return words;
}

/// The option's value for an operation; empty if it has none of the allowed algorithms.
std::string OptionValue(const Names& allowed, Operation operation) {
  const Names known = WordsOfNccl(operation);
  Names left;
  for (const std::string& word : allowed) {
    if (Has(known, word)) left.push_back(word);
  }
  return left.size() == known.size() ? kAutoAlgorithm : fmt::format("{}", fmt::join(left, "+"));
}

/// Parses "allreduce:tree", which applies to one operation.
void SettingsOfOne(const std::string& text, Settings* settings) {
  const std::size_t colon = text.find(':');
  const std::string name = Lower(text.substr(0, colon));
  Names known;
  for (const KnownOperation& operation : kOperations) known.emplace_back(operation.name);
  RequireKnown(name, known, known);
  const Names allowed = AllowedWords(ReadList(text.substr(colon + 1)));
  for (const KnownOperation& operation : kOperations) {
    if (name != operation.name) continue;
    const std::string value = OptionValue(allowed, operation.operation);
    if (value.empty())
      throw UserError(fmt::format("{} has none of these. Expected: of {}", name,
                                  fmt::join(WordsOfNccl(operation.operation), ", ")));
    if (operation.key != nullptr) settings->emplace_back(operation.key, value);
  }
}

/// Operations without any of the algorithms keep their choice: NCCL_ALGO=Tree means AllReduce.
void SettingsOfAll(const std::string& text, Settings* settings) {
  const Names allowed = AllowedWords(ReadList(text));
  if (allowed.empty())
    throw UserError(fmt::format("forbids every algorithm. Expected: at least one of {} left",
                                fmt::join(NamesOf(NamedAlgorithms()), ", ")));
  for (const KnownOperation& operation : kOperations) {
    const std::string value = OptionValue(allowed, operation.operation);
    if (!value.empty() && operation.key != nullptr) settings->emplace_back(operation.key, value);
  }
}

Settings TranslateAlgorithm(const std::string& value) {
  const Names parts = Split(value, ';');
  if (parts.empty())
    throw UserError("names nothing. Expected: a list of names such as ring,tree or ^tree");
  Settings settings;
  for (const std::string& part : parts) {
    if (part.find(':') == std::string::npos) SettingsOfAll(part, &settings);
  }
  for (const std::string& part : parts) {
    if (part.find(':') != std::string::npos) SettingsOfOne(part, &settings);
  }
  return settings;
}

Settings TranslateProtocol(const std::string& value) {
  const Names known = {"ll", "ll128", "simple"};
  const NameList list = ReadList(value);
  for (const std::string& name : list.names) RequireKnown(name, known, known);
  Names allowed;
  for (const std::string& name : known) {
    if (Has(list.names, name) != list.forbids) allowed.push_back(name);
  }
  if (allowed.empty())
    throw UserError("forbids every protocol. Expected: at least one of ll, ll128, simple left");
  return {{"collective.protocol",
           allowed.size() == known.size() ? "auto" : fmt::format("{}", fmt::join(allowed, "+"))}};
}

Settings TranslatePxn(const std::string& value) {
  if (value != "0" && value != "1") throw UserError("Expected: 0 (PXN is used) or 1 (it is not)");
  return {{"collective.pxn", value == "0" ? "true" : "false"}};
}

Settings TranslateNvls(const std::string& value) {
  if (value != "0" && value != "1" && value != "2")
    throw UserError("Expected: 0 (off), 1 (on) or 2 (on where the hardware has it)");
  return {{"collective.nvls", value != "0" ? "true" : "false"}};
}

Settings TranslatePat(const std::string& value) {
  if (value != "0" && value != "1" && value != "2")
    throw UserError(
        "Expected: 0 (off), 1 (on, also for several GPUs in a server) or 2 (on for one GPU in each "
        "server). SimCCL's choice comes to PAT by name or fastest only");
  return {{"collective.pat", value != "0" ? "true" : "false"},
          {"collective.pat_forced", value == "1" ? "true" : "false"}};
}

Settings TranslateCollNet(const std::string& value) {
  if (value != "0" && value != "1") throw UserError("Expected: 0 (off) or 1 (on)");
  return {{"collective.collnet", value == "1" ? "true" : "false"}};
}

EnvironmentFamily MakeNcclFamily() {
  EnvironmentFamily family;
  family.owner = "NCCL";
  family.order = EnvironmentFamily::Order::kOfTable;
  std::vector<std::string> algorithms;
  for (const KnownOperation& operation : kOperations) {
    if (operation.key != nullptr) algorithms.emplace_back(operation.key);
  }
  family.variables = {
      {"NCCL_ALGO", algorithms, TranslateAlgorithm},
      {"NCCL_PROTO", {"collective.protocol"}, TranslateProtocol},
      {"NCCL_PXN_DISABLE", {"collective.pxn"}, TranslatePxn},
      {"NCCL_NVLS_ENABLE", {"collective.nvls"}, TranslateNvls},
      {"NCCL_PAT_ENABLE", {"collective.pat", "collective.pat_forced"}, TranslatePat},
      {"NCCL_COLLNET_ENABLE", {"collective.collnet"}, TranslateCollNet},
      {"NCCL_COLLNET_NODE_THRESHOLD", {"collective.collnet_servers"}},
      {"NCCL_P2P_NET_CHUNKSIZE", {"collective.p2p_chunk"}},
      {"NCCL_NCHANNELS_PER_NET_PEER", {"collective.p2p_channels"}}};
  return family;
}

}  // namespace

const EnvironmentFamily& NcclVariables() {
  static const EnvironmentFamily family = MakeNcclFamily();
  return family;
}

}  // namespace heddle
