// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/pipeline_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

char LetterOf(PipelineWork work) {
  switch (work) {
    case PipelineWork::kForward:
      return 'F';
    case PipelineWork::kBackward:
      return 'B';
    case PipelineWork::kInputGradient:
      return 'I';
    case PipelineWork::kWeightGradient:
      break;
  }
  return 'W';
}

}  // namespace

void KeepForwards(PipelineTable* table) {
  for (std::vector<PipelineTask>& order : table->order) {
    order.erase(std::remove_if(
                    order.begin(), order.end(),
                    [](const PipelineTask& task) { return task.work != PipelineWork::kForward; }),
                order.end());
    for (PipelineTask& task : order) task.with_next = false;
  }
}

std::string ToText(const PipelineTask& task, const PipelineShape& shape) {
  const std::string text = fmt::format("{}{}", LetterOf(task.work), task.micro_batch);
  return shape.chunks == 1 ? text : fmt::format("{}.{}", text, task.chunk);
}

}  // namespace heddle
