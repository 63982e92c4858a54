// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/collective/phases_text.h"

#include <fmt/format.h>

#include <vector>

#include "collectives/phased/phase_plan.h"

namespace heddle {
namespace {

constexpr std::uint32_t kChunk = 0;  ///< odd ones differ in trees only

const char* NameOf(LineSteps::Shape shape) {
  switch (shape) {
    case LineSteps::Shape::kRing:
    case LineSteps::Shape::kFarRing:
      return "ring";
    case LineSteps::Shape::kDirect:
      return "direct";
    case LineSteps::Shape::kTrees:
      return "doubleBinaryTree";
    case LineSteps::Shape::kHalving:
      return "halvingDoubling";
  }
  return "";
}

struct Plan {
  explicit Plan(const PhasesRequest& request)
      : shape(LogicalShape(request.options.layout, request.ranks)),
        planner(shape, request.options),
        // All dimensions in which ranks differ.
        phases(planner.Plan(request.spec.operation, request.spec.bytes, Mask(*shape))) {}

  static std::uint32_t Mask(const ScaleUpShape& shape) {
    std::uint32_t mask = 0;
    for (std::size_t d = 0; d < shape.dimensions.size(); ++d)
      mask |= shape.dimensions[d].size > 1 ? 1U << d : 0;
    return mask;
  }
  /// Visits the messages of a rank in a phase: number, and how many it must have received.
  template <class Visit>
  void ForEachMessage(NodeId rank, const PlannedPhase& phase, const Visit& visit) const {
    const LinePlace place = planner.PlaceOf(rank, phase, kChunk);
    for (std::uint32_t received = 0; received <= phase.steps.MessagesOf(place); ++received) {
      std::uint32_t begin = 0;
      const std::uint32_t count = phase.steps.After(received, &begin, place);
      for (std::uint32_t number = begin; number < begin + count; ++number) visit(number, received);
    }
  }

  std::shared_ptr<const ScaleUpShape> shape;
  PhasePlanner planner;
  PhasePlan phases;
};

/// "0", or of a line through several: "0+1+2".
std::string DimensionsOf(std::uint32_t span) {
  std::string text;
  for (std::uint32_t d = 0; span >> d != 0; ++d) {
    if ((span >> d & 1) != 0) text += (text.empty() ? "" : "+") + std::to_string(d);
  }
  return text;
}

}  // namespace

std::string PhasesHead(const PhasesRequest& request) {
  const Plan plan(request);
  const std::string& form = request.options.collectives;
  std::string text = fmt::format(
      "operation   {} of {} bytes over {} ranks in {} ({})\nchunks      {}, each in {} phases\n"
      "messages    {} of all ranks\n",
      ToText(request.spec.operation), request.spec.bytes, request.ranks, request.options.layout,
      form, plan.phases.chunks, plan.phases.phases.size(), plan.phases.MessagesOf(request.ranks));
  std::vector<std::int64_t> sent(plan.shape->dimensions.size(), 0);
  for (const PlannedPhase& phase : plan.phases.phases) {
    plan.ForEachMessage(NodeId(request.rank), phase, [&](std::uint32_t number, std::uint32_t) {
      sent[phase.dimension] += phase.BytesOf(number) * plan.phases.chunks;
    });
  }
  for (std::size_t d = 0; d < sent.size(); ++d) {
    text += fmt::format("dimension {} {} ranks, {} bytes sent by rank {}\n", d,
                        plan.shape->dimensions[d].size, sent[d], request.rank);
  }
  return text + "\n";
}

std::string PhasesMessages(const PhasesRequest& request, bool csv) {
  const Plan plan(request);
  const NodeId rank(request.rank);
  const auto line = [&](auto phase, auto operation, auto algorithm, auto dimension, auto number,
                        auto to, auto bytes, auto after) {
    return fmt::format(
        csv ? "{},{},{},{},{},{},{},{}\n" : "{:>5}  {:<13} {:<16} {:<9} {:>7} {:>7} {:>12} {:>8}\n",
        phase, operation, algorithm, dimension, number, to, bytes, after);
  };
  std::string text =
      line("phase", "operation", "algorithm", "dimension", "message", "to", "bytes", "received");
  for (std::size_t i = 0; i < plan.phases.phases.size(); ++i) {
    const PlannedPhase& phase = plan.phases.phases[i];
    plan.ForEachMessage(rank, phase, [&](std::uint32_t number, std::uint32_t received) {
      text += line(i, ToText(phase.operation), NameOf(phase.steps.shape), DimensionsOf(phase.span),
                   number, plan.planner.To(rank, phase, number, kChunk, true).value,
                   phase.BytesOf(number), received);
    });
  }
  return text;
}

}  // namespace heddle
