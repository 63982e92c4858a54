// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/environment.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "collectives/choice/nccl_environment.h"
#include "collectives/choice/simai_environment.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "transport/model/paths/controller_environment.h"
#include "transport/model/requests/request_environment.h"

namespace heddle {
namespace {

/// The controller's variables, and variables that replace flags of the traffic and set no option.
EnvironmentFamily ControllerAndTraffic() {
  EnvironmentFamily family = ControllerVariables();
  for (const TrafficSource& source : TrafficSources()) {
    if (source.variable == nullptr) continue;
    EnvironmentVariable variable;
    variable.name = source.variable;
    variable.is_path = true;
    family.variables.push_back(std::move(variable));
  }
  return family;
}

/// `variable`: NAME=VALUE.
bool IsHeeded(const std::string& variable) {
  const std::size_t equals = variable.find('=');
  const std::string name = variable.substr(0, equals);
  const auto& families = EnvironmentFamilies();
  return std::any_of(families.begin(), families.end(), [&](const EnvironmentFamily& family) {
    const bool may_be_meant = !family.prefix.empty() && variable.rfind(family.prefix, 0) == 0;
    return may_be_meant || (equals != std::string::npos && family.Find(name) != nullptr);
  });
}

}  // namespace

const std::vector<EnvironmentFamily>& EnvironmentFamilies() {
  static const std::vector<EnvironmentFamily> families = {SimaiVariables(), ControllerAndTraffic(),
                                                          NcclVariables(), RequestVariables()};
  return families;
}

Environment SharedEnvironment(const Communicator& world) {
  std::string text;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (IsHeeded(variable)) text += variable + '\0';
  }
  text = world.Broadcast(text);
  Environment environment;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    const std::string variable = text.substr(at, text.find('\0', at) - at);
    const std::size_t equals = std::min(variable.find('='), variable.size() - 1);
    environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  std::sort(environment.begin(), environment.end());
  return environment;
}

void ApplyEnvironment(const Environment& environment, OptionSet* options,
                      std::vector<std::string>* echo, std::vector<std::string>* warnings) {
  for (const EnvironmentFamily& family : EnvironmentFamilies())
    ApplyEnvironment(family, environment, options, echo, warnings);
}

bool SaysWhereAFileIs(const std::string& line) {
  for (const EnvironmentFamily& family : EnvironmentFamilies()) {
    for (const EnvironmentVariable& variable : family.variables) {
      if (variable.is_path && line.rfind(variable.name, 0) == 0) return true;
    }
  }
  return false;
}

}  // namespace heddle
