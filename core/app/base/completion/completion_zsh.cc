// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/app/base/completion/completion.h"

namespace heddle {
namespace {

/// Help text for an _arguments specification, in which brackets and colons must be escaped.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    escaped += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
  return escaped;
}

/// ":MESSAGE:ACTION" for a value.
std::string ValueSpec(const std::string& value) {
  if (value.empty()) return "";
  if (value == "KEY=VALUE") return ":KEY=VALUE:_heddle_setting";
  if (value == "KEY") return ":KEY:_heddle_key";
  const std::vector<std::string> choices = ChoicesOf(value);
  if (choices.empty()) return ":" + Escaped(value) + ":_files";
  return fmt::format(":value:({})", fmt::join(choices, " "));
}

std::string FlagSpecs(const CommandDescription& command) {
  std::string text;
  for (const FlagDescription& flag : command.flags) {
    for (const std::string& name : flag.names) {
      text += fmt::format(" \\\n        {}",
                          Quoted(fmt::format("*{}[{}]{}", name, Escaped(ShortHelp(flag.help)),
                                             ValueSpec(flag.value))));
    }
  }
  return text;
}

std::string ArgumentSpecs(const CompletionInput& input, const CommandDescription& command) {
  std::vector<std::string> words = SubjectsOf(input, command.name);
  std::string rest;
  for (const FlagDescription& argument : command.arguments) {
    const std::vector<std::string> choices = ChoicesOf(argument.value);
    words.insert(words.end(), choices.begin(), choices.end());
    if (choices.empty()) rest = ValueSpec(argument.value);
  }
  std::string text;
  if (!words.empty())
    text +=
        fmt::format(" \\\n        {}", Quoted(fmt::format("1:word:({})", fmt::join(words, " "))));
  if (!rest.empty()) text += fmt::format(" \\\n        {}", Quoted("*" + rest));
  return text;
}

std::string CommandCases(const CompletionInput& input) {
  std::string text;
  for (const CommandDescription& command : input.commands) {
    const std::string specs = FlagSpecs(command) + ArgumentSpecs(input, command);
    text += fmt::format("    {})\n      _arguments{} ;;\n", Quoted(command.name),
                        specs.empty() ? " '*:file:_files'" : specs);
  }
  return text;
}

std::string CommandList(const CompletionInput& input) {
  std::string text;
  for (const CommandDescription& command : input.commands) {
    if (IsCommand(command))
      text +=
          fmt::format("    {}\n", Quoted(command.name + ":" + Escaped(ShortHelp(command.help))));
  }
  return text;
}

std::string ZshSubjectCases(const CompletionInput& input) {
  std::string text;
  for (const CommandDescription& command : input.commands) {
    if (!IsCommand(command))
      text += fmt::format("{}{}", text.empty() ? "" : " | ", Quoted(command.name));
  }
  return text;
}

std::string ZshChoiceCases(const OptionSet& options) {
  std::string text;
  for (const Option& option : options.options()) {
    if (option.choices.empty()) continue;
    const std::string other = option.simai_key.empty() ? "" : "|" + option.simai_key;
    text += fmt::format("      {}{}) compadd -- {} ;;\n", option.key, other,
                        fmt::join(option.choices, " "));
  }
  return text;
}

}  // namespace

std::string ZshCompletion(const CompletionInput& input) {
  return fmt::format(
      R"script(#compdef heddle
# Completion of heddle's command lines in zsh. Written by: heddle completion zsh
_heddle_keys=({keys})

_heddle_key() {{
  compadd -- $_heddle_keys
}}

_heddle_setting() {{
  local key=${{PREFIX%%=*}}
  if compset -P '*='; then
    case $key in
{choices}    esac
  else
    compadd -S = -- $_heddle_keys
  fi
}}

_heddle() {{
  local -a commands=(
{commands}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  if (( CURRENT > 2 )); then
    case "$command $words[2]" in
      {subjects})
        command="$command $words[2]"
        shift words
        (( CURRENT-- )) ;;
    esac
  fi
  case $command in
{cases}  esac
}}
compdef _heddle heddle
if [[ $funcstack[1] == _heddle ]]; then
  _heddle "$@"
fi
)script",
      fmt::arg("keys", fmt::join(KeysOf(*input.options), " ")),
      fmt::arg("choices", ZshChoiceCases(*input.options)), fmt::arg("commands", CommandList(input)),
      fmt::arg("subjects", ZshSubjectCases(input)), fmt::arg("cases", CommandCases(input)));
}

}  // namespace heddle
