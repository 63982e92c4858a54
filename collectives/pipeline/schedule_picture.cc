// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/schedule_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle {
namespace {

constexpr char kIdleColumn = '.';
constexpr char kPairColumn = '+';
constexpr double kMostColumns = 10'000;

/// A task, or several that are done together.
struct DrawnCell {
  std::uint32_t stage = 0;
  double begin = 0, end = 0;
  std::string label;
  char fill = kIdleColumn;
};

char FillOf(PipelineWork work) {
  switch (work) {
    case PipelineWork::kForward:
      return '>';
    case PipelineWork::kBackward:
      return '<';
    case PipelineWork::kInputGradient:
      return '-';
    case PipelineWork::kWeightGradient:
      break;
  }
  return '=';
}

std::string LabelOf(const PipelineTask& task, const PipelineShape& shape) {
  constexpr std::uint32_t kLetters = 26;
  std::string label = std::to_string(task.micro_batch);
  if (shape.chunks > 1) label += static_cast<char>('a' + task.chunk % kLetters);
  return label;
}

/// The cells in the order in which they are done, and the end of all.
std::vector<DrawnCell> CellsOf(const PipelineTable& table, const PipelineTimes& times,
                               double* total) {
  std::vector<DrawnCell> cells;
  PipelineTimes noted = times;
  bool joins = false;  // the task before was done together with this one
  noted.done = [&](std::uint32_t stage, const PipelineTask& task, double begin, double end) {
    if (joins) {
      cells.back().label += kPairColumn + LabelOf(task, table.shape);
      cells.back().fill = kPairColumn;
    } else if (end > begin) {
      cells.push_back({stage, begin, end, LabelOf(task, table.shape), FillOf(task.work)});
    }
    joins = task.with_next && end > begin;
  };
  *total = RunIdeally(table, noted).total;
  return cells;
}

/// Time of a column: the shortest task has a whole number of them, unless that makes too many.
double ColumnTime(const std::vector<DrawnCell>& cells, double total, std::size_t columns) {
  double shortest = total;
  for (const DrawnCell& cell : cells) shortest = std::min(shortest, cell.end - cell.begin);
  const double each = std::floor(shortest * static_cast<double>(columns) / total);
  return std::max(shortest / std::max(1.0, each), total / kMostColumns);
}

}  // namespace

std::string DrawSchedule(const PipelineTable& table, const PipelineTimes& times,
                         std::size_t columns) {
  double total = 0;
  const std::vector<DrawnCell> cells = CellsOf(table, times, &total);
  if (cells.empty()) return {};
  const double unit = ColumnTime(cells, total, columns);
  const auto column = [&](double at) { return static_cast<std::size_t>(std::lround(at / unit)); };
  std::vector<std::string> lines(table.shape.stages, std::string(column(total), kIdleColumn));
  for (const DrawnCell& cell : cells) {
    const std::size_t begin = column(cell.begin), width = column(cell.end) - begin;
    std::string text = cell.label.size() <= width ? cell.label : std::string();
    text.resize(width, cell.fill);
    lines[cell.stage].replace(begin, width, text);
  }
  std::string picture;
  for (std::uint32_t stage = 0; stage < table.shape.stages; ++stage)
    picture += fmt::format("{:>5} {}\n", stage, lines[stage]);
  return picture;
}

std::uint32_t MostHeld(const PipelineTable& table, std::uint32_t stage) {
  std::uint32_t held = 0, most = 0;
  for (const PipelineTask& task : table.order[stage]) {
    if (task.work == PipelineWork::kForward) most = std::max(most, ++held);
    if (task.work == PipelineWork::kBackward || task.work == PipelineWork::kInputGradient) --held;
  }
  return most;
}

}  // namespace heddle
