// SPDX-License-Identifier: GPL-2.0-only
/// `heddle completion`: a script for the shell's completion.
#include "core/app/base/cli/command_table.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/completion/completion.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/setup/all_options.h"

namespace heddle {

int CompletionCommand(const std::vector<std::string>& arguments) {
  std::string shell, output = "-";
  CLI::App app("Print a script that completes commands, flags, keys and files.", "completion");
  app.add_option("SHELL", shell, "bash, zsh or fish")->required()->type_name("bash|zsh|fish");
  app.add_option("-o,--output", output, "file for the script; without: standard output")
      ->type_name("FILE");
  bool force = false;
  app.add_flag("--force", force, "replace an existing file");
  app.footer(
      Examples({"source <(heddle completion bash)", "heddle completion zsh -o ~/.zfunc/_heddle",
                "heddle completion fish | source"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckOutputs({{"-o", output}}, {}, force);
  const AllOptions all;
  CompletionInput input;
  input.options = &all.options;
  for (const Command& command : Commands()) {
    for (CommandDescription& description : Describe(command))
      input.commands.push_back(std::move(description));
  }
  if (shell == "bash") {
    WriteText(output, BashCompletion(input));
  } else if (shell == "zsh") {
    WriteText(output, ZshCompletion(input));
  } else if (shell == "fish") {
    WriteText(output, FishCompletion(input));
  } else {
    throw UsageError("unknown shell '" + Printable(shell) + "'. Expected: bash, zsh or fish");
  }
  return 0;
}

}  // namespace heddle
