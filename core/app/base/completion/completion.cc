// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/completion/completion.h"

#include <algorithm>

namespace heddle {

std::vector<std::string> KeysOf(const OptionSet& options) {
  std::vector<std::string> keys;
  for (const Option& option : options.options()) keys.push_back(option.key);
  for (const Option& option : options.options()) {
    if (!option.simai_key.empty()) keys.push_back(option.simai_key);
  }
  return keys;
}

std::vector<std::string> SubjectsOf(const CompletionInput& input, const std::string& command) {
  std::vector<std::string> subjects;
  for (const CommandDescription& one : input.commands) {
    if (one.name.rfind(command + " ", 0) == 0)
      subjects.push_back(one.name.substr(command.size() + 1));
  }
  return subjects;
}

bool IsCommand(const CommandDescription& description) {
  return description.name.find(' ') == std::string::npos;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "\u2019" : std::string(1, c);
  return quoted + "'";
}

std::string ShortHelp(const std::string& help) {
  return help.substr(0, std::min({help.find("; "), help.find(": "), help.find(" (")}));
}

}  // namespace heddle
