// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/resolve_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/workload_model/memory_use.h"

namespace heddle {
namespace {

/// The one of `all` that is named so, whatever the capitals.
template <class Named>
const Named& FindNamed(const char* flag, const std::string& name, const std::vector<Named>& all) {
  std::vector<std::string> names;
  std::string listed;
  for (const Named& one : all) {
    if (EqualLetters(one.name, name)) return one;
    names.push_back(one.name);
    listed += (listed.empty() ? "" : ", ") + one.name;
  }
  throw UsageError(fmt::format("{}: unknown name '{}'{}. Expected: {}", flag, Printable(name),
                               NearestIs(name, names), listed));
}

/// A number above 0, at most `most`; `usual` if the text is empty.
double RealNumber(const char* flag, const std::string& text, double most, double usual) {
  if (text.empty()) return usual;
  const std::optional<double> number = ReadNumber<double>(text);
  if (!number || !(*number >= 1e-3 && *number <= most))
    throw UsageError(fmt::format("{}: found '{}'. Expected: a number from 0.001 to {}", flag,
                                 Printable(text), most));
  return *number;
}

const ModelShape& KnownShape(const PlanRequest& given) {
  return FindNamed("--model", given.model, KnownModels());
}

/// What follows from numbers that were given, where it was not given itself.
void FollowHidden(const ModelShape& known, const ModelShape& asked, ModelShape* shape) {
  const bool new_hidden = asked.hidden > 0 && asked.hidden != known.hidden;
  if (asked.heads == 0 && new_hidden) {
    if (shape->hidden % shape->head_dim != 0)
      throw UserError(fmt::format(
          "--hidden: found {}, no multiple of a head's {}. Expected: --heads and --head-size too",
          shape->hidden, shape->head_dim));
    shape->heads = shape->hidden / shape->head_dim;
  } else if (asked.heads > 0 && asked.head_dim == 0 && shape->kv_rank == 0) {
    if (shape->hidden % shape->heads != 0)
      throw UserError(fmt::format(
          "--heads: found {}, which does not divide the hidden size {}. Expected: --head-size too",
          shape->heads, shape->hidden));
    shape->head_dim = shape->hidden / shape->heads;
  }
  if (asked.kv_heads == 0 && (known.kv_heads == known.heads || shape->kv_heads > shape->heads))
    shape->kv_heads = shape->heads;
  const auto follow = [&](std::int64_t ModelShape::*size) {
    if (asked.*size == 0 && new_hidden) shape->*size = known.*size * shape->hidden / known.hidden;
  };
  follow(&ModelShape::ffn);
  follow(&ModelShape::expert_ffn);
}

ModelShape ShapeOf(const PlanRequest& given) {
  const ModelShape known = KnownShape(given);
  ModelShape shape = known, asked;
  bool changed = false;
  for (std::size_t i = 0; i < ShapeNumbers().size(); ++i) {
    const ShapeNumber& flag = ShapeNumbers()[i];
    if (!given.shape[i]) continue;
    if (flag.of_experts && !known.has_experts())
      throw UsageError(fmt::format("{}: {} has no experts. Expected: a model with experts",
                                   flag.name, known.name));
    shape.*flag.number = asked.*flag.number = *given.shape[i];
    if (!(given.scale && flag.number == &ModelShape::layers))
      changed = changed || known.*flag.number != *given.shape[i];
  }
  FollowHidden(known, asked, &shape);
  if (changed) shape.name += ", changed";
  return shape;
}

/// The layers that are written, and those of the whole model.
void TakeLayers(const PlanRequest& given, StepPlan* request) {
  request->whole = request->shape;
  if (!given.scale) {
    if (given.model_layers > 0)
      throw UsageError("--model-layers without --scale. Expected: --layers of a whole model");
    return;
  }
  if (!given.shape[0])
    throw UsageError("--scale without --layers. Expected: how many layers to write");
  ModelShape& whole = request->whole;
  whole.layers = given.model_layers > 0 ? given.model_layers : KnownShape(given).layers;
  if (request->shape.layers > whole.layers)
    throw UserError(fmt::format("--layers: found {}. Expected: at most the model's {} with --scale",
                                request->shape.layers, whole.layers));
  request->shape.dense_layers = whole.dense_layers * request->shape.layers / whole.layers;
  if (given.parallel.first_layers > 0 || given.parallel.last_layers > 0)
    throw UsageError(
        "--first-layers, --last-layers: with --scale all stages have as many. Expected: no "
        "--scale");
  const std::int64_t unit = given.parallel.pipeline * given.parallel.virtual_pipeline;
  if (whole.layers % unit == 0) return;
  const std::int64_t rounded = (whole.layers + unit - 1) / unit * unit;
  request->notes.push_back(fmt::format(
      "{} layers do not fill {} stages: {} are taken for the whole", whole.layers, unit, rounded));
  whole.layers = rounded;
}

LineRules RulesOf(const std::string& name) {
  if (name == "megatron") return LineRules::kMegatron;
  if (name == "aicb") return LineRules::kAicb;
  throw UsageError(fmt::format("--rules: unknown name '{}'{}. Expected: megatron or aicb",
                               Printable(name), NearestIs(name, {"megatron", "aicb"})));
}

/// Throws UsageError for a word that is none of two.
bool IsSecond(const char* flag, const std::string& word, const char* first, const char* second,
              const char* why = "") {
  if (word == second) return true;
  if (word.empty() || word == first) return false;
  throw UsageError(fmt::format("{}: found '{}'{}. Expected: {} or {}{}", flag, Printable(word),
                               NearestIs(word, {first, second}), first, second, why));
}

/// Throws UsageError for numbers that the schedule does not have.
void CheckChunks(const ModelShape& shape, const ParallelPlan& plan) {
  const bool interleaved = plan.schedule == "interleaved";
  if (plan.virtual_pipeline > 1 && !interleaved)
    throw UsageError(fmt::format(
        "--vpp: found {} with --schedule {}. Expected: --schedule interleaved, or --vpp 1",
        plan.virtual_pipeline, Printable(plan.schedule)));
  if (plan.virtual_pipeline == 1 && interleaved && plan.pipeline > 1)
    throw UsageError(
        fmt::format("--vpp: found 1 with --schedule interleaved. Expected: 2 or more, so that PP x "
                    "VPP divides the {} layers",
                    shape.layers));
  if (plan.in_a_row > 0 && !interleaved)
    throw UsageError(fmt::format(
        "--group: found {} with --schedule {}. Expected: --schedule interleaved, or no --group",
        plan.in_a_row, Printable(plan.schedule)));
}

/// The order of stages: as given, or that of Megatron-LM, which interleaves chunks and has 1F1B
/// without.
void TakeSchedule(const PlanRequest& given, const ModelShape& shape, ParallelPlan* plan) {
  const std::string usual =
      plan->virtual_pipeline > 1 && plan->pipeline > 1 ? "interleaved" : "1f1b";
  plan->schedule = given.schedule.empty() ? usual : given.schedule;
  plan->overlap_experts = given.overlap_experts;
  if (plan->overlap_experts && !shape.has_experts())
    throw UsageError(fmt::format(
        "--overlap-experts: {} has no experts. Expected: a model with experts", shape.name));
  if (plan->overlap_experts && plan->pipeline > 1 &&
      (plan->schedule == "1f1b" || plan->schedule == "gpipe" || plan->schedule == "zb-h1"))
    throw UsageError(
        fmt::format("--overlap-experts: the schedule {} does no forward beside a backward. "
                    "Expected: --vpp 2 or more, --schedule dualpipe or dualpipev, or --pp 1",
                    plan->schedule));
  if (plan->pipeline > 1) CheckChunks(shape, *plan);
}

/// How CP's ranks exchange keys and values. Throws UsageError for a word that is none, and for one
/// without ranks.
ContextExchange ExchangeOf(const PlanRequest& given) {
  if (given.cp_comm_type.empty()) return ContextExchange::kRing;
  const auto exchange = FindWord<ContextExchange>(given.cp_comm_type);
  if (!exchange)
    throw UsageError(fmt::format(
        "--cp-comm-type: unknown name '{}'{}. Expected: p2p, a2a or allgather",
        Printable(given.cp_comm_type), NearestIs(given.cp_comm_type, AllWords<ContextExchange>())));
  return *exchange;
}

/// Micro-batches of a replica: with stages enough that filling the pipeline takes less than a fifth
/// of the time in which it is full.
std::int64_t UsualMicroBatches(std::int64_t stages) { return stages > 1 ? 5 * stages : 1; }

ParallelPlan PlanOf(const PlanRequest& given, const ModelShape& shape) {
  ParallelPlan plan = given.parallel;
  plan.sequence_parallel = !given.no_sequence_parallel;
  plan.zero = given.zero;
  plan.tensor_overlap = given.tp_comm_overlap;
  plan.exchange = ExchangeOf(given);
  plan.rules = RulesOf(given.rules);
  if (!shape.has_experts() && plan.expert > 1)
    throw UsageError(
        fmt::format("--ep: {} has no experts. Expected: a model with experts", shape.name));
  TakeSchedule(given, shape, &plan);
  plan.recompute = IsSecond("--recompute", given.recompute, "none", "full",
                            "; scores of attention are never kept, as with FlashAttention");
  plan.fp8 = IsSecond("--precision", given.precision, "bf16", "fp8");
  const bool aicb = plan.rules == LineRules::kAicb;
  plan.overlap_gradients = given.overlap_gradients || !(given.no_overlap_gradients || aicb);
  if (aicb && (plan.zero != 1 || plan.overlap_gradients))
    throw UsageError(fmt::format("{}: AICB's files do not have it. Expected: --rules megatron",
                                 plan.zero == 1   ? "--overlap-gradients"
                                 : plan.zero == 0 ? "--no-zero"
                                                  : "--zero 3"));
  if (plan.shards_parameters() && !plan.overlap_gradients)
    throw UsageError(
        "--no-overlap-gradients: with --zero 3 each layer reduces its gradients. Expected: --zero "
        "1, or gradients that overlap");
  if (aicb && plan.tensor_overlap)
    throw UsageError("--tp-comm-overlap: AICB's files do not have it. Expected: --rules megatron");
  if (aicb && plan.recompute)
    throw UsageError("--recompute full: AICB's files do not have it. Expected: --rules megatron");
  const std::int64_t replicas = std::max<std::int64_t>(1, plan.data());
  if (plan.expert == 0)
    plan.expert = shape.has_experts() ? std::gcd(shape.experts, replicas * plan.context) : 1;
  if (plan.global_batch == 0)
    plan.global_batch = plan.micro_batch * replicas * UsualMicroBatches(plan.pipeline);
  return plan;
}

StepSpeed SpeedOf(const PlanRequest& given) {
  StepSpeed speed;
  speed.gpu = FindNamed("--gpu", given.gpu.empty() ? kUsualGpu : given.gpu, KnownGpuSpeeds());
  const double peak = RealNumber("--peak", given.peak, 1e6, speed.gpu.teraflops);
  speed.gpu.fp8_teraflops *= peak / speed.gpu.teraflops;
  speed.gpu.teraflops = peak;
  if (given.precision == "fp8" && speed.gpu.fp8_teraflops == 0)
    throw UserError(
        fmt::format("--precision: found fp8, which {} does not compute in. Expected: bf16, or "
                    "--gpu H100 or later",
                    speed.gpu.name));
  speed.gpu.bandwidth = RealNumber("--memory-bandwidth", given.bandwidth, 1e7, speed.gpu.bandwidth);
  speed.efficiency = RealNumber("--efficiency", given.efficiency, 1, kUsualEfficiency);
  speed.fp8_efficiency =
      RealNumber("--fp8-efficiency", given.fp8_efficiency, 1, kUsualFp8Efficiency);
  if (!given.compute_table.empty()) {
    speed.table = ReadAs(FileKind::kUnknown, given.compute_table, [&given] {
      return ParseComputeTable(ReadTextFile(given.compute_table), given.compute_table);
    });
  }
  return speed;
}

/// What a run takes from the plan of the order of its stages.
void AddPipelineSettings(const PlanRequest& given, StepPlan* plan) {
  const ParallelPlan& sizes = plan->parallel;
  const auto set = [&](const char* key, const char* option, const std::string& value) {
    plan->settings.push_back({key, option, value});
  };
  if (sizes.overlap_experts) set("overlap_experts", "pipeline.overlap_experts", "true");
  if (sizes.pipeline == 1) return;
  const std::int64_t chunks = sizes.virtual_pipeline;
  if (!given.schedule.empty() || chunks > 1) set("schedule", "pipeline.schedule", sizes.schedule);
  if (chunks > 1) set("vpp", "pipeline.chunks", std::to_string(chunks));
  if (sizes.in_a_row > 0) set("group", "pipeline.group", std::to_string(sizes.in_a_row));
  if (!given.senders.empty()) set("senders", "pipeline.senders", given.senders);
}

/// What it takes of the choices of tokens. Their number, and that of experts, is the model's; so is
/// the limit of groups, where a law chooses.
void AddExpertSettings(const PlanRequest& given, StepPlan* plan) {
  if (given.experts.empty()) return;
  const ModelShape& shape = plan->shape;
  if (!shape.has_experts())
    throw UsageError(fmt::format("experts.{}: {} has no experts. Expected: a model with experts",
                                 given.experts.begin()->first, shape.name));
  std::map<std::string, std::string> all = given.experts;
  const std::string routing = all.emplace("routing", "uniform").first->second;
  if (routing != "counts" && routing != "tokens" && shape.top_groups > 0 &&
      shape.experts % shape.expert_groups == 0) {
    all.emplace("groups", std::to_string(shape.expert_groups));
    all.emplace("top_groups", std::to_string(shape.top_groups));
  }
  if (const auto dispatch = all.find("dispatch"); dispatch != all.end()) {
    if (dispatch->second == "bf16") dispatch->second = "file";
  }
  const std::int64_t tokens = TokensOf(shape, plan->parallel) / plan->parallel.tensor;
  all["count"] = std::to_string(shape.experts);
  all["top_k"] = std::to_string(shape.top_k);
  all["tokens"] = std::to_string(tokens);
  for (const auto& [key, value] : all)
    plan->settings.push_back({"experts." + key, "experts." + key, value});
}

void AddNotes(StepPlan* request) {
  const ParallelPlan& plan = request->parallel;
  const auto note = [&](std::string text) { request->notes.push_back(std::move(text)); };
  if (plan.virtual_pipeline > 1 && plan.pipeline == 1)
    note(fmt::format("vpp = {} changes nothing without stages", plan.virtual_pipeline));
  if (plan.context == 1 && plan.exchange != ContextExchange::kRing)
    note(fmt::format("cp_comm_type = {} changes nothing without cp", ToText(plan.exchange)));
  if (plan.tensor_overlap && !plan.overlaps_tensor())
    note(fmt::format("tp_comm_overlap changes nothing without {}",
                     plan.tensor == 1 ? "tp" : "sequence parallelism"));
  const std::int64_t dense = request->whole.dense_layers;
  if (StageLayersOf(request->whole, plan, PipelinePart::kFirst).dense < dense)
    note(fmt::format("the {} first layers without experts count as layers with experts, as {}",
                     dense,
                     plan.stages_alike   ? "all stages are described by one"
                     : plan.chunks() > 1 ? "all chunks of the model are alike"
                                         : "the first stage has fewer layers"));
  const double used = MemoryOf(request->whole, plan).total() * 1e-9;
  const GpuSpeed& gpu = request->speed.gpu;
  if (used > gpu.memory)
    note(
        fmt::format("the step takes {:.0f} GB of a GPU's memory, and {} has {:g} GB: larger --tp "
                    "or --pp, a smaller --micro-batch{} take less",
                    used, gpu.name, gpu.memory, plan.recompute ? "" : ", or --recompute full,"));
  else if (used > kUsualMemoryShare * gpu.memory)
    note(
        fmt::format("the step takes {:.1f} of the {:g} GB of {}, above {:g} %: CUDA's context, "
                    "NCCL's buffers and fragmentation, which are not among them, may not fit",
                    used, gpu.memory, gpu.name, 100 * kUsualMemoryShare));
  if (plan.rules == LineRules::kAicb)
    note("AICB's files gather or reduce all parameters within TP too, which Megatron-LM does not");
}

}  // namespace

StepPlan ResolvePlan(const PlanRequest& given) {
  StepPlan plan;
  plan.shape = ShapeOf(given);
  TakeLayers(given, &plan);
  plan.parallel = PlanOf(given, plan.shape);
  CheckPlan(plan.shape, plan.parallel);
  plan.speed = SpeedOf(given);
  AddPipelineSettings(given, &plan);
  AddExpertSettings(given, &plan);
  AddNotes(&plan);
  return plan;
}

bool IsKnownGpu(const std::string& type) {
  const std::vector<GpuSpeed>& known = KnownGpuSpeeds();
  return std::any_of(known.begin(), known.end(),
                     [&](const GpuSpeed& gpu) { return EqualLetters(gpu.name, type); });
}

std::string OtherGpuNote(const std::string& of_plan, const std::string& of_fabric) {
  const std::string type = of_plan.empty() ? kUsualGpu : of_plan;
  if (!IsKnownGpu(of_fabric) || EqualLetters(type, of_fabric)) return "";
  return fmt::format(
      "the plan computes on {}, and the fabric's GPUs are {}: gpu = \"{}\" takes their speed", type,
      of_fabric, of_fabric);
}

}  // namespace heddle
