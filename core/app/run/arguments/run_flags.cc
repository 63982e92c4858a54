// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/run_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "collectives/job/job.h"
#include "core/app/base/cli/file_digest.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/astra_files.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/patience_option.h"
#include "core/app/run/arguments/physical_arguments.h"
#include "core/app/run/arguments/profile_arguments.h"
#include "core/app/run/arguments/recording.h"
#include "core/app/run/arguments/serving_arguments.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/engine/engine.h"
#include "partition/partition.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

/// Groups of flags in the help text.
constexpr const char *kInputs = "Inputs", *kModel = "Model", *kParallel = "Parallel run",
                     *kOutputs = "Outputs", *kCheckpoints = "Checkpoints";

void AddTrafficFlags(CLI::App* app, RunArguments* run) {
  for (const TrafficSource& source : TrafficSources()) {
    if (source.file != nullptr) {
      app->add_option(source.all_names, run->*source.file, source.help)
          ->type_name("FILE")
          ->group(kInputs);
    } else {
      app->add_option(source.all_names, run->*source.jobs, source.help)
          ->allow_extra_args(false)
          ->type_name("JOB")
          ->group(kInputs);
    }
  }
}

void AddInputFlags(CLI::App* app, RunArguments* run) {
  app->add_option("-n,--topology", run->topology, "topology file (SimAI's text format)")
      ->required()
      ->type_name("FILE")
      ->group(kInputs);
  AddAstraNetwork(app, kInputs, run);
  app->add_option("--tables", run->routing.tables,
                  "forwarding tables of the switches (heddle topo route) instead of equal-cost "
                  "routes")
      ->type_name("FILE")
      ->group(kInputs);
  AddTrafficFlags(app, run);
  app->add_option(
         "--chakra-groups", run->chakra_groups,
         "groups of ranks of --chakra, JSON such as {\"1\": [0, 1]}, instead of those that "
         "the trace has")
      ->type_name("FILE")
      ->group(kInputs);
  app->add_option("--start-unit", run->start_unit,
                  "unit of the starts in htsim's connection matrices, which the file does not say")
      ->capture_default_str()
      ->type_name("us|ps")
      ->group(kInputs);
  AddServingArguments(app, kInputs, &run->serving);
  app->add_option("--plan", run->plan,
                  "a key of the plans that -w or --job name, with another value: tp=4; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kInputs);
  app->add_option("--passes", run->passes, "iterations of -w")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str()
      ->group(kInputs);
  app->add_option("--failures", run->failures,
                  "links and nodes that fail, come back or degrade: CSV time,event,a,b,rate,cable")
      ->type_name("FILE")
      ->group(kInputs);
}

void AddModelFlags(CLI::App* app, RunArguments* run, std::string* seed) {
  app->add_option("-c,--conf", run->conf, "SimAI.conf")->type_name("FILE")->group(kModel);
  AddAstraSystem(app, kModel, run);
  app->add_option("--set", run->settings,
                  "any key of 'heddle options' (heddle explain KEY); repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE")
      ->group(kModel);
  app->add_option_function<std::string>(
         "--transport",
         [run](const std::string& protocol) {
           run->settings.push_back("transport.protocol=" + protocol);
         },
         "RoCE, Ultra Ethernet, or both, each for its traffic classes: as --set "
         "transport.protocol=...")
      ->type_name("roce|uec|mixed")
      ->group(kModel);
  app->add_option_function<std::string>(
         "--like", [run](const std::string& whom) { run->settings.push_back("like=" + whom); },
         "collectives as NCCL's or as SimAI's, where the two differ: as --set like=... (heddle "
         "explain like)")
      ->type_name("nccl|simai")
      ->group(kModel);
  app->add_option("--backend", run->backend, "what carries the traffic")
      ->capture_default_str()
      ->type_name(fmt::format("{}", fmt::join(BackendNames(), "|")))
      ->group(kModel);
  app->add_option("--calibration", run->calibration,
                  "measured latencies and efficiencies in place of closed forms (heddle calibrate)")
      ->type_name("FILE")
      ->group(kModel);
  app->add_option("--routing", run->routing.routing, RoutingText())
      ->capture_default_str()
      ->type_name("ROUTING")
      ->group(kModel);
  app->add_option("--seed", *seed, "seed of all random streams")
      ->capture_default_str()
      ->type_name("NUMBER")
      ->group(kModel);
}

void AddParallelFlags(CLI::App* app, RunArguments* run) {
  app->add_option("--engine", run->engine, "what runs the events")
      ->capture_default_str()
      ->type_name("domain|ns3|ns3-null")
      ->group(kParallel);
  app->add_option(
         "--exchange", run->exchange,
         "batches between ranks go to all others, or to those for which there is something")
      ->capture_default_str()
      ->type_name("auto|all|some")
      ->group(kParallel);
  app->add_option("--partition", run->partitioner, "how domains are assigned to ranks")
      ->capture_default_str()
      ->type_name("block|pod|metis|random")
      ->group(kParallel);
  app->add_option("--grain", run->grain,
                  "neighbouring domains grouped into one: auto, 0 (all) or a number")
      ->capture_default_str()
      ->type_name("auto|NUMBER")
      ->group(kParallel);
  app->add_option("--lookahead", run->lookahead,
                  "contract links faster than this (\"500ns\"); 0ns: automatic")
      ->capture_default_str()
      ->type_name("TIME")
      ->group(kParallel);
  app->add_option("--weights", run->weights,
                  "balance what domains cost in this profile, instead of their ports' rates")
      ->type_name("PROFILE")
      ->group(kParallel);
  AddPhysicalArguments(app, kParallel, run);
  AddPatienceArgument(app, kParallel, run);
  AddProfileArguments(app, kParallel, run);
}

void AddResultFlags(CLI::App* app, RunArguments* run) {
  app->add_option("-o,--output", run->output, "result file (HDF5)")
      ->type_name("FILE")
      ->group(kOutputs);
  app->add_option("--record", run->record,
                  "flows=auto|auto:N|all|sample:N|none, collectives=auto|all|sample:N|none, "
                  "timeline=auto|all|none: what the result keeps; repeatable")
      ->allow_extra_args(false)
      ->type_name("WHAT=WHICH")
      ->group(kOutputs);
  app->add_option("--flush", run->flush,
                  "results go to disk this often, by the clock; they survive a kill (heddle "
                  "recover). auto: every second, or more "
                  "rarely, so that it takes 1 % of the time")
      ->capture_default_str()
      ->type_name("auto|TIME")
      ->group(kOutputs);
}

void AddCheckpointFlags(CLI::App* app, RunArguments* run) {
  app->add_option(
         "--checkpoint-every", run->checkpoint.every,
         "save the run beside its result this often, by the clock (10min, 01:30:00). auto: "
         "every 10 minutes, or more rarely, "
         "so that it takes 1 % of the time")
      ->capture_default_str()
      ->type_name("auto|never|TIME")
      ->group(kCheckpoints);
  app->add_option("--checkpoint-at", run->checkpoint.at,
                  "save it at this simulated time (5ms), or every so much (every:5ms); repeatable")
      ->allow_extra_args(false)
      ->type_name("TIME")
      ->group(kCheckpoints);
  app->add_option(
         "--max-wall", run->checkpoint.max_wall,
         "save it and end, with exit code 85, before the program has run so long (01:50:00)")
      ->type_name("TIME")
      ->group(kCheckpoints);
  app->add_option(
         "--restart", run->checkpoint.restart,
         "go on from RESULT.ckpt, on any number of ranks. auto: if there is one; otherwise "
         "from the beginning, over what a "
         "run without one has left")
      ->type_name("auto|FILE")
      ->group(kCheckpoints);
}

void AddReportFlags(CLI::App* app, RunArguments* run) {
  app->add_option(
         "--json-log", run->json_log,
         "the run as one JSON object a line; \"-\": standard output, which implies --quiet")
      ->type_name("FILE")
      ->group(kOutputs);
  app->add_flag("--force", run->force, "replace files that exist")->group(kOutputs);
  app->add_flag("-q,--quiet", run->quiet, "no progress, no summary: only warnings and errors")
      ->group(kOutputs);
  app->add_flag("--estimate", run->estimate,
                "do not run: print the estimated events, memory, disk space and time")
      ->group(kOutputs);
  app->add_flag("--memory-report", run->memory_report,
                "afterwards, memory by data structure and rank")
      ->group(kOutputs);
  AddJsonFlag(app, &run->json)->group(kOutputs);
  app->add_flag("--ignore-memory", run->ignore_memory,
                "run even if the memory will not do by the estimate")
      ->group(kParallel);
}

/// In the order in which help and completion scripts list them.
void AddFlags(CLI::App* app, RunArguments* run, std::string* seed, std::string* ranks) {
  AddInputFlags(app, run);
  AddModelFlags(app, run, seed);
  app->add_option(
         "--ranks", *ranks,
         "starts itself on this many processes; auto: as many as end first on this machine")
      ->type_name("auto|NUMBER")
      ->group(kParallel);
  AddParallelFlags(app, run);
  AddResultFlags(app, run);
  AddCheckpointFlags(app, run);
  AddReportFlags(app, run);
  app->footer(Examples(
      {"heddle run -n fabric.txt -w workload.txt -o result.h5",
       "heddle run -n fabric.txt -w workload.txt -o result.h5 --ranks auto",
       "mpirun -n 4 heddle run -n fabric.txt -w workload.txt -o result.h5",
       "heddle run -n fabric.txt -w workload.txt --profile profile.json --profile-for 20s",
       "mpirun -n 8 heddle run -n fabric.txt -w workload.txt -o measured.h5 --backend physical",
       "heddle run -n fabric.txt --trace flows.csv -o hpcc.h5 --set CC_MODE=3 --set "
       "monitor.kinds=queues,rates",
       "heddle run -n fabric.txt -w workload.txt -o result.h5 --max-wall 01:50:00 --restart auto",
       "heddle run -n fabric.txt --trace flows.csv --json-log - | jq -c 'select(.event == "
       "\"progress\")'"}));
}

std::uint64_t ParseSeed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || stop != end || seed > static_cast<std::uint64_t>(INT64_MAX)) {
    throw UsageError("--seed: found '" + Printable(text) +
                     "'. Expected: a whole number from 0 to 9223372036854775807");
  }
  return seed;
}

/// Rejects an empty name, which would look like a flag that was not given.
void CheckFileNames(const CLI::App& app) {
  std::vector<std::string> flags = InputFileFlags();
  flags.insert(flags.end(), {"--astra-network", "--astra-system", "--profile", "-o", "--json-log"});
  for (const std::string& flag : flags) {
    const CLI::Option* option = app.get_option(flag);
    if (option->count() > 0 && option->as<std::string>().empty())
      throw UsageError(flag + ": the name of the file is empty");
  }
}

/// Checkpoint files lie beside the result, and need cuts, which ns-3's engines do not have.
void CheckCheckpoints(const RunArguments& run, const CLI::App& app) {
  CheckCheckpointArguments(run.checkpoint);
  for (const char* flag : {"--checkpoint-every", "--checkpoint-at", "--max-wall", "--restart"}) {
    if (app.get_option(flag)->count() == 0) continue;
    if (run.output.empty()) {
      throw UsageError(
          std::string(flag) +
          ": a checkpoint lies beside the result, and there is none. Expected: -o FILE");
    }
    if (ParseEngineKind(run.engine) != EngineKind::kDomain) {
      throw UsageError(std::string(flag) + ": engine " + run.engine +
                       " keeps messages that are under way inside ns-3 and MPI, where they cannot "
                       "be saved. Expected: --engine domain");
    }
    for (const InputFile& file : InputFiles(run)) {
      if (!IsReadOnce(file.path)) continue;
      throw UsageError(
          std::string(flag) + ": " + Printable(file.path) +
          " can be read only once, and not again after a restart. Expected: plain files");
    }
  }
}

/// A calibration has times of whole collectives, which packets make themselves.
void CheckCalibration(const RunArguments& run) {
  const BackendKind backend = ParseBackendKind(run.backend);
  if (run.calibration.empty() || TakesCalibration(backend)) return;
  throw UsageError(
      "--calibration: the backend " + run.backend +
      " makes the times of collectives from links, queues and latencies of messages, so there is "
      "nothing that a calibration could replace. Expected: --backend analytical");
}

/// Throws UsageError for a value that cannot be parsed, even if it is used later.
void CheckValues(const RunArguments& run) {
  for (const std::string& job : run.jobs) ParseJobSpec(job);
  ParseRecording(run.record);
  CheckServingArguments(run.serving, !run.deployment.empty());
  CheckCalibration(run);
  CheckPartitioner(run.partitioner);
  ParseTimeFlag("--lookahead", run.lookahead);
  if (run.flush != "auto" && ParseTimeFlag("--flush", run.flush).ps <= 0) {
    throw UsageError("--flush: found '" + Printable(run.flush) +
                     "'. Expected: auto, or a time above 0, such as 1s");
  }
  ParseGrain(run.grain);
  PatienceOf(run);
}

}  // namespace

bool ParseRunArguments(const std::vector<std::string>& arguments, RunArguments* run) {
  CLI::App app(
      "Simulate workloads or flows on a topology: completion times, and what made them so.", "run");
  std::string seed = std::to_string(run->seed);
  std::string ranks;
  AddFlags(&app, run, &seed, &ranks);
  if (!ParseArguments(&app, arguments)) return false;
  if (!ranks.empty())
    throw UsageError(
        "--ranks: among the flags of a run that another command starts. Expected: that command's "
        "--ranks");
  CheckFileNames(app);
  run->words = arguments;
  CheckJsonAlone(run->json, "--json-log", run->json_log);
  CheckJsonWithout(run->json, {{"--quiet", run->quiet},
                               {"--estimate", run->estimate},
                               {"--memory-report", run->memory_report}});
  if (IsStandardOutput(run->json_log)) run->quiet = true;
  run->seed = ParseSeed(seed);
  CheckValues(*run);
  CheckCheckpoints(*run, app);
  CheckProfileArguments(*run);
  CheckPhysicalArguments(app, *run);
  return true;
}

}  // namespace heddle
