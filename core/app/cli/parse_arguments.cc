// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/cli/parse_arguments.h"

#include <algorithm>

#include "core/app/cli/command_description.h"
#include "core/app/cli/terminal.h"
#include "core/base/nearest_name.h"

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

/// CLI11's help, with at most one empty line between sections.
std::string HelpText(const CLI::App& app) {
  std::string text = app.help("heddle");
  for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
  return text.substr(0, text.find_last_not_of('\n') + 1) + '\n';
}

}  // namespace

std::string Examples(const std::vector<std::string>& lines) {
  std::string text = "Examples:";
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

bool ParseArguments(CLI::App* app, std::vector<std::string> arguments) {
  if (arguments == std::vector<std::string>{kDescribeYourself})
    throw CommandDescribed(DescribeApp(*app));
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    PrintHelp(HelpText(*app));
    return false;
  } catch (const CLI::ExtrasError&) {
    const std::string flag = app->remaining().empty() ? "" : app->remaining().front();
    std::vector<std::string> known;
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
    throw UsageError("unknown argument '" + Printable(flag) + "'. Did you mean '" +
                     Nearest(flag, known) + "'? (heddle " + app->get_name() +
                     " --help lists what there is)");
  } catch (const CLI::ParseError& error) {
    throw UsageError(Printable(error.what(), 300) + " (heddle " + app->get_name() +
                     " --help lists what there is)");
  }
  return true;
}

Time ParseTimeFlag(const std::string& flag, const std::string& text) {
  try {
    return ParseTime(text);
  } catch (const UserError& error) {
    throw UsageError(flag + ": " + error.what());
  }
}

}  // namespace heddle
