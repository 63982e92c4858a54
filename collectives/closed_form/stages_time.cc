// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/stages_time.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "collectives/pipeline/ideal_times.h"
#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_route.h"
#include "collectives/program/micro_batches.h"
#include "collectives/program/model_chunks.h"

namespace heddle {
namespace {

/// Times of some rows: what is computed and what is exposed.
struct RowsTime {
  double forward = 0, input = 0, weight = 0, computing = 0;

  double backward() const { return input + weight; }
  double all() const { return forward + backward(); }
  void Add(const RowTime& row) {
    forward += row.forward.computing + row.forward.exposed;
    input += row.again + row.input_gradient.computing + row.input_gradient.exposed;
    weight += row.weight_gradient.computing + row.weight_gradient.exposed;
    computing +=
        row.forward.computing + row.input_gradient.computing + row.weight_gradient.computing;
  }
};

RowsTime SumRows(const std::vector<RowTime>& rows, LayerRange range) {
  RowsTime sum;
  for (std::uint32_t i = range.begin; i < range.end; ++i) sum.Add(rows[i]);
  return sum;
}

RowsTime SumMicroBatches(const std::vector<RowTime>& rows, const MicroBatches& parts) {
  RowsTime sum;
  for (const LayerRange& batch : parts.batches) {
    for (std::uint32_t i = batch.begin; i < batch.end; ++i) sum.Add(rows[i]);
  }
  return sum;
}

double WeightOf(const StepRules& rules, std::uint32_t stage) {
  return rules.stage_weights.empty() ? 1 : rules.stage_weights[stage];
}

/// Interleaved by the workload's vpp.
StagesTime TimeByChunks(const Workload& workload, std::uint32_t stages, const StepRules& rules,
                        const PredictedStep& step) {
  const MicroBatches parts = CutIntoMicroBatches(workload);
  const RowsTime stage = SumMicroBatches(step.rows, parts);
  const auto micro_batches = static_cast<double>(parts.batches.size());
  const auto chunks = static_cast<double>(workload.virtual_pipeline);
  double sum = stages, largest = 1;
  if (!rules.stage_weights.empty()) {
    sum = std::accumulate(rules.stage_weights.begin(), rules.stage_weights.end(), 0.0);
    largest = *std::max_element(rules.stage_weights.begin(), rules.stage_weights.end());
  }
  StagesTime time;
  time.bubble =
      stage.all() * (largest - 1) + stage.all() / micro_batches * (sum - largest) / chunks;
  const double message = step.stage_message.seconds;
  const double in_a_row = 2 * chunks * micro_batches * message;
  time.messages = in_a_row + 2.0 * (stages - 1) * message;
  time.exposed_messages =
      time.messages - std::min(in_a_row * rules.overlaps.pipeline, stage.computing);
  return time;
}

/// Runs a table on ideal stages.
class TableTime {
 public:
  TableTime(const Workload& workload, std::uint32_t stages, const StepRules& rules,
            const PredictedStep& step)
      : rules_(rules), parts_(CutIntoMicroBatches(workload)) {
    table_ = MakePipelineTable(*rules.schedule, stages,
                               static_cast<std::uint32_t>(parts_.batches.size()), workload.name);
    if (workload.inference) KeepForwards(&table_);
    const std::uint32_t chunks = PipelineRoute(table_.shape).layer_parts();
    for (const std::vector<LayerRange>& batch : CutIntoChunks(workload, parts_, chunks)) {
      times_.emplace_back();
      for (const LayerRange& chunk : batch) times_.back().push_back(SumRows(step.rows, chunk));
    }
  }

  StagesTime Find(const PredictedStep& step) const {
    const double message = step.stage_message.seconds;
    const double alone = Run(0, 0);
    StagesTime time;
    time.bubble = alone - SumMicroBatches(step.rows, parts_).all();
    time.messages = Run(message, message) - alone;
    const double held = rules_.schedule->senders_wait() ? 1 : 1 - rules_.overlaps.pipeline;
    time.exposed_messages = Run(message, message * held) - alone;
    return time;
  }

 private:
  double Run(double message, double held) const {
    const PipelineRoute route(table_.shape);
    PipelineTimes times;
    times.message = message;
    times.held = held;
    times.task = [&](std::uint32_t stage, const PipelineTask& task) {
      const RowsTime& rows = times_[task.micro_batch][route.PartOf(task.chunk)];
      return WeightOf(rules_, stage) * TimeOf(task.work, rows);
    };
    return RunIdeally(table_, times).total;
  }

  static double TimeOf(PipelineWork work, const RowsTime& rows) {
    switch (work) {
      case PipelineWork::kForward:
        return rows.forward;
      case PipelineWork::kInputGradient:
        return rows.input;
      case PipelineWork::kWeightGradient:
        return rows.weight;
      case PipelineWork::kBackward:
        break;
    }
    return rows.backward();
  }

  const StepRules& rules_;
  MicroBatches parts_;
  PipelineTable table_;
  std::vector<std::vector<RowsTime>> times_;  ///< by micro-batch and part of the stage's layers
};

}  // namespace

StagesTime TimeOfStages(const Workload& workload, std::uint32_t stages, const StepRules& rules,
                        const PredictedStep& step) {
  if (!rules.schedule) return TimeByChunks(workload, stages, rules, step);
  return TableTime(workload, stages, rules, step).Find(step);
}

}  // namespace heddle
