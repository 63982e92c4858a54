// SPDX-License-Identifier: GPL-2.0-only
/// `heddle serve`: requests to a language model on a fabric. On a backend it is `heddle run
/// --serve`; with transfers in closed form it needs no run.
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/serving/priced_outcome.h"
#include "core/app/run/serving/serving_text.h"
#include "core/app/studies/serve/serve_arguments.h"

namespace heddle {

int ServeCommand(const std::vector<std::string>& arguments) {
  ServeArguments given;
  if (!ParseServeArguments(arguments, &given)) return 0;
  if (!given.closed_form()) return RunCommand(WordsOfRun(given));
  if (!SpeaksForAll()) return 0;
  const FabricInput fabric = ReadFabric(given.topology, given.routing);
  const auto input = LoadServing(given.deployment, given.serving, given.seed, *fabric.graph);
  for (const std::string& warning : fabric.warnings) PrintWarning(warning);
  for (const std::string& warning : input->warnings) PrintWarning(warning);
  const ServingOutcome outcome = ServeByPrices(*input, *fabric.graph);
  if (!given.csv.empty()) WriteText(given.csv, ServingCsv(outcome));
  if (given.json) {
    PrintJson(ServingJson(outcome));
  } else {
    PrintBeside(ServingText(outcome), given.csv == "-");
  }
  return 0;
}

}  // namespace heddle
