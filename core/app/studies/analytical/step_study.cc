// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/step_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "collectives/program/workload_defaults.h"
#include "collectives/simai_closed_form/simai_bus_bandwidth.h"
#include "core/app/run/plans/plan_options.h"
#include "core/app/studies/analytical/busbw_file.h"
#include "core/options/nearest_name.h"
#include "io/input/calibration_csv.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/pipeline/pipeline_file.h"
#include "io/plan/plan_file.h"
#include "io/plan/workload_file.h"

namespace heddle {
namespace {

/// Bus bandwidth of an AllReduce by NVLS on eight GPUs [GB/s]: SimAI 1.6, calbusbw.h.
double NvlsOf(const std::string& gpu_type) {
  if (gpu_type == "H100" || gpu_type == "H20") return 475;
  return gpu_type == "H800" ? 215 : 0;
}

/// The known name that is `given` but for capitals. Throws UserError.
std::string TypeOf(const char* flag, const std::string& given,
                   const std::vector<std::string>& known) {
  for (const std::string& name : known) {
    if (EqualLetters(given, name)) return name;
  }
  throw UserError(fmt::format("{}: '{}' has no bandwidth here.{} Expected: {}", flag,
                              Printable(given), DidYouMean(given, known), fmt::join(known, ", ")));
}

GpuRates RatesOf(const StepArguments& given, std::uint32_t gpus, double unit) {
  const std::string gpu =
      TypeOf("--gpu-type", given.gpu_type, {"A100", "A800", "H100", "H800", "H20"});
  const std::string nic = TypeOf("--nic-type", given.nic_type, {"cx6", "cx7", "bf3"});
  const double on_server = std::min(given.gpus_per_server, gpus);
  const double nics = given.nics_per_server == 0 ? on_server : given.nics_per_server;
  GpuRates rates;
  rates.nvlink = (given.nvlink > 0 ? given.nvlink : RatedNvlink(gpu)) * unit;
  rates.network = (given.nic > 0 ? given.nic : RatedNic(nic)) * nics / on_server * unit;
  rates.nvls = NvlsOf(gpu) * unit;
  return rates;
}

/// The file's value for a group's operation; -1: none.
float GivenFor(const BusBandwidthFile& file, GroupType group, Operation operation) {
  if (group == GroupType::kPipeline) return file.pipeline;
  // As in SimAI, the section EP is of DP_EP too; it has no groups of all GPUs.
  const bool data = group == GroupType::kData || group == GroupType::kAll;
  const GivenBandwidths& values = group == GroupType::kTensor ? file.tensor
                                  : data                      ? file.data
                                                              : file.expert;
  switch (operation) {
    case Operation::kAllReduce:
      return values.all_reduce;
    case Operation::kAllGather:
      return values.all_gather;
    case Operation::kReduceScatter:
      return values.reduce_scatter;
    case Operation::kAllToAll:
      return values.all_to_all;
    default:
      return -1;
  }
}

std::optional<Algorithm> AlgorithmOf(const std::string& word) {
  if (word == "ring") return Algorithm::kRing;
  if (word == "tree") return Algorithm::kTree;
  if (word == "nvls") return Algorithm::kNvls;
  return std::nullopt;
}

/// What a plan says of the order of its stages; none: nothing, or the workload is no plan.
std::optional<PipelineOptions> ScheduleOfPlan(const std::string& path) {
  if (!IsPlanFile(path)) return std::nullopt;
  PipelineOptions options;
  OptionSet set;
  options.Declare(&set);
  AppliedPlans applied;
  ApplyPlan(ResolvePlanFile(ReadPlan(path, {}), path), path, &set, &applied);
  if (applied.set.empty()) return std::nullopt;
  return options;
}

/// The schedule of the stages, its file read; none: interleaved by the workload's vpp. Without a
/// flag a pipeline.schedule among the fabric's settings holds, then what a plan says.
std::optional<PipelineOptions> ScheduleOf(const StepArguments& given, const StepFabric* fabric) {
  PipelineOptions options;
  options.schedule = given.schedule;
  options.chunks = given.chunks;
  options.group = given.group;
  if (given.schedule == StepArguments().schedule && given.chunks == 0) {
    const std::optional<PipelineOptions> set =
        fabric != nullptr && fabric->SetsSchedule()
            ? std::make_optional(fabric->options().collectives.pipeline)
            : ScheduleOfPlan(given.workload);
    if (!set) return std::nullopt;
    options = *set;
  }
  LoadPipelineTable(&options);
  return options;
}

bool IsHybrid(Policy policy) {
  return policy == Policy::kHybridTransformer || policy == Policy::kTransformerFwdInBckwd ||
         policy == Policy::kHybridDataModel || policy == Policy::kHybridModelData ||
         policy == Policy::kHybridCustomized;
}

/// Keys that the header lacks, and that are taken for 1.
void WarnOfMissingKeys(const Workload& workload, const std::string& text,
                       std::vector<std::string>* warnings) {
  const std::string header = " " + text.substr(0, text.find('\n'));
  std::vector<std::string> missing;
  for (const std::string key : {"model_parallel_NPU_group:", "ep:", "pp:", "vpp:", "ga:"}) {
    if (header.find(" " + key) == std::string::npos && header.find("\t" + key) == std::string::npos)
      missing.push_back(key);
  }
  if (IsHybrid(workload.policy) && !missing.empty())
    warnings->push_back(fmt::format("{}:1: no {} there: each is taken for 1", workload.name,
                                    fmt::join(missing, ", ")));
}

void WarnOfDifferences(const Workload& workload, const ParallelGroups& groups,
                       std::vector<std::string>* warnings) {
  const auto rows = static_cast<std::int64_t>(workload.layers.size());
  if (rows < workload.announced_layers)
    warnings->push_back(fmt::format("{}: announces {} rows and has {}, which are taken",
                                    workload.name, workload.announced_layers, rows));
  if (workload.all_gpus != 0 && workload.all_gpus != groups.ranks())
    warnings->push_back(fmt::format("{}: made for {} GPUs (all_gpus), and priced for {}",
                                    workload.name, workload.all_gpus, groups.ranks()));
  if (groups.pipeline() > 1 && workload.pipeline_bytes == 0)
    warnings->push_back(
        fmt::format("{}: {} pipeline stages and no pp_comm: their messages take "
                    "no time",
                    workload.name, groups.pipeline()));
}

std::uint32_t GpusOf(const StepArguments& given, const Workload& workload,
                     const StepFabric* fabric) {
  if (given.gpus > 0) return given.gpus;
  if (workload.all_gpus < 1 && fabric != nullptr) return fabric->graph().gpu_count();
  if (workload.all_gpus < 1 || workload.all_gpus > std::numeric_limits<std::int32_t>::max())
    throw UserError(fmt::format("-g is not given, and {} has no all_gpus. Expected: -g GPUS",
                                Printable(workload.name)));
  return static_cast<std::uint32_t>(workload.all_gpus);
}

ParallelSizes SizesOf(const Workload& workload, std::uint32_t gpus, std::uint32_t gpus_per_server) {
  if (!IsHybrid(workload.policy)) return DefaultSizes(workload, gpus, gpus_per_server);
  return workload.sizes;  // 0 counts as 1
}

StepRules RulesOf(const StepArguments& given, const StepStudy& study,
                  const BusBandwidthFile& file) {
  StepRules rules;
  rules.gpus_per_server = given.gpus_per_server;
  if (study.fabric != nullptr) {
    rules.gpus_per_server = study.fabric->graph().gpus_per_server();
    rules.fabric = [fabric = study.fabric.get(), file](
                       Operation operation, GroupType group,
                       std::int64_t bytes) -> std::optional<CollectivePrice> {
      if (GivenFor(file, group, operation) > 0) return std::nullopt;
      return fabric->PriceOf(operation, group, bytes);
    };
  }
  rules.overlaps = given.overlaps;
  rules.schedule = study.schedule;
  rules.stage_weights = given.stage_weights;
  PriceRules common;
  common.rates = study.rates;
  common.algorithm = AlgorithmOf(given.algorithm);
  common.calibrated = given.calibration == "simai-1.6";
  common.measured = study.calibration.get();
  rules.rules = [common, file, unit = study.unit](GroupType group, Operation operation) {
    PriceRules own = common;
    const float value = GivenFor(file, group, operation);
    if (value > 0) own.given = static_cast<double>(value) * unit;
    return own;
  };
  if (!rules.stage_weights.empty() && rules.stage_weights.size() != study.groups.pipeline())
    throw UserError(
        fmt::format("--stage-weights: found {} weights. Expected: {}, as many as "
                    "pipeline stages",
                    rules.stage_weights.size(), study.groups.pipeline()));
  return rules;
}

std::unique_ptr<Calibration> ReadCalibration(const std::string& path) {
  return ReadAs(FileKind::kCalibration, path, [&path] {
    return std::make_unique<Calibration>(ParseCalibration(ReadTextFile(path), Printable(path)));
  });
}

}  // namespace

StepStudy StudyStep(const StepArguments& given) {
  std::vector<std::string> notes;
  Workload workload = ReadWorkload(given.workload, {}, "", &notes, /*stages_alike=*/true);
  if (const std::string key = workload.BeyondText(); !key.empty())
    throw UserError(fmt::format(
        "{}: {}: this sum of a step's parts has no place for it. Expected: heddle run --backend "
        "analytical",
        Printable(given.workload), key));
  BusBandwidthFile file;
  if (!given.bandwidths.empty()) {
    file = ReadAs(FileKind::kUnknown, given.bandwidths, [&given] {
      return CheckedBusBandwidthFile(ReadTextFile(given.bandwidths), given.bandwidths);
    });
  }
  std::unique_ptr<StepFabric> fabric;
  if (!given.topology.empty()) fabric = std::make_unique<StepFabric>(given);
  const std::uint32_t gpus = GpusOf(given, workload, fabric.get());
  const std::uint32_t per_server =
      fabric == nullptr ? given.gpus_per_server : fabric->graph().gpus_per_server();
  const ParallelGroups groups(SizesOf(workload, gpus, per_server), gpus, Printable(workload.name));
  StepStudy study{
      std::move(workload), groups, {}, given.simai_units ? 1073741824.0 : 1e9, {}, {}, {}, {}, {}};
  if (groups.pipeline() > 1) study.schedule = ScheduleOf(given, fabric.get());
  if (given.calibration_file()) study.calibration = ReadCalibration(given.calibration);
  if (fabric == nullptr) {
    study.rates = RatesOf(given, gpus, study.unit);
  } else {
    study.rates = fabric->rates();
    study.warnings = fabric->warnings();
    fabric->Place(given, study.groups, study.calibration.get());
    study.fabric = std::move(fabric);
  }
  WarnOfMissingKeys(study.workload, ReadTextFile(given.workload), &study.warnings);
  WarnOfDifferences(study.workload, study.groups, &study.warnings);
  if (const std::string note = GatherWholes(study.groups, &study.workload); !note.empty())
    study.warnings.push_back(note);
  study.step = TimeOfStep(study.workload, study.groups, RulesOf(given, study, file));
  return study;
}

}  // namespace heddle
