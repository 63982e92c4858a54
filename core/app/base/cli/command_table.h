// SPDX-License-Identifier: GPL-2.0-only
/// All commands of the program, with their sections in `heddle --help`.
#pragma once

#include <string>
#include <vector>

#include "core/app/base/cli/command_description.h"

namespace heddle {

enum class Section { kSetUp, kSimulate, kResults, kReference };

struct Command {
  Section section;
  const char* name;
  int (*run)(const std::vector<std::string>&);
  const char* help;  ///< one line
  /// Subcommands with flags of their own, separated by blanks.
  const char* subjects = "";
  bool on_all_ranks = false;  ///< under a launcher every rank executes it
};

/// Returns all commands in the order in which help lists them.
const std::vector<Command>& Commands();

/// Returns the descriptions of the command and of its subcommands, as they declare themselves.
std::vector<CommandDescription> Describe(const Command& command);

}  // namespace heddle
