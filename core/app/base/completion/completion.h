// SPDX-License-Identifier: GPL-2.0-only
/// Scripts that complete heddle's command lines in a shell. They are made from CompletionInput
/// only.
#pragma once

#include <string>
#include <vector>

#include "core/app/base/cli/command_description.h"
#include "core/options/options.h"

namespace heddle {

/// What can be completed.
struct CompletionInput {
  std::vector<CommandDescription> commands;  ///< "run", "topo", "topo show", ...
  const OptionSet* options = nullptr;        ///< for KEY=VALUE and KEY
};

/// Returns a whole script for bash; the other two do for their shells.
std::string BashCompletion(const CompletionInput& input);
std::string ZshCompletion(const CompletionInput& input);
std::string FishCompletion(const CompletionInput& input);

/// Keys and SimAI's names of them, in the order of declaration.
std::vector<std::string> KeysOf(const OptionSet& options);
/// Words that `command` accepts as its first argument: its subcommands ("show" of "topo").
std::vector<std::string> SubjectsOf(const CompletionInput& input, const std::string& command);
/// Whether the description is of a command, not of a subcommand.
bool IsCommand(const CommandDescription& description);
/// Returns the text in single quotes for any of the shells. Single quotes within it become
/// typographic ones, which no shell interprets.
std::string Quoted(const std::string& text);
/// Returns a help text up to its first semicolon or colon that a blank follows, for a list of
/// candidates.
std::string ShortHelp(const std::string& help);

}  // namespace heddle
