// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/nearest_name.h"

namespace heddle {
namespace {

using Names = std::vector<std::string>;

/// NCCL's algorithms in lower case and what the options call them; empty: not modelled.
struct KnownAlgorithm {
  const char* nccl;
  const char* option;
};
constexpr KnownAlgorithm kAlgorithms[] = {
    {"ring", "ring"}, {"tree", "tree"},      {"nvls", "nvls"},     {"nvlstree", "nvls_tree"},
    {"collnet", ""},  {"collnetdirect", ""}, {"collnetchain", ""}, {"pat", ""}};

/// Operations by NCCL's names, and which algorithms they have here. Without an option there is
/// nothing to choose.
struct KnownOperation {
  const char* name;
  std::string CollectiveOptions::*option;
  Names algorithms;
};
const std::vector<KnownOperation>& KnownOperations() {
  static const std::vector<KnownOperation> known = {
      {"allreduce", &CollectiveOptions::allreduce, {"ring", "tree", "nvls", "nvls_tree"}},
      {"allgather", &CollectiveOptions::allgather, {"ring", "nvls", "nvls_tree"}},
      {"reducescatter", &CollectiveOptions::reducescatter, {"ring", "nvls", "nvls_tree"}},
      {"broadcast", nullptr, {"ring"}},
      {"reduce", nullptr, {"ring"}}};
  return known;
}

bool Has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Parts between separators, without blanks around them; empty ones left out.
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

[[noreturn]] void Refuse(const std::string& variable, const std::string& value,
                         const std::string& why) {
  throw UserError(fmt::format("environment variable {}={}: {}", variable, Printable(value), why));
}

/// A value of the variable, for messages.
struct Setting {
  std::string variable, value;
  [[noreturn]] void Fail(const std::string& why) const { Refuse(variable, value, why); }
};

/// "a,b" or "^a,b".
struct NameList {
  bool forbids = false;
  Names names;
};
NameList ReadList(const Setting& setting, const std::string& text) {
  NameList list;
  list.forbids = !text.empty() && text[0] == '^';
  list.names = Split(Lower(text.substr(list.forbids ? 1 : 0)), ',');
  if (list.names.empty())
    setting.Fail("names nothing. Expected: a list of names such as ring,tree or ^tree");
  return list;
}

/// `offered`: those of `known` that a message names.
void RequireKnown(const Setting& setting, const std::string& name, const Names& known,
                  const Names& offered) {
  if (Has(known, name)) return;
  setting.Fail(fmt::format("unknown name '{}'. Expected: one of {}; the nearest is {}",
                           Printable(name), fmt::join(offered, ", "), Nearest(name, offered)));
}

/// The option names of a list of algorithms, in its order.
Names AllowedAlgorithms(const Setting& setting, const NameList& list) {
  Names known, modelled, named, allowed;
  for (const KnownAlgorithm& algorithm : kAlgorithms) {
    known.emplace_back(algorithm.nccl);
    if (*algorithm.option != '\0') modelled.emplace_back(algorithm.nccl);
  }
  for (const std::string& name : list.names) {
    RequireKnown(setting, name, known, modelled);
    const auto* algorithm = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                         [&](const KnownAlgorithm& a) { return name == a.nccl; });
    const std::string option = algorithm->option;
    if (option.empty() && !list.forbids)
      setting.Fail(
          fmt::format("{} is not modelled yet. Expected: ring, tree, nvls or nvlstree", name));
    if (!option.empty()) named.push_back(option);
  }
  if (!list.forbids) return named;
  for (const KnownAlgorithm& algorithm : kAlgorithms) {
    if (*algorithm.option != '\0' && !Has(named, algorithm.option))
      allowed.emplace_back(algorithm.option);
  }
  return allowed;
}

/// The option's value for an operation that has `algorithms`; empty if none of them is allowed.
std::string OptionValue(const Names& allowed, const Names& algorithms) {
  Names left;
  for (const std::string& name : allowed) {
    if (Has(algorithms, name)) left.push_back(name);
  }
  if (Has(left, "ring")) return Has(left, "nvls") && Has(left, "nvls_tree") ? "auto" : "ring";
  return left.empty() ? std::string() : left.front();
}

void SetAlgorithm(const KnownOperation& operation, const std::string& value,
                  CollectiveOptions* options) {
  if (operation.option != nullptr) options->*operation.option = value;
}

/// "allreduce:tree": that operation alone.
void ApplyToOne(const Setting& setting, const std::string& text, CollectiveOptions* options) {
  const std::size_t colon = text.find(':');
  const std::string name = Lower(text.substr(0, colon));
  Names known;
  for (const KnownOperation& operation : KnownOperations()) known.emplace_back(operation.name);
  RequireKnown(setting, name, known, known);
  const Names allowed = AllowedAlgorithms(setting, ReadList(setting, text.substr(colon + 1)));
  for (const KnownOperation& operation : KnownOperations()) {
    if (name != operation.name) continue;
    const std::string value = OptionValue(allowed, operation.algorithms);
    if (value.empty())
      setting.Fail(fmt::format("{} has none of these. Expected: of {}", name,
                               fmt::join(operation.algorithms, ", ")));
    SetAlgorithm(operation, value, options);
  }
}

/// Operations that have none of the algorithms keep their choice: NCCL_ALGO=Tree is meant for
/// AllReduce.
void ApplyToAll(const Setting& setting, const std::string& text, CollectiveOptions* options) {
  const Names allowed = AllowedAlgorithms(setting, ReadList(setting, text));
  if (allowed.empty())
    setting.Fail(
        "forbids every algorithm that is modelled. Expected: at least one of ring, tree, nvls, "
        "nvlstree left");
  for (const KnownOperation& operation : KnownOperations()) {
    const std::string value = OptionValue(allowed, operation.algorithms);
    if (!value.empty()) SetAlgorithm(operation, value, options);
  }
}

std::string ApplyAlgorithm(const Setting& setting, CollectiveOptions* options) {
  const Names parts = Split(setting.value, ';');
  if (parts.empty())
    setting.Fail("names nothing. Expected: a list of names such as ring,tree or ^tree");
  for (const std::string& part : parts) {
    if (part.find(':') == std::string::npos) ApplyToAll(setting, part, options);
  }
  for (const std::string& part : parts) {
    if (part.find(':') != std::string::npos) ApplyToOne(setting, part, options);
  }
  return fmt::format("algorithm.allreduce={} algorithm.allgather={} algorithm.reducescatter={}",
                     options->allreduce, options->allgather, options->reducescatter);
}

std::string ApplyProtocol(const Setting& setting, CollectiveOptions* options) {
  const Names known = {"ll", "ll128", "simple"};
  const NameList list = ReadList(setting, setting.value);
  for (const std::string& name : list.names) RequireKnown(setting, name, known, known);
  Names allowed;
  for (const std::string& name : known) {
    if (Has(list.names, name) != list.forbids) allowed.push_back(name);
  }
  if (allowed.empty())
    setting.Fail("forbids every protocol. Expected: at least one of ll, ll128, simple left");
  options->protocol =
      allowed.size() == known.size() ? "auto" : fmt::format("{}", fmt::join(allowed, "+"));
  return "collective.protocol=" + options->protocol;
}

std::string ApplyPxn(const Setting& setting, CollectiveOptions* options) {
  if (setting.value != "0" && setting.value != "1")
    setting.Fail("Expected: 0 (PXN is used) or 1 (it is not)");
  options->pxn = setting.value == "0";
  return fmt::format("collective.pxn={}", options->pxn);
}

std::string ApplyNvls(const Setting& setting, CollectiveOptions* options) {
  if (setting.value != "0" && setting.value != "1" && setting.value != "2") {
    setting.Fail("Expected: 0 (off), 1 (on) or 2 (on where the hardware has it)");
  }
  options->nvls = setting.value != "0";
  return fmt::format("collective.nvls={}", options->nvls);
}

}  // namespace

void ApplyNcclEnvironment(const std::function<const char*(const char*)>& get_environment,
                          CollectiveOptions* options, std::vector<std::string>* echo) {
  using Apply = std::string (*)(const Setting&, CollectiveOptions*);
  constexpr std::pair<const char*, Apply> kVariables[] = {{"NCCL_ALGO", ApplyAlgorithm},
                                                          {"NCCL_PROTO", ApplyProtocol},
                                                          {"NCCL_PXN_DISABLE", ApplyPxn},
                                                          {"NCCL_NVLS_ENABLE", ApplyNvls}};
  for (const auto& [name, apply] : kVariables) {
    const char* value = get_environment(name);
    if (value == nullptr) continue;
    const Setting setting{name, value};
    const std::string effect = apply(setting, options);
    echo->push_back(fmt::format("{}={}: {}", name, Printable(value), effect));
  }
}

}  // namespace heddle
