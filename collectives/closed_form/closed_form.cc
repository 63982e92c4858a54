// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/closed_form.h"

#include <algorithm>

namespace heddle {
namespace {

double InSteps(const ClosedFormInput& in) {
  const double all = in.steps.inside + in.steps.between;
  if (all <= 0) return in.load.largest();
  const double beyond = std::max(in.load.network, in.load.fabric);
  const double chain = in.steps.inside * (in.load.inside / all + in.latency_inside) +
                       in.steps.between * (beyond / all + in.latency_between);
  return std::max(in.load.largest(), chain);
}

double InPieces(const ClosedFormInput& in) {
  const double pieces = in.pieces, hops = in.steps.inside + in.steps.between;
  const double piece = in.load.largest() / pieces;
  const double latency =
      in.steps.inside * in.latency_inside + in.steps.between * in.latency_between;
  const double slowest =
      in.steps.between > 0 ? std::max(in.latency_inside, in.latency_between) : in.latency_inside;
  return (pieces - 1) * std::max(piece, (piece + slowest) / in.in_flight) + hops * piece + latency;
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
