// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/closed_form.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

double InSteps(const ClosedFormInput& in) {
  const double all = in.steps.inside + in.steps.between;
  if (all <= 0) return in.load.largest();
  const double m = in.channels;
  const double step_inside = in.load.inside / all;
  const double step_between = std::max(in.load.network, in.load.fabric) / all;
  const double alone = in.steps.inside * (step_inside / m + in.latency_inside) +
                       in.steps.between * (step_between + in.latency_between);
  const double shared = in.steps.inside * step_inside * (m - 1) / m;
  const double in_step = in.steps.between > 0 && in.latency_between > 0
                             ? std::min(in.latency_inside / in.latency_between, 1.0)
                             : 1.0;
  // T = c + d / T.
  const double c = alone + shared * in_step;
  const double d = shared * (1 - in_step) * in.load.inside;
  return std::max(in.load.largest(), (c + std::sqrt(c * c + 4 * d)) / 2);
}

double InPieces(const ClosedFormInput& in) {
  constexpr double kSeries = 2.5;  // q
  const double beyond = std::max(in.load.network, in.load.fabric);
  const double load =
      std::pow(std::pow(in.load.inside, kSeries) + std::pow(beyond, kSeries), 1 / kSeries);
  const double inside = in.steps.inside > 0 ? in.piece_inside + in.latency_inside : 0;
  const double between = in.steps.between > 0 ? in.piece_between + in.latency_between : 0;
  const double pieces = in.pieces;
  const double follows =
      std::max(load / pieces, std::max(inside, between) / static_cast<double>(in.in_flight));
  return in.steps.inside * inside + in.steps.between * between + (pieces - 1) * follows;
}

double AtOnce(const ClosedFormInput& in) {
  return in.load.largest() + in.steps.inside * in.latency_inside +
         in.steps.between * in.latency_between;
}

}  // namespace

double ClosedFormSeconds(const ClosedFormInput& input) {
  switch (input.order) {
    case MessageOrder::kSteps:
      return input.base + InSteps(input);
    case MessageOrder::kPieces:
      return input.base + InPieces(input);
    case MessageOrder::kAtOnce:
      return input.base + AtOnce(input);
  }
  return input.base;
}

}  // namespace heddle
