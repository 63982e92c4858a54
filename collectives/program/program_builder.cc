// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"

namespace heddle {

const LayerPhase& ProgramBuilder::phase(std::uint32_t layer, Phase phase) const {
  const Layer& l = workload_.layers[layer];
  return phase == Phase::kForward         ? l.forward
         : phase == Phase::kInputGradient ? l.input_gradient
                                          : l.weight_gradient;
}

std::uint32_t ProgramBuilder::AddOp(std::uint32_t layer, Phase phase, std::uint32_t micro_batch) {
  return AddOp(layer, phase, this->phase(layer, phase), micro_batch);
}

std::uint32_t ProgramBuilder::AddOp(std::uint32_t layer, Phase phase, const LayerPhase& what,
                                    std::uint32_t micro_batch) {
  if (what.operation == Operation::kNone || what.bytes == 0 || groups_.size(what.group) == 1)
    return kNoOp;
  ProgramOp op;
  op.spec.operation = what.operation;
  op.spec.group = what.group;
  op.spec.bytes = what.bytes;
  op.phase = phase;
  op.layer = layer;
  op.micro_batch = micro_batch;
  op.update = workload_.layers[layer].update;
  program_.ops.push_back(op);
  return static_cast<std::uint32_t>(program_.ops.size() - 1);
}

void ProgramBuilder::SetStages(std::uint32_t op, StageRange stages) {
  if (op != kNoOp) program_.ops[op].stages = stages;
}

void ProgramBuilder::PutFirst(std::uint32_t op) {
  if (op != kNoOp) program_.ops[op].highest = true;
}

std::uint32_t ProgramBuilder::AddMessage(std::uint32_t layer, Phase phase,
                                         std::uint32_t micro_batch, std::uint32_t from,
                                         std::uint32_t to) {
  return AddMessage(layer, phase, micro_batch, from, to, workload_.pipeline_bytes);
}

std::uint32_t ProgramBuilder::AddMessage(std::uint32_t layer, Phase phase,
                                         std::uint32_t micro_batch, std::uint32_t from,
                                         std::uint32_t to, std::int64_t bytes) {
  LayerPhase message;
  message.operation = Operation::kSendRecv;
  message.group = GroupType::kPipeline;
  message.bytes = std::max<std::int64_t>(1, bytes);
  const std::uint32_t number = AddOp(layer, phase, message, micro_batch);
  if (number == kNoOp) return kNoOp;
  ProgramOp& op = program_.ops[number];
  op.spec.root = from;
  op.spec.peer = to;
  op.update = {};
  return number;
}

void ProgramBuilder::Add(const ProgramStep& step) { program_.steps.back().push_back(step); }

void ProgramBuilder::Compute(std::uint32_t layer, Phase phase) {
  const Time time = this->phase(layer, phase).compute;
  if (time == Time{}) return;
  ProgramStep step;
  step.kind = ProgramStep::Kind::kCompute;
  step.phase = phase;
  step.layer = layer;
  step.time = time;
  Add(step);
}

void ProgramBuilder::Pause() {
  ProgramStep step;
  step.time = NanoSeconds(1);
  Add(step);
}

void ProgramBuilder::Communicate(ProgramStep::Kind kind, std::uint32_t op) {
  if (op == kNoOp) return;
  ProgramStep step;
  step.kind = kind;
  step.phase = program_.ops[op].phase;
  step.layer = program_.ops[op].layer;
  step.op = op;
  Add(step);
}

std::vector<ProgramStep> ProgramBuilder::CutFrom(std::size_t first) {
  std::vector<ProgramStep>& steps = program_.steps.back();
  HEDDLE_EXPECT(first <= steps.size());
  const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<ProgramStep> cut(begin, steps.end());
  steps.erase(begin, steps.end());
  return cut;
}

void ProgramBuilder::Append(const std::vector<ProgramStep>& steps) {
  std::vector<ProgramStep>& all = program_.steps.back();
  all.insert(all.end(), steps.begin(), steps.end());
}

Program ProgramBuilder::Take(std::uint32_t passes) {
  HEDDLE_EXPECT(passes >= 1);
  program_.passes = passes;
  if (std::uint64_t{passes} * program_.ops.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError(
        fmt::format("{}: {} passes of {} communications. Expected: fewer than 2^32 in all",
                    workload_.name, passes, program_.ops.size()));
  }
  CheckTime();
  return std::move(program_);
}

void ProgramBuilder::CheckTime() const {
  // Half of the range of Time, to leave room for a late start (kLatestStart) and communication.
  const double longest = Time::Max().seconds() / 2;
  double seconds = 0;  // sum over the stages, which run one after the other with one micro-batch
  for (const auto& steps : program_.steps) {
    for (const ProgramStep& step : steps) {
      const bool issues =
          step.kind == ProgramStep::Kind::kBlocking || step.kind == ProgramStep::Kind::kOverlapped;
      seconds += step.time.seconds();
      if (issues)
        // A later wait for this operation includes this time.
        seconds += program_.ops[step.op].update.seconds();
    }
  }
  if (seconds * program_.passes > longest) {
    throw UserError(fmt::format("{}: {} passes compute for {:.0f} days. Expected: at most 53 days",
                                workload_.name, program_.passes,
                                seconds * program_.passes / 86400));
  }
}

}  // namespace heddle
