// SPDX-License-Identifier: GPL-2.0-only
/// Shared code of the tests of pipelines: tables by words, their orders as text, ideal times.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/pipeline/ideal_times.h"
#include "collectives/pipeline/known_schedules.h"
#include "collectives/pipeline/pipeline_route.h"

namespace heddle {

/// The table of a known schedule. Nothing is refused: orders that Megatron-LM refuses run, too.
inline PipelineTable TableOf(const std::string& word, const ScheduleRequest& request) {
  PipelineTable table = FindSchedule(word)->make(request);
  table.name = word;
  return table;
}

/// A stage's tasks: "F0 F1+B0".
inline std::string OrderText(const PipelineTable& table, std::uint32_t stage) {
  std::string text;
  bool together = false;
  for (const PipelineTask& task : table.order.at(stage)) {
    if (!text.empty()) text += together ? '+' : ' ';
    text += ToText(task, table.shape);
    together = task.with_next;
  }
  return text;
}

/// Times of one stage, of all its chunks.
struct StageTimes {
  double forward = 1, input = 1, weight = 1;
  double message = 0;
};

inline PipelineTimes TimesOf(const PipelineTable& table, const StageTimes& of) {
  PipelineTimes times;
  const double parts = PipelineRoute(table.shape).layer_parts();
  times.task = [of, parts](std::uint32_t, const PipelineTask& task) {
    switch (task.work) {
      case PipelineWork::kForward:
        return of.forward / parts;
      case PipelineWork::kInputGradient:
        return of.input / parts;
      case PipelineWork::kWeightGradient:
        return of.weight / parts;
      case PipelineWork::kBackward:
        break;
    }
    return (of.input + of.weight) / parts;
  };
  times.message = of.message;
  return times;
}

inline double TotalOf(const PipelineTable& table, const StageTimes& times) {
  return RunIdeally(table, TimesOf(table, times)).total;
}

/// The most forwards of a stage whose backward, or gradient of inputs, is still to come.
inline std::int64_t MostLive(const PipelineTable& table, std::uint32_t stage) {
  std::int64_t live = 0, most = 0;
  for (const PipelineTask& task : table.order.at(stage)) {
    if (task.work == PipelineWork::kForward) most = std::max(most, ++live);
    if (task.work == PipelineWork::kBackward || task.work == PipelineWork::kInputGradient) --live;
  }
  return most;
}

}  // namespace heddle
