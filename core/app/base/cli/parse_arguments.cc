// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/parse_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/app/base/cli/command_description.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

FlagDescription DescribeFlag(const CLI::Option& option) {
  FlagDescription flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0)
    flag.value = option.get_positional() && option.get_type_name() == "TEXT"
                     ? option.get_name()
                     : option.get_type_name();
  flag.help = option.get_description();
  return flag;
}

CommandDescription DescribeApp(const CLI::App& app) {
  CommandDescription description{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? description.arguments : description.flags)
        .push_back(DescribeFlag(*option));
  }
  return description;
}

/// In help CLI11 names numbers by their C++ types.
void NameNumbers(CLI::App* app) {
  for (CLI::Option* option : app->get_options([](CLI::Option*) { return true; })) {
    const std::string type = option->get_type_name();
    const std::string plain = type.substr(0, type.find(':'));
    if (plain == "UINT" || plain == "INT" || plain == "FLOAT") option->type_name("NUMBER");
  }
}

/// CLI11's help, with at most one empty line between sections.
std::string HelpText(const CLI::App& app) {
  std::string text = app.help("heddle");
  for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
  for (const std::string type : {":UINT in [", ":INT in [", ":FLOAT in ["}) {
    for (std::size_t at; (at = text.find(type)) != std::string::npos;)
      text.replace(at, type.size(), " in [");
  }
  return text.substr(0, text.find_last_not_of('\n') + 1) + '\n';
}

/// What a word without a flag was probably meant to be: the value of the flag before it.
std::string MeantByWord(const std::vector<std::string>& arguments, const std::string& word) {
  const auto at = std::find(arguments.begin(), arguments.end(), word) - arguments.begin();
  if (at < 2 || arguments[static_cast<std::size_t>(at) - 2] != "--set") return "a flag before it";
  const std::string& before = arguments[static_cast<std::size_t>(at) - 1];
  if (before.find('=') == std::string::npos)
    return "KEY=VALUE in one word, as in --set " + Printable(before + "=" + word);
  return "a flag before it, as in --set " + Printable(word);
}

/// `arguments` in the order of the command line; `word` is one that the command does not know.
[[noreturn]] void FailUnknown(const CLI::App& app, const std::vector<std::string>& arguments,
                              const std::string& word) {
  const std::string help = " (heddle " + app.get_name() + " --help lists what there is)";
  if (word.empty() || word.front() != '-') {
    throw UsageError("unexpected word '" + Printable(word) +
                     "'. Expected: " + MeantByWord(arguments, word) + help);
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  throw UsageError("unknown argument '" + Printable(word) + "'." + DidYouMean(word, known) + help);
}

}  // namespace

std::string Examples(const std::vector<std::string>& lines) {
  std::string text = "Examples:";
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

bool ParseArguments(CLI::App* app, const std::vector<std::string>& arguments) {
  NameNumbers(app);
  if (arguments == std::vector<std::string>{kDescribeYourself})
    throw CommandDescribed(DescribeApp(*app));
  // CLI11 takes them from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app->parse(reversed);
  } catch (const CLI::CallForHelp&) {
    PrintHelp(HelpText(*app));
    return false;
  } catch (const CLI::ParseError& error) {
    // A word that CLI11 left over is the cause of a flag that it misses then.
    if (!app->remaining().empty()) FailUnknown(*app, arguments, app->remaining().front());
    throw UsageError(Printable(error.what(), 300) + " (heddle " + app->get_name() +
                     " --help lists what there is)");
  }
  return true;
}

CLI::Validator WholeNumber(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string& word) {
    const std::optional<std::uint64_t> number = ReadNumber<std::uint64_t>(word);
    if (number && *number >= least && *number <= most) return std::string();
    return fmt::format("found '{}'. Expected: a whole number from {} to {}", Printable(word), least,
                       most);
  };
  return {check, fmt::format("UINT in [{} - {}]", least, most)};
}

CLI::Option* AddJsonFlag(CLI::App* app, bool* json) {
  return app->add_flag(
      "--json", *json,
      "print one JSON object, for programs, instead of the text (docs/formats/json.md)");
}

void CheckJsonWithout(bool json, const std::vector<std::pair<const char*, bool>>& others) {
  for (const auto& [flag, given] : others) {
    if (json && given)
      throw UsageError(fmt::format("--json and {} were both given. Expected: one of them", flag));
  }
}

void CheckJsonAlone(bool json, const char* flag, const std::string& path) {
  if (!json || !IsStandardOutput(path)) return;
  throw UsageError(
      fmt::format("--json and {} {} both go to standard output. Expected: one of them, or {} FILE",
                  flag, Printable(path), flag));
}

Time ParseTimeFlag(const std::string& flag, const std::string& text) {
  try {
    return ParseTime(text);
  } catch (const UserError& error) {
    throw UsageError(flag + ": " + error.what());
  }
}

}  // namespace heddle
