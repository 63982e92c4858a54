// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/app/base/completion/completion.h"

namespace heddle {
namespace {

/// The text before a case label: the words of the command, then the flag.
std::string Labels(const CommandDescription& command, const FlagDescription& flag) {
  std::string labels;
  for (const std::string& name : flag.names)
    labels += fmt::format("{}\"{} {}\"", labels.empty() ? "" : " | ", command.name, name);
  return labels;
}

/// Code that sets `words` or `kind` for a value; empty for values that the shell completes as file
/// names.
std::string Action(const std::string& value) {
  if (value == "KEY=VALUE") return "kind=setting";
  if (value == "KEY") return "words=$(_heddle_keys)";
  const std::vector<std::string> choices = ChoicesOf(value);
  return choices.empty()
             ? ""
             : fmt::format("words={}", Quoted(fmt::format("{}", fmt::join(choices, " "))));
}

std::string CommandWords(const CompletionInput& input) {
  std::string words;
  for (const CommandDescription& command : input.commands) {
    if (IsCommand(command)) words += command.name + " ";
  }
  return words + "help --help --version";
}

/// Cases of "$command $flag": how to complete a flag's value; `kind=none` for a value that no word
/// list can complete.
std::string ValueCases(const CompletionInput& input) {
  std::string text;
  for (const CommandDescription& command : input.commands) {
    for (const FlagDescription& flag : command.flags) {
      if (flag.value.empty() || flag.names.empty()) continue;
      const std::string action = Action(flag.value);
      text += fmt::format("    {}) {} ;;\n", Labels(command, flag),
                          action.empty() ? "kind=file" : action);
    }
  }
  return text;
}

std::string FlagCases(const CompletionInput& input) {
  std::string text;
  for (const CommandDescription& command : input.commands) {
    std::string flags;
    for (const FlagDescription& flag : command.flags)
      flags += fmt::format("{}{}", flags.empty() ? "" : " ", fmt::join(flag.names, " "));
    text += fmt::format("      \"{}\") words={} ;;\n", command.name, Quoted(flags));
  }
  return text;
}

/// Completion of positional arguments: names, keys, or (by the shell) files.
std::string ArgumentCases(const CompletionInput& input) {
  std::string text;
  for (const CommandDescription& command : input.commands) {
    std::vector<std::string> words = SubjectsOf(input, command.name);
    std::string keys;
    for (const FlagDescription& argument : command.arguments) {
      for (const std::string& choice : ChoicesOf(argument.value)) words.push_back(choice);
      if (argument.value == "KEY") keys = " $(_heddle_keys)";
    }
    if (words.empty() && keys.empty()) continue;
    text +=
        fmt::format("      \"{}\") words=\"{}{}\" ;;\n", command.name, fmt::join(words, " "), keys);
  }
  return text;
}

std::string BashSubjectCases(const CompletionInput& input) {
  std::string text;
  for (const CommandDescription& command : input.commands) {
    if (!IsCommand(command))
      text += fmt::format("{}\"{}\"", text.empty() ? "" : " | ", command.name);
  }
  return text;
}

std::string BashChoiceCases(const OptionSet& options) {
  std::string text;
  for (const Option& option : options.options()) {
    if (option.choices.empty()) continue;
    const std::string other = option.simai_key.empty() ? "" : " | " + option.simai_key;
    text += fmt::format("    {}{}) echo {} ;;\n", option.key, other,
                        Quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  }
  return text;
}

}  // namespace

std::string BashCompletion(const CompletionInput& input) {
  return fmt::format(
      R"script(# Completion of heddle's command lines in bash. Written by: heddle completion bash
_heddle_keys() {{
  echo {keys}
}}

# The values that the key $1 of --set may have, where they are names.
_heddle_choices() {{
  case "$1" in
{choices}  esac
}}

# Candidates for $1 among the words $2.
_heddle_offer() {{
  local IFS=$' \t\n'
  COMPREPLY=($(compgen -W "$2" -- "$1"))
}}

# KEY=VALUE in one word, for shells that do not break words at "=".
_heddle_setting() {{
  if [[ $1 == *=* ]]; then
    _heddle_offer "${{1#*=}}" "$(_heddle_choices "${{1%%=*}}")"
    COMPREPLY=("${{COMPREPLY[@]/#/${{1%%=*}}=}}")
  else
    _heddle_offer "$1" "$(_heddle_keys)"
    COMPREPLY=("${{COMPREPLY[@]/%/=}}")
    compopt -o nospace 2> /dev/null
  fi
}}

_heddle() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} flag=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} words= kind= at=$COMP_CWORD
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _heddle_offer "$cur" {commands}
    return
  fi
  # Bash breaks words at "=": the key, or the flag, is one or two words back.
  if [[ $cur == "=" || $flag == "=" ]]; then
    [[ $cur == "=" ]] || at=$((at - 1))
    [[ $cur == "=" ]] && cur=
    flag=${{COMP_WORDS[at - 1]}}
    if [[ $flag != -* ]]; then
      _heddle_offer "$cur" "$(_heddle_choices "$flag")"
      return
    fi
  fi
  if ((COMP_CWORD > 2)); then
    case "$command ${{COMP_WORDS[2]}}" in
      {subjects}) command="$command ${{COMP_WORDS[2]}}" ;;
    esac
  fi
  case "$command $flag" in
{values}    *) kind=argument ;;
  esac
  if [[ $kind == setting ]]; then
    _heddle_setting "$cur"
    return
  fi
  if [[ $kind == argument && $cur == -* ]]; then
    case "$command" in
{flags}    esac
  elif [[ $kind == argument ]]; then
    case "$command" in
{arguments}    esac
  fi
  # No words: the shell offers files.
  [[ -z $words ]] || _heddle_offer "$cur" "$words"
}}
complete -o bashdefault -o default -F _heddle heddle
)script",
      fmt::arg("keys", Quoted(fmt::format("{}", fmt::join(KeysOf(*input.options), " ")))),
      fmt::arg("choices", BashChoiceCases(*input.options)),
      fmt::arg("commands", Quoted(CommandWords(input))),
      fmt::arg("subjects", BashSubjectCases(input)), fmt::arg("values", ValueCases(input)),
      fmt::arg("flags", FlagCases(input)), fmt::arg("arguments", ArgumentCases(input)));
}

}  // namespace heddle
