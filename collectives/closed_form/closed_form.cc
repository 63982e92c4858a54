// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/closed_form.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "collectives/stepwise/ring_replay.h"

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

/// The ring of a group on equal servers, if the ports' loads are those of one; else none.
std::optional<RingThroughServer> RingOf(const ClosedFormInput& in) {
  const double steps = in.steps.inside + in.steps.between;
  if (in.steps.between <= 0 || in.ranks_per_server <= 0 || in.piece_inside <= 0 ||
      in.piece_between <= 0)
    return std::nullopt;
  constexpr double kNear = 0.2;  // of an edge: loads have rounded bytes, and pieces answers
  const double inside = in.load.inside / (steps * in.piece_inside);
  const double between = in.load.network / (steps * in.piece_between);
  RingThroughServer ring;
  ring.inside = static_cast<std::uint32_t>(std::lround(inside));
  if (ring.inside < 1 || std::abs(inside - ring.inside) > kNear || std::abs(between - 1) > kNear)
    return std::nullopt;
  ring.relayed = std::abs(ring.inside - in.ranks_per_server) < kNear;
  if (!ring.relayed && std::abs(ring.inside + 1 - in.ranks_per_server) > kNear) return std::nullopt;
  ring.steps = static_cast<std::uint64_t>(std::lround(steps));
  ring.message_inside = in.piece_inside;
  ring.message_between = in.piece_between * std::max(in.load.fabric / in.load.network, 1.0);
  ring.latency_inside = in.latency_inside;
  ring.latency_between = in.latency_between;
  ring.packet_inside = in.packet_inside;
  return ring;
}

double InSteps(const ClosedFormInput& in) {
  if (const auto ring = RingOf(in)) return std::max(RingSeconds(*ring), in.load.largest());
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

/// Of two ports in series, of which each waits for the other the more the fuller both are.
double InSeries(const PortLoad& load, double power) {
  const double beyond = std::max(load.network, load.fabric);
  return std::pow(std::pow(load.inside, power) + std::pow(beyond, power), 1 / power);
}

double UpAndDown(const ClosedFormInput& in) {
  constexpr double kSeries = 16;
  const auto height = static_cast<std::uint32_t>(std::lround(in.steps.inside / 2));
  double seconds = in.steps.between * (in.piece_between + in.latency_between);
  for (std::uint32_t j = 1; j <= height; ++j)
    seconds += in.piece_inside * std::min(j, in.pieces) + in.latency_inside;
  seconds += height * (in.piece_inside / in.share + in.latency_inside);
  // Where the NVLinks are the limit, the way up has it already.
  PortLoad load = in.load;
  load.inside = std::min(load.inside, std::max(load.network, load.fabric));
  const double pieces = in.pieces;
  seconds += (pieces - 1) * InSeries(load, kSeries) / pieces;
  return std::max(seconds, in.load.largest());
}

double InPieces(const ClosedFormInput& in) {
  if (in.up_and_down && in.steps.between > 0) return UpAndDown(in);
  constexpr double kSeries = 8;
  const double load = InSeries(in.load, kSeries);
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
    case MessageOrder::kInOrder:
    case MessageOrder::kByTable:
      return input.base + std::max(input.replayed, input.load.largest());
  }
  return input.base;
}

}  // namespace heddle
