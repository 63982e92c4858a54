// SPDX-License-Identifier: GPL-2.0-only
/// CLI11 with this program's manners: usage errors become UsageError, help is printed once.
#ifndef HEDDLE_CORE_APP_PARSE_ARGUMENTS_H_
#define HEDDLE_CORE_APP_PARSE_ARGUMENTS_H_

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "core/app/commands.h"
#include "core/check.h"
#include "core/options.h"
#include "partition/partition.h"

namespace heddle {

/// Returns false if help was asked for (and printed). Throws UsageError.
inline bool ParseArguments(CLI::App* app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    if (SpeaksForAll()) std::fputs(app->help("heddle").c_str(), stdout);
    return false;
  } catch (const CLI::ExtrasError&) {
    const std::string flag = app->remaining().empty() ? "" : app->remaining().front();
    std::vector<std::string> known;
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
    throw UsageError("unknown argument '" + flag + "'. Did you mean '" + Nearest(flag, known) + "'? (heddle " +
                     app->get_name() + " --help lists what there is)");
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (heddle " + app->get_name() + " --help lists what there is)");
  }
  return true;
}

/// A duration from the command line. Throws UsageError that names the flag.
inline Time ParseTimeFlag(const std::string& flag, const std::string& text) {
  try {
    return ParseTime(text);
  } catch (const UserError& error) {
    throw UsageError(flag + ": " + error.what());
  }
}

/// Throws UsageError with the nearest known name.
inline void CheckPartitioner(const std::string& name) {
  const std::vector<std::string>& known = PartitionerNames();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw UsageError("--partition: unknown partitioner '" + name + "'. Did you mean '" + Nearest(name, known) +
                   "'? Expected: block, pod, metis or random");
}

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_PARSE_ARGUMENTS_H_
