// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/step_times.h"

#include <cmath>
#include <utility>

namespace heddle {
namespace {

/// The first half's part of `given`, as `column` is of both halves.
Time ColumnPart(Time given, Time column, Time row) {
  const double sum = static_cast<double>(column.ps) + static_cast<double>(row.ps);
  if (sum == 0) return given;
  const double ns = given.nanoseconds() * static_cast<double>(column.ps) / sum;
  return NanoSeconds(std::llround(ns));
}

void Divide(Time given, Time* column, Time* row) {
  *column = ColumnPart(given, *column, *row);
  *row = given - *column;
}

}  // namespace

PhaseTimes BlockTimes::both() const {
  return {column.forward + row.forward, column.input_gradient + row.input_gradient,
          column.weight_gradient + row.weight_gradient};
}

ComputeTimes::ComputeTimes(const LayerWork& work, GpuSpeed gpu, double efficiency,
                           double fp8_efficiency, const ComputeTable& table)
    : work_(work),
      gpu_(std::move(gpu)),
      efficiency_(efficiency),
      fp8_efficiency_(fp8_efficiency),
      table_(table) {}

PhaseTimes ComputeTimes::Roofline(const PhasesOfWork& work) const {
  return {RooflineTime(work.forward, gpu_, efficiency_, fp8_efficiency_),
          RooflineTime(work.input_gradient, gpu_, efficiency_, fp8_efficiency_),
          RooflineTime(work.weight_gradient, gpu_, efficiency_, fp8_efficiency_)};
}

BlockTimes ComputeTimes::Of(BlockKind kind) const {
  const BlockWork work = work_.Of(kind);
  BlockTimes times{Roofline(work.column), Roofline(work.row)};
  if (const std::optional<PhaseTimes>& given = table_[static_cast<std::size_t>(kind)]) {
    Divide(given->forward, &times.column.forward, &times.row.forward);
    Divide(given->input_gradient, &times.column.input_gradient, &times.row.input_gradient);
    Divide(given->weight_gradient, &times.column.weight_gradient, &times.row.weight_gradient);
  }
  return times;
}

}  // namespace heddle
