// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/serve/serve_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/arguments/serving_arguments.h"
#include "core/base/check.h"
#include "io/serving/request_law_text.h"

namespace heddle {
namespace {

void AddServeFlags(CLI::App* app, ServeArguments* given) {
  app->add_option("-n,--topology", given->topology, "fabric, as of heddle run")
      ->required()
      ->type_name("FILE");
  app->add_option("-d,--deployment", given->deployment,
                  "model, GPUs and pools (docs/formats/serving.md)")
      ->required()
      ->type_name("FILE.toml");
  AddServingArguments(app, "", &given->serving);
  for (CLI::Option* option : app->get_options()) {
    if (option->get_group().empty()) option->group("OPTIONS");
  }
  app->add_option("--seed", given->seed, "of a law")->capture_default_str()->type_name("NUMBER");
  app->add_option("--backend", given->backend,
                  "what carries KV transfers; closed-form: each takes the time of its path alone")
      ->capture_default_str()
      ->type_name("flow|packet|closed-form");
  app->add_option("--ranks", given->ranks, "processes of the run, as of heddle run")
      ->type_name("auto|NUMBER");
  app->add_option("-o,--output", given->output, "result file (HDF5)")->type_name("FILE");
  app->add_option("--csv", given->csv,
                  "with closed-form: file for a line a request; -: standard output")
      ->type_name("FILE");
  app->add_flag("--force", given->force, "replace files that exist");
  AddJsonFlag(app, &given->json);
}

/// Throws UsageError.
void CheckTogether(const ServeArguments& given) {
  const bool closed = given.closed_form();
  if (closed && (!given.output.empty() || !given.ranks.empty() || !given.run_flags.empty()))
    throw UsageError(
        "-o, --ranks and flags behind --: of a run on the fabric. Expected: --backend flow or "
        "packet");
  if (!closed && !given.csv.empty())
    throw UsageError("--csv: of closed forms. Expected: -o FILE, which has a row a request");
  if (!closed && given.backend != "flow" && given.backend != "packet")
    throw UsageError("--backend: found '" + Printable(given.backend) +
                     "'. Expected: flow, packet or closed-form");
}

}  // namespace

bool ParseServeArguments(const std::vector<std::string>& arguments, ServeArguments* given) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (end != arguments.end()) given->run_flags.assign(end + 1, arguments.end());
  CLI::App app(
      "Serve requests to a language model: batches, KV memory, and KV transfers between prefill "
      "and decode instances on a fabric. Flags of heddle run stand behind --.",
      "serve");
  AddServeFlags(&app, given);
  app.footer(Examples(
      {"heddle serve -n fabric.txt -d deployment.toml --requests azure.csv --first 1000",
       "heddle serve -n fabric.txt -d deployment.toml --requests "
       "poisson,rate=8,count=1000,input=2000,output=exponential:200 --slo ttft=2s,tpot=50ms",
       "heddle serve -n fabric.txt -d deployment.toml --requests azure.csv --backend packet -o "
       "result.h5 -- --set CC_MODE=3"}));
  if (!ParseArguments(&app, {arguments.begin(), end})) return false;
  CheckServingArguments(given->serving, true);
  CheckTogether(*given);
  CheckJsonAlone(given->json, "--csv", given->csv);
  std::vector<InputFile> inputs = {{"-n", given->topology}, {"-d", given->deployment}};
  if (!IsRequestLaw(given->serving.requests))
    inputs.push_back({"--requests", given->serving.requests});
  CheckOutputs({{"--csv", given->csv}}, inputs, given->force);
  return true;
}

std::vector<std::string> WordsOfRun(const ServeArguments& given) {
  std::vector<std::string> words = {"-n",           given.topology,
                                    "--serve",      given.deployment,
                                    "--requests",   given.serving.requests,
                                    "--first",      std::to_string(given.serving.first),
                                    "--rate-scale", fmt::format("{}", given.serving.rate_scale),
                                    "--seed",       std::to_string(given.seed),
                                    "--backend",    given.backend};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {flag, value});
  };
  add("--slo", given.serving.slo);
  if (given.serving.rate > 0) add("--rate", fmt::format("{}", given.serving.rate));
  for (const std::string& key : given.serving.deploy) add("--deploy", key);
  add("-o", given.output);
  add("--ranks", given.ranks);
  if (given.serving.spread) words.emplace_back("--spread");
  if (given.force) words.emplace_back("--force");
  if (given.json) words.emplace_back("--json");
  words.insert(words.end(), given.run_flags.begin(), given.run_flags.end());
  return words;
}

}  // namespace heddle
