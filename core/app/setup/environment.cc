// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/setup/environment.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "collectives/choice/nccl_environment.h"
#include "core/app/setup/traffic_sources.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Variables of the ECMP controller's specification (section 5.4) that are options of the
/// controller.
constexpr const char* kControllerLog = "CC_LOG_FILE";
constexpr const char* kControllerVariables[] = {"CC_ENABLE", kControllerLog};

bool Begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

/// Whether a variable stands for a flag of the traffic.
bool IsTraffic(const std::string& name) {
  const std::vector<TrafficSource>& all = TrafficSources();
  return std::any_of(all.begin(), all.end(), [&](const TrafficSource& source) {
    return source.variable != nullptr && name == source.variable;
  });
}

bool IsOfController(const std::string& name) {
  return std::find(std::begin(kControllerVariables), std::end(kControllerVariables), name) !=
         std::end(kControllerVariables);
}

/// `variable`: NAME=VALUE.
bool IsHeeded(const std::string& variable) {
  if (Begins(variable, "AS_") || Begins(variable, "NCCL_")) return true;
  const std::size_t equals = variable.find('=');
  const std::string name = variable.substr(0, equals);
  return equals != std::string::npos && (IsTraffic(name) || IsOfController(name));
}

/// Those whose names begin with `prefix`.
Environment Beginning(const char* prefix, const Environment& environment) {
  Environment found;
  for (const auto& variable : environment) {
    if (Begins(variable.first, prefix)) found.push_back(variable);
  }
  return found;
}

void ApplyControllerEnvironment(const Environment& environment, OptionSet* options,
                                std::vector<std::string>* echo) {
  for (const auto& [name, value] : environment) {
    if (value.empty()) continue;  // as good as not set
    if (IsOfController(name)) options->Set(name, value, {"environment variable " + name, 0});
    if (IsOfController(name) || IsTraffic(name)) echo->push_back(name + "=" + Printable(value));
  }
}

}  // namespace

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

void ApplyEnvironment(const Environment& environment, AllOptions* options,
                      std::vector<std::string>* echo, std::vector<std::string>* warnings) {
  ApplySimaiEnvironment(Beginning("AS_", environment), &options->options, echo, warnings);
  ApplyControllerEnvironment(environment, &options->options, echo);
  const auto variable = [&](const char* name) -> const char* {
    for (const auto& [known, value] : environment) {
      if (known == name) return value.c_str();
    }
    return nullptr;
  };
  ApplyNcclEnvironment(variable, &options->collectives, echo);
}

bool SaysWhereAFileIs(const std::string& line) {
  const std::vector<TrafficSource>& all = TrafficSources();
  return Begins(line, kControllerLog) ||
         std::any_of(all.begin(), all.end(), [&](const TrafficSource& source) {
           return source.variable != nullptr && Begins(line, source.variable);
         });
}

}  // namespace heddle
