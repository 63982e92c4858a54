// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/step_lines.h"

#include <utility>

namespace heddle {
namespace {

constexpr Time kUpdate = NanoSeconds(100);  // AICB's
constexpr std::int64_t kBytesOfNumber = 2;  // bf16

}  // namespace

StepLines::StepLines(const StepModel& model) : model_(model) {
  const ParallelPlan& plan = model.plan;
  workload_.policy = Policy::kTransformerFwdInBckwd;
  workload_.sizes = {plan.tensor, plan.expert, plan.pipeline, plan.context};
  workload_.virtual_pipeline = plan.virtual_pipeline;
  workload_.gradient_accumulation = plan.micro_batches();
  workload_.all_gpus = plan.gpus;
  if (plan.pipeline > 1)
    workload_.pipeline_bytes = activation_bytes() / (plan.splits_sequence() ? plan.tensor : 1);
}

StepLines& StepLines::Line(const std::string& name, const PhaseTimes& times) {
  Layer layer;
  layer.name = name;
  layer.forward.compute = times.forward;
  layer.input_gradient.compute = times.input_gradient;
  layer.weight_gradient.compute = times.weight_gradient;
  layer.weight_gradient.group = GroupType::kData;
  layer.update = kUpdate;
  layer.place = place_;
  workload_.layers.push_back(std::move(layer));
  return *this;
}

void StepLines::Set(LayerPhase* phase, Operation operation, GroupType group, std::int64_t bytes) {
  const bool keeps_empty = model_.plan.rules == LineRules::kAicb;
  if (model_.plan.SizeOf(group) <= 1 || (bytes == 0 && !keeps_empty)) return;
  phase->operation = operation;
  phase->group = group;
  phase->bytes = bytes;
}

StepLines& StepLines::Forward(Operation operation, GroupType group, std::int64_t bytes) {
  Set(&workload_.layers.back().forward, operation, group, bytes);
  return *this;
}

StepLines& StepLines::InputGradient(Operation operation, GroupType group, std::int64_t bytes) {
  Set(&workload_.layers.back().input_gradient, operation, group, bytes);
  return *this;
}

StepLines& StepLines::WeightGradient(Operation operation, GroupType group, std::int64_t bytes) {
  Set(&workload_.layers.back().weight_gradient, operation, group, bytes);
  return *this;
}

StepLines& StepLines::Together() {
  workload_.layers.back().forward.together = workload_.layers.back().input_gradient.together = true;
  return *this;
}

StepLines& StepLines::Activations(Operation forward, Operation input_gradient,
                                  std::int64_t factor) {
  if (forward != Operation::kNone)
    Forward(forward, GroupType::kTensor, factor * activation_bytes());
  if (input_gradient != Operation::kNone)
    InputGradient(input_gradient, GroupType::kTensor, factor * activation_bytes());
  return *this;
}

StepLines& StepLines::Gather(std::int64_t common_bytes, std::int64_t expert_bytes, bool kept) {
  GatheredParameters& gathered = workload_.layers.back().gathered;
  gathered.begins = true;
  gathered.kept = kept;
  if (model_.plan.SizeOf(GroupType::kData) > 1) gathered.common = common_bytes;
  if (model_.plan.SizeOf(GroupType::kDataExpert) > 1) gathered.experts = expert_bytes;
  return *this;
}

StepLines& StepLines::TiedGradients(std::int64_t bytes) {
  workload_.layers.back().tied_bytes = bytes;
  return *this;
}

StepLines& StepLines::KeepInput() {
  workload_.checkpoints.push_back(static_cast<std::int64_t>(workload_.layers.size()) - 1);
  return *this;
}

StepLines& StepLines::Recompute(const std::string& name) {
  Line(name);
  workload_.checkpoint_initiates.push_back(static_cast<std::int64_t>(workload_.layers.size()) - 1);
  return *this;
}

Workload StepLines::Finish() && {
  workload_.announced_layers = static_cast<std::int64_t>(workload_.layers.size());
  return std::move(workload_);
}

std::int64_t StepLines::activation_bytes() const {
  return kBytesOfNumber * TokensOf(model_.shape, model_.plan) * model_.shape.hidden;
}

}  // namespace heddle
