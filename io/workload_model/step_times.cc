// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/step_times.h"

#include <cmath>
#include <utility>

namespace heddle {
namespace {

/// The part of `given` that `part` is of `sum`; all of it if that is 0.
Time PartOf(Time given, Time part, Time sum) {
  if (sum == Time{}) return given;
  const double ns =
      given.nanoseconds() * static_cast<double>(part.ps) / static_cast<double>(sum.ps);
  return NanoSeconds(std::llround(ns));
}

/// Divides a time over the parts of a block as these are.
void Divide(Time given, Time* column, Time* pairs, Time* row) {
  const Time sum = *column + *pairs + *row;
  *column = PartOf(given, *column, sum);
  *pairs = sum == Time{} ? Time{} : PartOf(given, *pairs, sum);
  *row = given - *column - *pairs;
}

PhaseTimes Sum(const PhaseTimes& a, const PhaseTimes& b) {
  return {a.forward + b.forward, a.input_gradient + b.input_gradient,
          a.weight_gradient + b.weight_gradient};
}

}  // namespace

PhaseTimes BlockTimes::all() const { return Sum(Sum(column, pairs), row); }

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
  BlockTimes times{Roofline(work.column), Roofline(work.pairs), Roofline(work.row)};
  if (const std::optional<PhaseTimes>& given = table_[static_cast<std::size_t>(kind)]) {
    const auto divide = [&](Time PhaseTimes::*phase) {
      Divide((*given).*phase, &(times.column.*phase), &(times.pairs.*phase), &(times.row.*phase));
    };
    divide(&PhaseTimes::forward);
    divide(&PhaseTimes::input_gradient);
    divide(&PhaseTimes::weight_gradient);
  }
  return times;
}

}  // namespace heddle
