// SPDX-License-Identifier: GPL-2.0-only
/// CLI11 with this program's conventions: usage errors become UsageError, help is printed once.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/units.h"

namespace heddle {

/// Returns the end of a help text: one command a line.
std::string Examples(const std::vector<std::string>& lines);

/// Returns false if help was asked for (and printed). Throws UsageError; a word that is unknown is
/// named before a flag that is missing.
bool ParseArguments(CLI::App* app, const std::vector<std::string>& arguments);

/// Takes whole numbers from `least` to `most`. For other words the message quotes the word and says
/// what is expected, so that 1e6 is not said to be out of a range that contains it.
CLI::Validator WholeNumber(std::uint64_t least, std::uint64_t most);

/// Declares --json, which every command with a table has: one object on standard output, by
/// PrintJson() (docs/formats/json.md). Notes, progress and warnings go to standard error then.
CLI::Option* AddJsonFlag(CLI::App* app, bool* json);

/// Throws UsageError if --json was given with one of `others`, flags that print something else, or
/// nothing: their names, and whether they were given.
void CheckJsonWithout(bool json, const std::vector<std::pair<const char*, bool>>& others);

/// Throws UsageError if --json and another output, `flag`, both are to go to standard output.
void CheckJsonAlone(bool json, const char* flag, const std::string& path);

/// Returns a duration from the command line. Throws UsageError that names the flag.
Time ParseTimeFlag(const std::string& flag, const std::string& text);

}  // namespace heddle
