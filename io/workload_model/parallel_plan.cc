// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/parallel_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

/// "28 or 32": the multiples of `unit` beside `number`, from one unit on.
std::string NearestMultiples(std::int64_t number, std::int64_t unit) {
  const std::int64_t below = number / unit * unit;
  return below == 0 ? fmt::format("{}", unit) : fmt::format("{} or {}", below, below + unit);
}

/// "4 or 8": the divisors of `number` beside `wanted`.
std::string NearestDivisors(std::int64_t number, std::int64_t wanted) {
  std::int64_t below = 1, above = number;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    for (const std::int64_t divisor : {d, number / d}) {
      if (divisor <= wanted && divisor > below) below = divisor;
      if (divisor >= wanted && divisor < above) above = divisor;
    }
  }
  if (above < wanted || below == above) return fmt::format("{}", below);
  return fmt::format("{} or {}", below, above);
}

/// `number` must be a multiple of `unit`: the message names multiples.
void ExpectMultiple(const char* flag, std::int64_t number, const std::string& unit_name,
                    std::int64_t unit) {
  if (number > 0 && number % unit == 0) return;
  throw UserError(fmt::format("{}: found {}, which {} = {} does not divide. Expected: {}", flag,
                              number, unit_name, unit, NearestMultiples(number, unit)));
}

/// `divisor` must divide `number`: the message names divisors.
void ExpectDivisor(const char* flag, std::int64_t divisor, const std::string& number_name,
                   std::int64_t number) {
  if (number % divisor == 0) return;
  throw UserError(fmt::format("{}: found {}, which does not divide {} = {}. Expected: {}", flag,
                              divisor, number_name, number, NearestDivisors(number, divisor)));
}

void CheckExperts(const ModelShape& shape, const ParallelPlan& plan) {
  ExpectDivisor("--ep", plan.expert, "the number of experts", shape.experts);
  ExpectDivisor("--ep", plan.expert, plan.context > 1 ? "DP x CP" : "DP", plan.data_context());
  ExpectDivisor("--tp", plan.tensor, "the inner size of an expert", shape.expert_ffn);
  if (shape.top_k > shape.experts)
    throw UserError(fmt::format("--top-k: found {}. Expected: at most the {} experts", shape.top_k,
                                shape.experts));
  if (plan.tensor > 1 && !plan.sequence_parallel)
    throw UserError(
        "--no-sequence-parallel: a model with experts and TP above 1. Expected: sequence parallel, "
        "as Megatron-LM demands, or --tp 1");
}

/// Each rank has two slices of the positions, one of the first and one of the last, so that all
/// have as many pairs of causal attention (Transformer Engine). AllToAlls divide heads.
void CheckContext(const ModelShape& shape, const ParallelPlan& plan) {
  if (plan.context == 1) return;
  if (plan.rules == LineRules::kAicb)
    throw UserError("--cp: AICB's files do not have it. Expected: --rules megatron, or --cp 1");
  if (shape.sequence % (2 * plan.context) != 0)
    throw UserError(fmt::format(
        "--cp: found {}, whose two slices a rank do not divide the sequence of {}. Expected: {}",
        plan.context, shape.sequence,
        shape.sequence % 2 == 0 ? NearestDivisors(shape.sequence / 2, plan.context) : "1"));
  if (plan.splits_sequence())
    ExpectMultiple("--sequence", shape.sequence, "TP x CP, as positions are split over it,",
                   plan.tensor * plan.context);
  if (plan.exchange != ContextExchange::kAllToAll) return;
  const std::int64_t keys = shape.kv_rank > 0 ? shape.heads : shape.kv_heads;
  ExpectDivisor("--cp", plan.context, "the heads of a GPU by a2a", shape.heads / plan.tensor);
  ExpectDivisor("--cp", plan.context, "the key heads of a GPU by a2a", keys / plan.tensor);
}

/// The largest numbers of the file must fit: bytes below 2^60.
void CheckMagnitude(const ModelShape& shape, const ParallelPlan& plan) {
  constexpr double kMost = 1152921504606846976.0;
  const auto of = [](std::int64_t n) { return static_cast<double>(n); };
  const double widest = of(shape.hidden) + of(shape.ffn) + of(PaddedVocabulary(shape, plan)) +
                        of(shape.experts) * of(shape.expert_ffn);
  const double bytes = 8.0 * of(TokensOf(shape, plan)) * of(shape.hidden) * of(shape.top_k + 1);
  const double weights = 40.0 * of(shape.layers) * of(shape.hidden) *
                         (widest + of(shape.heads) * of(shape.score_dim()) * 4);
  if (bytes > kMost || weights > kMost)
    throw UserError(fmt::format(
        "a model of {:.3g} bytes with activations of {:.3g}. Expected: at most {:.3g} of each",
        weights, bytes, kMost));
}

/// Stages whose number of layers is not given.
std::int64_t OtherStages(const ParallelPlan& plan) {
  return plan.pipeline - (plan.first_layers > 0 ? 1 : 0) - (plan.last_layers > 0 ? 1 : 0);
}

/// Layers of a stage whose number is not given.
std::int64_t LayersOfOthers(const ModelShape& shape, const ParallelPlan& plan) {
  const std::int64_t stages = OtherStages(plan);
  return stages == 0 ? 0 : (shape.layers - plan.first_layers - plan.last_layers) / stages;
}

/// The first and the last stage have numbers of their own, and the others are alike.
void CheckOwnLayers(const ModelShape& shape, const ParallelPlan& plan) {
  const char* const flag = plan.first_layers > 0 ? "--first-layers" : "--last-layers";
  if (plan.stages_alike)
    throw UserError(
        fmt::format("{}: a text describes all stages by one. Expected: a plan, which heddle run -w "
                    "PLAN.toml takes",
                    flag));
  if (plan.pipeline == 1)
    throw UserError(fmt::format("{}: there is one pipeline stage. Expected: --pp 2 or more", flag));
  if (plan.chunks() > 1)
    throw UserError(
        fmt::format("{}: a stage has {} chunks. Expected: a schedule with one chunk on each stage",
                    flag, plan.chunks()));
  const std::int64_t stages = OtherStages(plan);
  const std::int64_t left = shape.layers - plan.first_layers - plan.last_layers;
  if (stages > 0 ? left >= stages && left % stages == 0 : left == 0) return;
  throw UserError(fmt::format(
      "{}: of {} layers {} are left for {} other stages. Expected: {}", flag, shape.layers, left,
      stages,
      stages > 0 ? fmt::format("a multiple of {}, from {} on", stages, stages) : std::string("0")));
}

constexpr std::int64_t kMostLines = 1'000'000;

}  // namespace

std::int64_t ParallelPlan::SizeOf(GroupType group) const {
  switch (group) {
    case GroupType::kTensor:
      return tensor;
    case GroupType::kData:
      return data_context();
    case GroupType::kPipeline:
      return pipeline;
    case GroupType::kExpert:
      return expert;
    case GroupType::kDataExpert:
      return data_expert();
    case GroupType::kAll:
      return tensor * data_context();
    case GroupType::kContext:
      return context;
    case GroupType::kListed:
      break;
  }
  return 1;
}

std::int64_t PaddedVocabulary(const ModelShape& shape, const ParallelPlan& plan) {
  const std::int64_t unit = plan.vocabulary_multiple * plan.tensor;
  return (shape.vocabulary + unit - 1) / unit * unit;
}

bool ParallelPlan::has_embedding(PipelinePart part) const {
  return !has_unlike_stages() || part == PipelinePart::kFirst ||
         (schedule == "dualpipe" && part == PipelinePart::kLast);
}

bool ParallelPlan::has_output(PipelinePart part) const {
  if (!has_unlike_stages()) return true;
  if (schedule == "dualpipev") return part == PipelinePart::kFirst;
  return part == PipelinePart::kLast || (schedule == "dualpipe" && part == PipelinePart::kFirst);
}

StageLayers StageLayersOf(const ModelShape& shape, const ParallelPlan& plan, PipelinePart part) {
  const std::int64_t own = part == PipelinePart::kFirst  ? plan.first_layers
                           : part == PipelinePart::kLast ? plan.last_layers
                                                         : 0;
  const std::int64_t layers = own > 0 ? own : LayersOfOthers(shape, plan);
  if (!shape.has_experts()) return {layers, 0};
  const bool are_here = plan.pipeline == 1 || (part == PipelinePart::kFirst && !plan.stages_alike &&
                                               plan.chunks() == 1 && shape.dense_layers <= layers);
  const std::int64_t dense = are_here ? shape.dense_layers : 0;
  return {dense, layers - dense};
}

StageLayers MostLayersOf(const ModelShape& shape, const ParallelPlan& plan) {
  StageLayers most;
  for (int i = kPipelineParts; i-- > 0;) {
    const auto part = static_cast<PipelinePart>(i);
    if (part == PipelinePart::kMiddle && plan.pipeline <= 2) continue;
    const StageLayers layers = StageLayersOf(shape, plan, part);
    if (layers.all() > most.all()) most = layers;
  }
  return most;
}

void CheckPlan(const ModelShape& shape, const ParallelPlan& plan) {
  CheckMagnitude(shape, plan);
  ExpectMultiple("--gpus", plan.gpus, plan.context > 1 ? "TP x CP x PP" : "TP x PP",
                 plan.tensor * plan.context * plan.pipeline);
  if (plan.first_layers > 0 || plan.last_layers > 0)
    CheckOwnLayers(shape, plan);
  else
    ExpectMultiple("--layers", shape.layers, "PP x VPP", plan.pipeline * plan.virtual_pipeline);
  if (plan.schedule == "dualpipev" && plan.pipeline > 1)
    ExpectMultiple("--layers", shape.layers, "PP x the 2 chunks of dualpipev", plan.pipeline * 2);
  ExpectDivisor("--tp", plan.tensor, "the number of heads", shape.heads);
  ExpectDivisor("--tp", plan.tensor, "the number of key heads", shape.kv_heads);
  ExpectDivisor("--kv-heads", shape.kv_heads, "the number of heads", shape.heads);
  ExpectDivisor("--tp", plan.tensor, "the hidden size", shape.hidden);
  ExpectDivisor("--tp", plan.tensor, "the inner size of the MLP", shape.ffn);
  if (plan.splits_sequence())
    ExpectMultiple("--sequence", shape.sequence, "TP, as positions are split over it,",
                   plan.tensor);
  CheckContext(shape, plan);
  if (shape.dense_layers > shape.layers)
    throw UserError(fmt::format("--dense-layers: found {}. Expected: at most the {} layers",
                                shape.dense_layers, shape.layers));
  if (shape.has_experts()) CheckExperts(shape, plan);
  ExpectMultiple("--global-batch", plan.global_batch, "micro-batch x DP",
                 plan.micro_batch * plan.data());
  const std::int64_t layers = MostLayersOf(shape, plan).all();
  const double lines = static_cast<double>(plan.micro_batches()) * static_cast<double>(layers) *
                       static_cast<double>(7 + (plan.context > 1 ? plan.context + 1 : 0));
  if (lines > static_cast<double>(kMostLines))
    throw UserError(fmt::format(
        "{} micro-batches of {} layers: about {:.3g} lines. Expected: at most {}, by a smaller "
        "--global-batch or more stages",
        plan.micro_batches(), layers, lines, kMostLines));
}

}  // namespace heddle
