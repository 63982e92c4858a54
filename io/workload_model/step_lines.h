// SPDX-License-Identifier: GPL-2.0-only
/// Lines of a step as they are put together: a name, and three phases of computing and
/// communicating.
///
/// What a group of one GPU would communicate is left out, except by AICB's rules the sizes of 0
/// that its files have.
#pragma once

#include <string>

#include "io/workload_model/step_times.h"

namespace heddle {

/// A step to be written.
struct StepModel {
  ModelShape shape;
  ParallelPlan plan;
  LayerWork work;
  ComputeTimes times;
};

class StepLines {
 public:
  /// `model` must outlive it.
  explicit StepLines(const StepModel& model);

  /// Adds a line that computes for `times` and communicates nothing. The next calls add to it.
  StepLines& Line(const std::string& name, const PhaseTimes& times = {});
  /// Sets the operation of the last line's forward phase; nothing for a group of one GPU.
  StepLines& Forward(Operation operation, GroupType group, std::int64_t bytes);
  StepLines& InputGradient(Operation operation, GroupType group, std::int64_t bytes);
  /// Sets the last line's operation that overlaps with what the GPU does next.
  StepLines& WeightGradient(Operation operation, GroupType group, std::int64_t bytes);

  /// Communicates in the last line's forward phase, and in that of its input's gradient, while it
  /// computes there.
  StepLines& Together();

  /// Sets which parts of the pipeline have the lines that are added next.
  void On(PipelineParts place) { place_ = place; }

  /// The last line sends gradients of a tied embedding between the first and the last stage.
  StepLines& TiedGradients(std::int64_t bytes);

  /// Begins a unit of sharded parameters at the last line; no bytes for groups of one GPU. `kept`:
  /// they are gathered once.
  StepLines& Gather(std::int64_t common_bytes, std::int64_t expert_bytes, bool kept);

  /// Forward, and for the gradient, what TP does with the activations of a micro-batch.
  StepLines& Activations(Operation forward, Operation input_gradient, std::int64_t factor = 1);

  /// Keeps the input of the last line: lines up to the next Recompute() may begin again from it.
  StepLines& KeepInput();
  /// Adds a line without work, whose backward step computes all lines since KeepInput() once more.
  StepLines& Recompute(const std::string& name);

  /// Returns the workload of the lines so far, with the header of the plan.
  Workload Finish() &&;

  /// Returns the bytes of a micro-batch's activations between layers.
  std::int64_t activation_bytes() const;

 private:
  /// Fills a phase, unless the group has one GPU or there are no bytes; AICB's rules keep 0 bytes.
  void Set(LayerPhase* phase, Operation operation, GroupType group, std::int64_t bytes);

  const StepModel& model_;
  Workload workload_;
  PipelineParts place_;
};

}  // namespace heddle
