// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/resolve_plan.h"

#include <fmt/format.h>

#include <algorithm>
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
  const std::int64_t unit = given.parallel.pipeline * given.parallel.virtual_pipeline;
  if (whole.layers % unit == 0) return;
  const std::int64_t rounded = (whole.layers + unit - 1) / unit * unit;
  request->notes.push_back(fmt::format(
      "{} layers do not fill {} stages: {} are taken for the whole", whole.layers, unit, rounded));
  whole.layers = rounded;
}

StepRules RulesOf(const std::string& name) {
  if (name == "megatron") return StepRules::kMegatron;
  if (name == "aicb") return StepRules::kAicb;
  throw UsageError(fmt::format("--rules: unknown name '{}'{}. Expected: megatron or aicb",
                               Printable(name), NearestIs(name, {"megatron", "aicb"})));
}

/// Micro-batches of a replica: with stages enough that filling the pipeline takes less than a fifth
/// of the time in which it is full.
std::int64_t UsualMicroBatches(std::int64_t stages) { return stages > 1 ? 5 * stages : 1; }

ParallelPlan PlanOf(const PlanRequest& given, const ModelShape& shape) {
  ParallelPlan plan = given.parallel;
  plan.sequence_parallel = !given.no_sequence_parallel;
  plan.zero = !given.no_zero;
  plan.rules = RulesOf(given.rules);
  if (!shape.has_experts() && plan.expert > 1)
    throw UsageError(
        fmt::format("--ep: {} has no experts. Expected: a model with experts", shape.name));
  const bool aicb = plan.rules == StepRules::kAicb;
  plan.overlap_gradients = given.overlap_gradients || !(given.no_overlap_gradients || aicb);
  if (aicb && (!plan.zero || plan.overlap_gradients))
    throw UsageError(fmt::format("{}: AICB's files do not have it. Expected: --rules megatron",
                                 plan.zero ? "--overlap-gradients" : "--no-zero"));
  const std::int64_t replicas = std::max<std::int64_t>(1, plan.data());
  if (plan.expert == 0) plan.expert = shape.has_experts() ? std::gcd(shape.experts, replicas) : 1;
  if (plan.global_batch == 0)
    plan.global_batch = plan.micro_batch * replicas * UsualMicroBatches(plan.pipeline);
  return plan;
}

StepSpeed SpeedOf(const PlanRequest& given) {
  StepSpeed speed;
  speed.gpu = FindNamed("--gpu", given.gpu.empty() ? kUsualGpu : given.gpu, KnownGpuSpeeds());
  speed.gpu.teraflops = RealNumber("--peak", given.peak, 1e6, speed.gpu.teraflops);
  speed.gpu.bandwidth = RealNumber("--memory-bandwidth", given.bandwidth, 1e7, speed.gpu.bandwidth);
  speed.efficiency = RealNumber("--efficiency", given.efficiency, 1, kUsualEfficiency);
  if (!given.compute_table.empty()) {
    speed.table = ReadAs(FileKind::kUnknown, given.compute_table, [&given] {
      return ParseComputeTable(ReadTextFile(given.compute_table), given.compute_table);
    });
  }
  return speed;
}

void AddNotes(StepPlan* request) {
  const ParallelPlan& plan = request->parallel;
  const auto note = [&](std::string text) { request->notes.push_back(std::move(text)); };
  if (plan.pipeline > 1 && request->whole.dense_layers > 0)
    note(
        fmt::format("the {} first layers without experts count as layers with experts, as all "
                    "stages are described by one",
                    request->whole.dense_layers));
  const double used = MemoryOf(request->whole, plan).total() * 1e-9;
  const GpuSpeed& gpu = request->speed.gpu;
  if (used > gpu.memory)
    note(
        fmt::format("the step takes {:.0f} GB of a GPU's memory without recomputation, and {} has "
                    "{:g} GB: larger --tp or --pp, or a smaller --micro-batch, take less",
                    used, gpu.name, gpu.memory));
  if (plan.rules == StepRules::kAicb)
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
