// SPDX-License-Identifier: GPL-2.0-only
/// CLI11 with this program's manners: usage errors become UsageError, help is printed once.
#ifndef HEDDLE_CORE_APP_PARSE_ARGUMENTS_H_
#define HEDDLE_CORE_APP_PARSE_ARGUMENTS_H_

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "core/app/commands.h"
#include "core/check.h"

namespace heddle {

/// Returns false if help was asked for (and printed). Throws UsageError.
inline bool ParseArguments(CLI::App* app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    if (SpeaksForAll()) std::fputs(app->help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (heddle " + app->get_name() + " --help lists what there is)");
  }
  return true;
}

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_PARSE_ARGUMENTS_H_
