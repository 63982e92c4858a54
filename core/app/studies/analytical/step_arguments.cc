// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/step_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "collectives/pipeline/known_schedules.h"
#include "collectives/pipeline/pipeline_options.h"
#include "core/app/base/cli/output_text.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostGpus = 10'000'000;
constexpr std::uint64_t kMostChunks = 1024, kMostGroup = 1'000'000;
constexpr const char* kInterleaved = "interleaved";

/// SimAI's names of both programs, and ours.
const std::pair<const char*, const char*> kNames[] = {
    {"-g_p_s", "--gpus-per-server"},
    {"-n_p_s", "--nics-per-server"},
    {"--nic_per_server", "--nics-per-server"},
    {"-nv", "--nvlink"},
    {"-nic", "--nic"},
    {"--nic_busbw", "--nic"},
    {"-g_type", "--gpu-type"},
    {"--gpu_type", "--gpu-type"},
    {"-nic_t", "--nic-type"},
    {"--nic_type", "--nic-type"},
    {"-dp_o", "--dp-overlap"},
    {"--dp_overlap", "--dp-overlap"},
    {"--dp-overlap-ratio", "--dp-overlap"},
    {"-tp_o", "--tp-overlap"},
    {"--tp_overlap", "--tp-overlap"},
    {"--tp-overlap-ratio", "--tp-overlap"},
    {"-ep_o", "--ep-overlap"},
    {"--ep_overlap", "--ep-overlap"},
    {"--ep-overlap-ratio", "--ep-overlap"},
    {"-pp_o", "--pp-overlap"},
    {"--pp_overlap", "--pp-overlap"},
    {"--pp-overlap-ratio", "--pp-overlap"},
    {"-busbw", "--bus-bandwidth"},
    {"-r_f", "--result-folder"},
    {"--result_folder", "--result-folder"},
};

bool IsNumber(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Takes numbers from `least` to `most`; above `least` only, unless `with_least`.
CLI::Validator NumberFrom(double least, double most, bool with_least) {
  const auto check = [=](const std::string& word) {
    const std::optional<double> number = ReadNumber<double>(word);
    if (number && (*number > least || (with_least && *number == least)) && *number <= most)
      return std::string();
    return fmt::format("found '{}'. Expected: a number {} {}, at most {}", Printable(word),
                       with_least ? "from" : "above", least, most);
  };
  return {check, ""};
}

CLI::Validator PositiveRate() { return NumberFrom(0, 1e6, false); }
CLI::Validator Share() { return NumberFrom(0, 1, true); }

void CheckChoice(const char* flag, const std::string& given,
                 const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), given) != choices.end()) return;
  throw UsageError(fmt::format("{}: '{}'.{} Expected: {}", flag, Printable(given),
                               DidYouMean(given, choices), fmt::join(choices, ", ")));
}

/// Flags of bandwidths, which a fabric has itself.
constexpr const char* kOfBandwidths[] = {
    "--gpus-per-server", "--nics-per-server", "--nvlink",     "--nic",
    "--gpu-type",        "--nic-type",        "--simai-units"};

void AddTopology(CLI::App* app, StepArguments* given) {
  app->add_option("-n,--topology", given->topology,
                  "fabric whose links and switches are the bandwidths, as of heddle run")
      ->type_name("FILE");
  app->add_option("--placement", given->placement, "of ranks on the fabric's GPUs")
      ->capture_default_str()
      ->type_name("packed|random|round-robin");
  app->add_option("--set", given->settings,
                  "with -n, any key of 'heddle options', such as algorithm.allgather=ring; "
                  "repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

void AddFabric(CLI::App* app, StepArguments* given) {
  app->add_option("-g,--gpus", given->gpus, "GPUs; 0: all_gpus of the workload")
      ->capture_default_str()
      ->check(WholeNumber(0, kMostGpus));
  app->add_option("--gpus-per-server", given->gpus_per_server, "-g_p_s: GPUs of an NVLink domain")
      ->capture_default_str()
      ->check(WholeNumber(1, kMostGpus));
  app->add_option("--nics-per-server", given->nics_per_server,
                  "-n_p_s: NICs of it; 0: as many as GPUs")
      ->capture_default_str()
      ->check(WholeNumber(0, kMostGpus));
  app->add_option("--nvlink", given->nvlink, "-nv: bus bandwidth of a GPU's NVLinks")
      ->check(PositiveRate())
      ->type_name("GB/s");
  app->add_option("--nic", given->nic, "-nic: bus bandwidth of one NIC")
      ->check(PositiveRate())
      ->type_name("GB/s");
  app->add_option("--gpu-type", given->gpu_type,
                  "-g_type: bandwidth of NVLinks without --nvlink; NVLS")
      ->capture_default_str()
      ->type_name("A100|A800|H100|H800|H20");
  app->add_option("--nic-type", given->nic_type, "-nic_t: bandwidth of a NIC without --nic")
      ->capture_default_str()
      ->type_name("cx6|cx7|bf3");
  app->add_option("--bus-bandwidth", given->bandwidths,
                  "-busbw: SimAI's busbw.yaml; its values replace those computed")
      ->type_name("FILE");
  app->add_flag("--simai-units", given->simai_units, "a GB is 2^30 bytes, not 10^9");
}

void AddModel(CLI::App* app, StepArguments* given) {
  app->add_option("--dp-overlap", given->overlaps.data, "-dp_o: hidden share of DP, DP_EP and ALL")
      ->capture_default_str()
      ->check(Share())
      ->type_name("SHARE");
  app->add_option("--tp-overlap", given->overlaps.tensor, "-tp_o: hidden share of TP")
      ->capture_default_str()
      ->check(Share())
      ->type_name("SHARE");
  app->add_option("--ep-overlap", given->overlaps.expert, "-ep_o: hidden share of EP")
      ->capture_default_str()
      ->check(Share())
      ->type_name("SHARE");
  app->add_option("--pp-overlap", given->overlaps.pipeline,
                  "-pp_o: hidden share of messages between stages")
      ->capture_default_str()
      ->check(Share())
      ->type_name("SHARE");
  app->add_option("--algorithm", given->algorithm, "of AllReduce; auto: the fastest")
      ->capture_default_str()
      ->type_name("auto|ring|tree|nvls");
  app->add_option(
         "--calibration", given->calibration,
         "SimAI's measured tables, or a file of heddle calibrate, in place of latencies and "
         "protocols")
      ->capture_default_str()
      ->type_name("none|simai-1.6|FILE");
  app->add_option("--schedule", given->schedule,
                  "of pipeline stages, as pipeline.schedule of heddle run; interleaved without "
                  "--chunks: a formula with the workload's vpp")
      ->capture_default_str()
      ->type_name(fmt::format("{}|{}NAME", fmt::join(ScheduleWords(), "|"), kScheduleFile));
  app->add_option("--chunks", given->chunks, "of the model on a stage, with --schedule interleaved")
      ->check(WholeNumber(1, kMostChunks));
  app->add_option("--group", given->group,
                  "micro-batches in a row on one chunk, with --chunks; as many as stages if not "
                  "given")
      ->check(WholeNumber(1, kMostGroup));
  app->add_option("--stage-weights", given->stage_weights,
                  "times of the stages, each over that of the workload's: 1,1,1.2,0.9")
      ->delimiter(',')
      ->type_name("WEIGHTS");
}

}  // namespace

std::vector<std::string> WithLongNames(const std::vector<std::string>& words) {
  std::vector<std::string> translated;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto* const found =
        std::find_if(std::begin(kNames), std::end(kNames),
                     [&](const auto& names) { return words[i] == names.first; });
    translated.push_back(found == std::end(kNames) ? words[i] : found->second);
    const bool chart = words[i] == "-v" || words[i] == "--visual";
    if (!chart || i + 1 == words.size() || !IsNumber(words[i + 1])) continue;
    if (words[i + 1] == "0") translated.pop_back();
    ++i;
  }
  return translated;
}

void AddArguments(CLI::App* app, StepArguments* given) {
  app->add_option("-w,--workload", given->workload, "SimAI's or AICB's workload")
      ->required()
      ->type_name("FILE");
  AddTopology(app, given);
  AddFabric(app, given);
  AddModel(app, given);
  app->add_option("-r,--result", given->result,
                  "write ./results/NAMEEndToEnd.csv, with SimAI's columns and some more")
      ->type_name("NAME");
  app->add_option("-o,--output", given->output, "write a result file (HDF5), as heddle run does")
      ->type_name("FILE");
  app->add_option("--result-folder", given->folder, "-r_f: folder below ./results")
      ->type_name("FOLDER");
  app->add_option("-l,--lang", given->language, "of the chart")
      ->capture_default_str()
      ->type_name("en|ja");
  app->add_flag("-v,--visual", given->chart, "write ./results/NAMEchart.html too");
  app->add_flag("--force", given->force, "replace existing outputs");
  AddJsonFlag(app, &given->json);
  app->footer(
      Examples({"heddle analytical -w workload.txt -g 128 -g_type H100 -nic_t cx7",
                "heddle analytical -w workload.txt -g 9216 -nv 360 -nic 48.5 -n_p_s 8 -g_p_s 8 "
                "-dp_o 0.5 -r step-",
                "heddle analytical -w workload.txt -n fabric.txt -o step.h5",
                "heddle analytical --compat simai-analytical-1.6 -w workload.txt -g 128 -nv 360 "
                "-nic 48.5 -n_p_s 8 -g_p_s 8 -r step-"}));
}

namespace {

/// Throws UsageError for flags that do not go with a fabric, or not without one.
void CheckFabricFlags(const CLI::App& app, const StepArguments& given) {
  CheckChoice("--placement", given.placement, {"packed", "random", "round-robin"});
  if (given.topology.empty()) {
    for (const char* flag : {"--placement", "--set"}) {
      if (app.get_option(flag)->count() > 0)
        throw UsageError(std::string(flag) + ": there is no fabric. Expected: -n FABRIC too");
    }
    return;
  }
  for (const char* flag : kOfBandwidths) {
    if (app.get_option(flag)->count() > 0)
      throw UsageError(fmt::format("{}: {} says it itself. Expected: no {}", flag,
                                   Printable(given.topology), flag));
  }
  if (given.calibration == "simai-1.6")
    throw UsageError(
        "--calibration: simai-1.6 has parts of bandwidths that flags give, not of links. Expected: "
        "a file of heddle calibrate, or no -n");
}

void CheckSchedule(const StepArguments& given) {
  PipelineOptions options;
  options.schedule = given.schedule;
  if (options.File().empty()) CheckChoice("--schedule", given.schedule, ScheduleWords());
  if (given.chunks > 0 && given.schedule != kInterleaved)
    throw UsageError(fmt::format("--chunks: --schedule is {}. Expected: {}, or no --chunks",
                                 Printable(given.schedule), kInterleaved));
  if (given.group > 0 && given.chunks == 0)
    throw UsageError("--group: no number of chunks. Expected: --chunks N too");
}

}  // namespace

void CheckArguments(const CLI::App& app, const StepArguments& given) {
  CheckFabricFlags(app, given);
  CheckChoice("--algorithm", given.algorithm, {"auto", "ring", "tree", "nvls"});
  CheckSchedule(given);
  if (given.calibration_file() && !std::filesystem::exists(given.calibration))
    throw UsageError(fmt::format(
        "--calibration: '{}' is no file.{} Expected: none, simai-1.6, or a file of heddle "
        "calibrate",
        Printable(given.calibration), DidYouMean(given.calibration, {"none", "simai-1.6"})));
  CheckChoice("--lang", given.language, {"en", "ja"});
  if (given.chart && given.result.empty())
    throw UsageError("-v: no name for the chart. Expected: -r NAME too");
  for (const double weight : given.stage_weights) {
    if (!(weight > 0 && weight <= 1e6))
      throw UsageError(
          fmt::format("--stage-weights: found {}. Expected: weights above 0, at most 1e6", weight));
  }
}

}  // namespace heddle
