// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/environment_variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

std::vector<OptionSetting> SettingsOf(const EnvironmentVariable& variable, const std::string& value,
                                      const Environment& given) {
  if (variable.translate == nullptr && variable.join == nullptr) {
    std::vector<OptionSetting> same;
    for (const std::string& key : variable.keys) same.emplace_back(key, value);
    return same;
  }
  try {
    return variable.join != nullptr ? variable.join(value, given) : variable.translate(value);
  } catch (const UserError& error) {
    throw UserError(fmt::format("environment variable {}={}: {}", variable.name, Printable(value),
                                error.what()));
  }
}

std::string ValueOf(const std::string& key, const OptionSet& options) {
  const std::vector<const Option*> found = options.FindByName(key);
  HEDDLE_INVARIANT(found.size() == 1, "a variable sets an option that is not declared: " + key);
  return found[0]->get();
}

/// The settings that result from a translated variable: " KEY=VALUE" of each option.
std::string Effect(const EnvironmentVariable& variable, const OptionSet& options) {
  std::string text;
  for (const std::string& key : variable.keys)
    text += fmt::format(" {}={}", key, ValueOf(key, options));
  return text;
}

void Apply(const EnvironmentVariable& variable, const std::string& value,
           const Environment& environment, OptionSet* options, std::vector<std::string>* echo) {
  for (const auto& [key, setting] : SettingsOf(variable, value, environment))
    options->Set(key, setting, {"environment variable " + variable.name, 0});
  std::string line = fmt::format("{}={}", variable.name, Printable(value));
  if (!variable.unused.empty()) line += fmt::format(": not used ({})", variable.unused);
  if (variable.translate != nullptr || variable.join != nullptr)
    line += ":" + Effect(variable, *options);
  echo->push_back(line);
}

std::string WarningOf(const EnvironmentFamily& family, const std::string& name) {
  std::vector<std::string> known;
  for (const EnvironmentVariable& variable : family.variables) known.push_back(variable.name);
  return fmt::format("environment variable {} is none of {}'s{}", Printable(name), family.owner,
                     NearestIs(name, known));
}

}  // namespace

const EnvironmentVariable* EnvironmentFamily::Find(const std::string& name) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(),
                   [&](const EnvironmentVariable& variable) { return variable.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

void ApplyEnvironment(const EnvironmentFamily& family, const Environment& environment,
                      OptionSet* options, std::vector<std::string>* echo,
                      std::vector<std::string>* warnings) {
  std::vector<std::pair<const EnvironmentVariable*, std::string>> given;
  for (const auto& [name, value] : environment) {
    if (family.empty_is_unset && value.empty()) continue;
    if (const EnvironmentVariable* variable = family.Find(name)) {
      given.emplace_back(variable, value);
    } else if (!family.prefix.empty() && name.rfind(family.prefix, 0) == 0) {
      warnings->push_back(WarningOf(family, name));
    }
  }
  if (family.order == EnvironmentFamily::Order::kOfTable) {
    // Pointers into one vector: comparing them gives the table's order.
    std::stable_sort(given.begin(), given.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  for (const auto& [variable, value] : given) Apply(*variable, value, environment, options, echo);
}

}  // namespace heddle
