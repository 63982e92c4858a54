// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run_setup.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "collectives/nccl_environment.h"
#include "core/app/file_digest.h"
#include "core/app/input_agreement.h"
#include "core/app/job_setup.h"
#include "core/app/lost_rank.h"
#include "core/app/output_text.h"
#include "core/app/parse_arguments.h"
#include "core/app/profile_arguments.h"
#include "core/app/profile_file.h"
#include "core/app/recording.h"
#include "core/app/run_checkpoint.h"
#include "core/options.h"
#include "io/failure_csv.h"
#include "io/hpcc_flows.h"
#include "io/simai_conf.h"
#include "io/trace_csv.h"
#include "io/unused_simai_keys.h"
#include "partition/partition.h"
#include "topology/simai_topology.h"

namespace heddle {

namespace {

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

/// Variables of the ECMP controller's specification (section 5.4).
constexpr const char* kTraceVariable = "TRACE_INJECT_FILE";
constexpr const char* kControllerVariables[] = {"CC_ENABLE", "CC_LOG_FILE"};

bool IsHeeded(const std::string& variable) {
  const auto begins = [&](const std::string& with) { return variable.rfind(with, 0) == 0; };
  return begins("AS_") || begins("NCCL_") || begins(std::string(kTraceVariable) + "=") ||
         std::any_of(std::begin(kControllerVariables), std::end(kControllerVariables),
                     [&](const char* name) { return begins(std::string(name) + "="); });
}

void CheckTraffic(const RunArguments& run, const char* trace_name) {
  std::vector<std::string> given;
  if (!run.trace.empty()) given.emplace_back(trace_name);
  if (!run.flows.empty()) given.emplace_back("--flows");
  if (!run.workload.empty()) given.emplace_back("-w");
  if (!run.jobs.empty()) given.emplace_back("--job");
  if (given.empty()) {
    throw UsageError(
        "heddle run needs traffic: one of -w WORKLOAD, --job workload=FILE,..., --trace FILE.csv "
        "and --flows FILE.txt");
  }
  if (given.size() > 1) {
    throw UsageError(given[0] + " and " + given[1] +
                     " were both given. Expected: one of them (several jobs: --job for each)");
  }
  if (run.passes != 1 && run.workload.empty()) {
    throw UsageError("--passes: counts the iterations of -w. Expected: -w, or passes= in --job");
  }
}

void ApplyControllerEnvironment(const Environment& environment, OptionSet* options,
                                std::vector<std::string>* echo) {
  for (const auto& [name, value] : environment) {
    if (value.empty()) continue;  // as good as not set
    if (name == kTraceVariable) echo->push_back(name + "=" + Printable(value));
    for (const char* known : kControllerVariables) {
      if (name != known) continue;
      options->Set(name, value, {"environment variable " + name, 0});
      echo->push_back(name + "=" + Printable(value));
    }
  }
}

/// Those whose names begin with `prefix`.
Environment Beginning(const char* prefix, const Environment& environment) {
  Environment found;
  for (const auto& variable : environment) {
    if (variable.first.rfind(prefix, 0) == 0) found.push_back(variable);
  }
  return found;
}

/// Checkpoints lie beside the result, and need cuts that ns-3's engines do not have.
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
    for (const std::string& file : InputFiles(run)) {
      if (!IsReadOnce(file)) continue;
      throw UsageError(
          std::string(flag) + ": " + Printable(file) +
          " can be read only once, and not again after a restart. Expected: plain files");
    }
  }
}

/// Domains, and which rank gets them. A profile is finest where every server and switch is a
/// domain.
void MakeCut(const RunArguments& run, std::uint32_t ranks, RunInput* input) {
  const bool finest = !run.profile.empty() && run.grain == "auto";
  input->cut.grain = finest ? 1 : ParseGrain(run.grain);
  input->cut.lookahead = ParseTime(run.lookahead);
  input->cut.ranks = RanksOfCut(run, ranks);
  input->domains = MakeDomains(*input->graph, input->cut);
  if (!run.profile.empty()) input->topology_digest = InputDigest(run.topology);
  std::vector<std::int64_t> weights;
  if (!run.weights.empty()) {
    weights =
        MeasuredWeights(ReadProfileOf(run.weights, run.topology), *input->graph, input->domains);
  }
  input->assignment =
      AssignDomains(*input->graph, input->domains, ranks, run.partitioner, run.seed, weights);
}

}  // namespace

bool ParseRunArguments(const std::vector<std::string>& arguments, RunArguments* run) {
  CLI::App app(
      "Simulate workloads or flows on a topology: completion times, and what made them so.", "run");
  const char* inputs = "Inputs";
  const char* model = "Model";
  const char* parallel = "Parallel run";
  const char* outputs = "Outputs";
  app.add_option("-n,--topology", run->topology, "topology file (SimAI's text format)")
      ->required()
      ->type_name("FILE")
      ->group(inputs);
  app.add_option("--trace", run->trace, "flows as CSV: timestamp_ns,src,dst,size_bytes")
      ->type_name("FILE")
      ->group(inputs);
  app.add_option("--flows", run->flows,
                 "flows in HPCC's format: count, then src dst priority port bytes start_s")
      ->type_name("FILE")
      ->group(inputs);
  app.add_option("-w,--workload", run->workload,
                 "training workload (SimAI's text format) on all GPUs")
      ->type_name("FILE")
      ->group(inputs);
  app.add_option(
         "--job", run->jobs,
         "one of several jobs: "
         "workload=FILE,gpus=0-63,start=0ms,placement=packed|random|round-robin|list,passes=1; "
         "repeatable")
      ->allow_extra_args(false)
      ->type_name("JOB")
      ->group(inputs);
  app.add_option("--passes", run->passes, "iterations of -w")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->group(inputs);
  app.add_option("--failures", run->failures,
                 "links and nodes that fail, come back or degrade: CSV time,event,a,b,rate,cable")
      ->type_name("FILE")
      ->group(inputs);
  app.add_option("-c,--conf", run->conf, "SimAI.conf")->type_name("FILE")->group(model);
  app.add_option("--set", run->settings,
                 "any key of 'heddle options' (heddle explain KEY); repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE")
      ->group(model);
  std::string seed = std::to_string(run->seed);
  app.add_option("--seed", seed, "seed of all random streams")
      ->capture_default_str()
      ->type_name("NUMBER")
      ->group(model);
  app.add_option("--engine", run->engine, "what runs the events")
      ->capture_default_str()
      ->type_name("domain|ns3|ns3-null")
      ->group(parallel);
  app.add_option("--exchange", run->exchange,
                 "batches between ranks go to all others, or to those for which there is something")
      ->capture_default_str()
      ->type_name("auto|all|some")
      ->group(parallel);
  app.add_option("--partition", run->partitioner, "which rank gets which part")
      ->capture_default_str()
      ->type_name("block|pod|metis|random")
      ->group(parallel);
  app.add_option("--grain", run->grain,
                 "neighbouring domains grouped into one: auto, 0 (all) or a number")
      ->capture_default_str()
      ->group(parallel);
  app.add_option("--lookahead", run->lookahead,
                 "contract links faster than this (\"500ns\"); 0ns: automatic")
      ->capture_default_str()
      ->group(parallel);
  app.add_option("--weights", run->weights,
                 "balance what domains cost in this profile, instead of their ports' rates")
      ->type_name("PROFILE")
      ->group(parallel);
  AddPatienceArgument(&app, parallel, run);
  AddProfileArguments(&app, parallel, run);
  app.add_option("-o,--output", run->output, "result file (HDF5)")
      ->type_name("FILE")
      ->group(outputs);
  app.add_option(
         "--record", run->record,
         "flows=auto|all|sample:N|none, timeline=auto|all|none: what the result keeps; repeatable")
      ->allow_extra_args(false)
      ->type_name("WHAT=WHICH")
      ->group(outputs);
  app.add_option("--flush", run->flush,
                 "results go to disk this often, by the clock; they survive a kill (heddle "
                 "recover). auto: every second, or more "
                 "rarely, so that it takes 1 % of the time")
      ->capture_default_str()
      ->type_name("auto|TIME")
      ->group(outputs);
  const char* saving = "Checkpoints";
  app.add_option("--checkpoint-every", run->checkpoint.every,
                 "save the run beside its result this often, by the clock (10min, 01:30:00). auto: "
                 "every 10 minutes, or more rarely, "
                 "so that it takes 1 % of the time")
      ->capture_default_str()
      ->type_name("auto|never|TIME")
      ->group(saving);
  app.add_option("--checkpoint-at", run->checkpoint.at,
                 "save it at this simulated time (5ms), or every so much (every:5ms); repeatable")
      ->allow_extra_args(false)
      ->type_name("TIME")
      ->group(saving);
  app.add_option(
         "--max-wall", run->checkpoint.max_wall,
         "save it and end, with exit code 85, before the program has run so long (01:50:00)")
      ->type_name("TIME")
      ->group(saving);
  app.add_option("--restart", run->checkpoint.restart,
                 "go on from RESULT.ckpt, on any number of ranks. auto: if there is one; otherwise "
                 "from the beginning, over what a "
                 "run without one has left")
      ->type_name("auto|FILE")
      ->group(saving);
  app.add_option("--json-log", run->json_log,
                 "the run as one JSON object a line; \"-\": standard output, which implies --quiet")
      ->type_name("FILE")
      ->group(outputs);
  app.add_flag("--force", run->force, "replace files that exist")->group(outputs);
  app.add_flag("-q,--quiet", run->quiet, "no progress, no summary: only warnings and errors")
      ->group(outputs);
  app.add_flag("--estimate", run->estimate,
               "do not run: say what the run would take in events, memory, disk and time")
      ->group(outputs);
  app.add_flag("--memory-report", run->memory_report,
               "afterwards, memory by data structure and rank")
      ->group(outputs);
  app.add_flag("--ignore-memory", run->ignore_memory,
               "run even if the memory will not do by the estimate")
      ->group(parallel);
  app.footer(Examples(
      {"heddle run -n fabric.txt -w workload.txt -o result.h5",
       "mpirun -n 4 heddle run -n fabric.txt -w workload.txt -o result.h5",
       "heddle run -n fabric.txt -w workload.txt --profile profile.json --profile-for 20s",
       "heddle run -n fabric.txt --trace flows.csv -o hpcc.h5 --set CC_MODE=3 --set "
       "monitor.kinds=queues,rates",
       "heddle run -n fabric.txt -w workload.txt -o result.h5 --max-wall 01:50:00 --restart auto",
       "heddle run -n fabric.txt --trace flows.csv --json-log - | jq -c 'select(.event == "
       "\"progress\")'"}));
  if (!ParseArguments(&app, arguments)) return false;
  for (const char* flag : {"-n", "--trace", "--flows", "-w", "-c", "--failures", "--weights",
                           "--profile", "-o", "--json-log"}) {
    const CLI::Option* option = app.get_option(flag);
    if (option->count() > 0 && option->as<std::string>().empty()) {
      throw UsageError(std::string(flag) + ": the name of the file is empty");
    }
  }
  run->words = arguments;
  if (IsStandardOutput(run->json_log)) run->quiet = true;
  run->seed = ParseSeed(seed);
  for (const std::string& job : run->jobs) ParseJobSpec(job);
  ParseRecording(run->record);
  CheckPartitioner(run->partitioner);
  ParseTimeFlag("--lookahead", run->lookahead);
  if (run->flush != "auto" && ParseTimeFlag("--flush", run->flush).ps <= 0) {
    throw UsageError("--flush: found '" + Printable(run->flush) +
                     "'. Expected: auto, or a time above 0, such as 1s");
  }
  ParseGrain(run->grain);
  PatienceOf(*run);
  CheckCheckpoints(*run, app);
  CheckProfileArguments(*run);
  return true;
}

AllOptions::AllOptions() {
  transport.Declare(&options);
  collectives.Declare(&options);
  DeclareUnusedSimaiKeys(&options);
}

Environment SharedEnvironment(const Communicator& world) {
  std::string text;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (IsHeeded(variable)) text += variable + '\0';
  }
  text = world.Broadcast(text);
  Environment environment;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    const std::string variable = text.substr(at, text.find('\0', at) - at);
    const std::size_t equals = std::min(variable.find('='), variable.size() - 1);
    environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  std::sort(environment.begin(), environment.end());
  return environment;
}

void ResolveTraffic(const Environment& environment, RunArguments* run) {
  const bool by_flag = !run->trace.empty();
  for (const auto& [name, value] : environment) {
    if (name != kTraceVariable || value.empty()) continue;
    if (by_flag)
      throw UsageError(std::string("--trace and ") + kTraceVariable +
                       " were both given. Expected: one of them");
    run->trace = value;
  }
  CheckTraffic(*run, by_flag ? "--trace" : kTraceVariable);
}

void LoadRun(const RunArguments& run, std::uint32_t ranks, const Environment& environment,
             RunInput* input) {
  if (!run.conf.empty()) ReadSimaiConf(run.conf, &input->options);
  ApplySimaiEnvironment(Beginning("AS_", environment), &input->options, &input->environment,
                        &input->warnings);
  ApplyControllerEnvironment(environment, &input->options, &input->environment);
  const auto variable = [&](const char* name) -> const char* {
    for (const auto& [known, value] : environment) {
      if (known == name) return value.c_str();
    }
    return nullptr;
  };
  ApplyNcclEnvironment(variable, &input->collectives, &input->environment);
  for (const std::string& setting : run.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw UsageError("--set " + Printable(setting) + ": expected KEY=VALUE");
    input->options.Set(setting.substr(0, equals), setting.substr(equals + 1),
                       {"--set " + Printable(setting), 0});
  }
  input->collectives.send_latency = input->transport.send_latency;
  input->graph = std::make_unique<Graph>(ReadSimaiTopology(run.topology));
  if (input->transport.monitors.any() && run.output.empty()) {
    throw UsageError(
        "monitor.kinds asks for samples, and there is no result to write them to. Expected: -o "
        "FILE");
  }
  std::vector<FailureEvent> failures;
  if (!run.failures.empty()) failures = ReadFailureCsv(run.failures);
  if (const auto down = ParseLinkDown(input->transport.link_down)) failures.push_back(*down);
  input->failures = ExpandFailures(*input->graph, std::move(failures));
  if (!run.trace.empty()) {
    input->flows = ReadTraceCsv(run.trace, *input->graph, input->transport.send_latency);
  } else if (!run.flows.empty()) {
    input->flows = ReadHpccFlows(run.flows, *input->graph);
  } else {
    input->jobs = LoadJobs(run, *input->graph, &input->warnings);
  }
  MakeCut(run, ranks, input);
}

}  // namespace heddle
