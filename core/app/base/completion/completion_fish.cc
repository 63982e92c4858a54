// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/app/base/completion/completion.h"

namespace heddle {
namespace {

/// KEY=VALUE where values are names, KEY= elsewhere.
std::string Settings(const OptionSet& options) {
  std::string text;
  for (const Option& option : options.options()) {
    for (const std::string& choice : option.choices)
      text += fmt::format(" {}={}", option.key, choice);
    if (option.choices.empty()) text += fmt::format(" {}=", option.key);
  }
  return text.substr(1);
}

/// Options of fish for a flag's value or a positional argument: -F offers files, -x only the words
/// of -a.
std::string ValueFlags(const std::string& value) {
  if (value.empty()) return "";
  if (value == "KEY=VALUE") return " -x -a \"$__heddle_settings\"";
  if (value == "KEY") return " -x -a \"$__heddle_keys\"";
  const std::vector<std::string> choices = ChoicesOf(value);
  if (choices.empty()) return " -r -F";
  return " -x -a " + Quoted(fmt::format("{}", fmt::join(choices, " ")));
}

/// "-n" as -s n, "--topology" as -l topology, "-topo" as -o topo.
std::string NameFlag(const std::string& name) {
  if (name.rfind("--", 0) == 0) return " -l " + name.substr(2);
  return (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
}

/// A condition that is true if the command line is of this command and not of one of its
/// subcommands.
std::string Condition(const CompletionInput& input, const std::string& command) {
  const std::size_t blank = command.find(' ');
  std::string condition = "__fish_seen_subcommand_from " + command.substr(0, blank);
  if (blank != std::string::npos)
    return condition + "; and __fish_seen_subcommand_from " + command.substr(blank + 1);
  for (const std::string& subject : SubjectsOf(input, command))
    condition += "; and not __fish_seen_subcommand_from " + subject;
  return condition;
}

std::string Lines(const CompletionInput& input, const CommandDescription& command) {
  std::string text;
  const std::string begin =
      fmt::format("complete -c heddle -n {}", Quoted(Condition(input, command.name)));
  for (const FlagDescription& flag : command.flags) {
    std::string names;
    for (const std::string& name : flag.names) names += NameFlag(name);
    text += fmt::format("{}{}{} -d {}\n", begin, names, ValueFlags(flag.value),
                        Quoted(ShortHelp(flag.help)));
  }
  std::vector<std::string> words = SubjectsOf(input, command.name);
  bool files = false;
  for (const FlagDescription& argument : command.arguments) {
    const std::vector<std::string> choices = ChoicesOf(argument.value);
    words.insert(words.end(), choices.begin(), choices.end());
    if (argument.value == "KEY") text += begin + " -a \"$__heddle_keys\"\n";
    files = files || (choices.empty() && argument.value != "KEY");
  }
  if (!words.empty())
    text += fmt::format("{} -a {}\n", begin, Quoted(fmt::format("{}", fmt::join(words, " "))));
  if (files) text += begin + " -F\n";
  return text;
}

}  // namespace

std::string FishCompletion(const CompletionInput& input) {
  std::string text =
      "# Completion of heddle's command lines in fish. Written by: heddle completion fish\n";
  text += fmt::format("set -g __heddle_keys {}\n",
                      Quoted(fmt::format("{}", fmt::join(KeysOf(*input.options), " "))));
  text += fmt::format("set -g __heddle_settings {}\n", Quoted(Settings(*input.options)));
  text += "complete -c heddle -f\n";
  for (const CommandDescription& command : input.commands) {
    if (!IsCommand(command)) continue;
    text += fmt::format("complete -c heddle -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        Quoted(ShortHelp(command.help)));
  }
  for (const CommandDescription& command : input.commands) text += Lines(input, command);
  return text;
}

}  // namespace heddle
