// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/closed_form.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

/// The larger root of T = A + B (U + (1 - U) g) - (A + B - P) U^12, U = min(busy / T, 1).
double SharedSteps(double a, double b, double g, double busy, double least) {
  constexpr int kRounds = 60;
  constexpr double kHides = 12;
  double t = a + b;
  for (int i = 0; i < kRounds && t > least; ++i) {
    const double u = std::min(busy / t, 1.0);
    const double hidden = std::max(a + b - least, 0.0) * std::pow(u, kHides);
    t = (t + std::max(a + b * (u + (1 - u) * g) - hidden, least)) / 2;
  }
  return std::max(t, least);
}

double InSteps(const ClosedFormInput& in) {
  const double all = in.steps.inside + in.steps.between;
  if (all <= 0) return in.load.largest();
  const double m = in.channels;
  const double step_inside = in.load.inside / all;
  const double step_between = std::max(in.load.network, in.load.fabric) / all;
  const double alone = in.steps.inside * (step_inside / m + in.latency_inside) +
                       in.steps.between * (step_between + in.latency_between);
  const double shared = in.steps.inside * step_inside * (m - 1) / m;
  if (in.steps.between <= 0) return alone + shared;  // nothing makes the channels lose step
  const double ratio =
      in.latency_between > 0 ? std::min(in.latency_inside / in.latency_between, 1.0) : 1.0;
  return SharedSteps(alone, shared, ratio * ratio, in.load.inside, in.load.largest());
}

double InPieces(const ClosedFormInput& in) {
  constexpr double kSeries = 8;
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
