// SPDX-License-Identifier: GPL-2.0-only
/// `heddle analytical`: how long a training step takes by closed forms, without a simulated packet.
#include <algorithm>

#include "core/app/analytical/simai_program.h"
#include "core/app/cli/commands.h"
#include "core/app/cli/parse_arguments.h"

namespace heddle {

int AnalyticalCommand(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--compat") {
    if (arguments.size() < 2)
      throw UsageError(
          "--compat has no value. Expected: simai-analytical-1.6 or simai-analytical-1.0");
    return RunSimaiAnalytical(ParseSimaiProgram(arguments[1]),
                              {arguments.begin() + 2, arguments.end()});
  }
  std::string program;
  CLI::App app("How long a training step takes by the closed forms of SimAI's analytical program.",
               "analytical");
  app.add_option("--compat", program,
                 "the first word: what that program prints, with its flags behind it")
      ->type_name("simai-analytical-1.6|simai-analytical-1.0");
  if (std::find(arguments.begin(), arguments.end(), "--compat") != arguments.end())
    throw UsageError("--compat must be the first word");
  if (!ParseArguments(&app, arguments)) return 0;
  throw UsageError(
      "no --compat. Expected: --compat simai-analytical-1.6 or simai-analytical-1.0 as the first "
      "word");
}

}  // namespace heddle
