// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/choice/algorithm_choice.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

using Names = std::vector<std::string>;
using Rows = std::vector<const AlgorithmRow*>;

/// NCCL's algorithms without a row in collectives/algorithms/algorithm_table.h, in lower case.
constexpr const char* kNotModelled[] = {"collnet", "collnetdirect", "collnetchain"};

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

/// The rows that NCCL_ALGO and options can name, in table order.
Rows NamedRows() {
  Rows rows;
  for (const AlgorithmRow& row : AlgorithmRows()) {
    if (row.nccl != nullptr && row.word != nullptr) rows.push_back(&row);
  }
  return rows;
}

/// NCCL's names of the modelled algorithms.
Names ModelledNames() {
  Names names;
  for (const AlgorithmRow* row : NamedRows()) names.emplace_back(row->nccl);
  return names;
}

/// "a, b or c".
std::string AnyOf(const Names& names) {
  const Names first(names.begin(), names.end() - 1);
  return fmt::format("{} or {}", fmt::join(first, ", "), names.back());
}

/// The algorithms that a list allows: in its order, or all except the forbidden ones.
Rows AllowedRows(const NameList& list) {
  const Names modelled = ModelledNames();
  Names known = modelled;
  known.insert(known.end(), std::begin(kNotModelled), std::end(kNotModelled));
  Rows allowed = list.forbids ? NamedRows() : Rows();
  for (const std::string& name : list.names) {
    RequireKnown(name, known, modelled);
    if (list.forbids) {
      const auto is_it = [&](const AlgorithmRow* row) { return name == row->nccl; };
      allowed.erase(std::remove_if(allowed.begin(), allowed.end(), is_it), allowed.end());
      continue;
    }
    if (!Has(modelled, name))
      throw UserError(fmt::format("{} is not modelled yet. Expected: {}", name, AnyOf(modelled)));
    for (const AlgorithmRow* row : NamedRows()) {
      if (name == row->nccl) allowed.push_back(row);
    }
  }
  return allowed;
}

/// The option's value for an operation; empty if no allowed algorithm supports it.
std::string OptionValue(const Rows& allowed, Operation operation) {
  const auto leaves = [&](const AlgorithmRow& row) {
    return std::find(allowed.begin(), allowed.end(), &row) != allowed.end();
  };
  const AlgorithmRow& ring = RowOf(Algorithm::kRing);
  if (leaves(ring) && ring.Does(operation)) {
    for (const AlgorithmRow& row : AlgorithmRows()) {
      if (row.Does(operation) && IsAutomatic(row.algorithm) && !leaves(row)) return "ring";
    }
    return "auto";
  }
  for (const AlgorithmRow* row : allowed) {
    if (row->Does(operation)) return row->word;
  }
  return "";
}

/// Parses "allreduce:tree", which applies to one operation.
void SettingsOfOne(const std::string& text, Settings* settings) {
  const std::size_t colon = text.find(':');
  const std::string name = Lower(text.substr(0, colon));
  Names known;
  for (const KnownOperation& operation : kOperations) known.emplace_back(operation.name);
  RequireKnown(name, known, known);
  const Rows allowed = AllowedRows(ReadList(text.substr(colon + 1)));
  for (const KnownOperation& operation : kOperations) {
    if (name != operation.name) continue;
    const std::string value = OptionValue(allowed, operation.operation);
    if (value.empty())
      throw UserError(fmt::format("{} has none of these. Expected: of {}", name,
                                  fmt::join(WordsFor(operation.operation), ", ")));
    if (operation.key != nullptr) settings->emplace_back(operation.key, value);
  }
}

/// Operations without any of the algorithms keep their choice: NCCL_ALGO=Tree means AllReduce.
void SettingsOfAll(const std::string& text, Settings* settings) {
  const Rows allowed = AllowedRows(ReadList(text));
  if (allowed.empty())
    throw UserError(
        fmt::format("forbids every algorithm that is modelled. Expected: at least one of {} left",
                    fmt::join(ModelledNames(), ", ")));
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
        "server). No automatic choice comes to PAT: algorithm.allgather=pat or NCCL_ALGO names it");
  return {{"collective.pat_forced", value == "1" ? "true" : "false"}};
}

EnvironmentFamily MakeNcclFamily() {
  EnvironmentFamily family;
  family.owner = "NCCL";
  family.order = EnvironmentFamily::Order::kOfTable;
  std::vector<std::string> algorithms;
  for (const KnownOperation& operation : kOperations) {
    if (operation.key != nullptr) algorithms.emplace_back(operation.key);
  }
  family.variables = {{"NCCL_ALGO", algorithms, TranslateAlgorithm},
                      {"NCCL_PROTO", {"collective.protocol"}, TranslateProtocol},
                      {"NCCL_PXN_DISABLE", {"collective.pxn"}, TranslatePxn},
                      {"NCCL_NVLS_ENABLE", {"collective.nvls"}, TranslateNvls},
                      {"NCCL_PAT_ENABLE", {"collective.pat_forced"}, TranslatePat}};
  return family;
}

}  // namespace

const EnvironmentFamily& NcclVariables() {
  static const EnvironmentFamily family = MakeNcclFamily();
  return family;
}

}  // namespace heddle
