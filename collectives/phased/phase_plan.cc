// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/phase_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

const ScaleUpShape& ShapeOf(const Graph& graph) {
  if (graph.scale_up() == nullptr || graph.scale_up()->dimensions.empty()) {
    throw UserError(
        "phases.collectives: the fabric has no dimensions. Expected: off, or a scale-up fabric "
        "(docs/formats/network.md)");
  }
  return *graph.scale_up();
}

/// Whether a chunk of `phase` is one of an all-reduce's first or last phase in the first dimension.
void TakeHalf(PlannedPhase* phase, bool second) {
  if (phase->dimension != 0 || phase->lanes < 2) return;
  const std::uint32_t half = phase->lanes / 2;
  phase->first_lane = second ? half : 0;
  phase->lanes = second ? phase->lanes - half : half;
}

}  // namespace

PhasePlanner::PhasePlanner(const Graph& graph, const PhasedOptions& options)
    : shape_(ShapeOf(graph)),
      options_(options),
      algorithms_(ParseLineAlgorithms(options.algorithm, shape_.dimensions.size())) {}

std::uint32_t PhasePlanner::DimensionsOf(const NodeId* members, std::uint32_t ranks,
                                         const std::string& who) const {
  const auto at = [&](std::uint32_t rank, std::size_t d) {
    return shape_.CoordinateOf(members[rank].value, d);
  };
  std::uint32_t mask = 0;
  std::uint64_t size = 1;
  for (std::size_t d = 0; d < shape_.dimensions.size(); ++d) {
    bool differs = false;
    for (std::uint32_t rank = 1; rank < ranks && !differs; ++rank)
      differs = at(rank, d) != at(0, d);
    if (!differs) continue;
    mask |= 1U << d;
    size *= shape_.dimensions[d].size;
  }
  if (size != ranks) {
    throw UserError(fmt::format(
        "{}: {} members in dimensions of {} NPUs. Expected: groups that fill their dimensions "
        "(model_parallel_NPU_group a product of the first ones)",
        who, ranks, size));
  }
  return mask;
}

bool PhasePlanner::IsDirect(std::uint32_t dimension) const {
  const LineAlgorithm algorithm = algorithms_[dimension];
  if (algorithm == LineAlgorithm::kRing || algorithm == LineAlgorithm::kDirect)
    return algorithm == LineAlgorithm::kDirect;
  return shape_.dimensions[dimension].kind != Dimension::Kind::kRing;
}

PlannedPhase PhasePlanner::PhaseOf(std::uint32_t dimension, Operation operation,
                                   std::int64_t held) const {
  const Dimension& d = shape_.dimensions[dimension];
  const bool trees =
      algorithms_[dimension] == LineAlgorithm::kTrees && operation == Operation::kAllReduce;
  const bool whole = trees || operation == Operation::kAllGather;
  PlannedPhase phase;
  phase.dimension = dimension;
  phase.steps =
      trees ? LineSteps::OfTrees(d.size)
            : LineSteps::Of(operation, IsDirect(dimension), options_.routing == "hardware", d.size);
  phase.message = std::max<std::int64_t>(whole ? held : held / d.size, 1);
  phase.lanes = d.lanes();
  return phase;
}

PhasePlan PhasePlanner::Plan(Operation operation, std::int64_t bytes,
                             std::uint32_t dimensions) const {
  PhasePlan plan;
  std::vector<std::uint32_t> order;
  std::int64_t ranks = 1;
  for (std::size_t d = shape_.dimensions.size(); d-- > 0;) {
    if ((dimensions >> d & 1) == 0) continue;
    order.push_back(static_cast<std::uint32_t>(d));
    ranks *= shape_.dimensions[d].size;
  }
  if (order.empty()) return plan;
  // The lowest dimension first, then the others from the last on.
  std::rotate(order.begin(), order.end() - 1, order.end());
  const auto size = [&](std::uint32_t d) { return std::int64_t{shape_.dimensions[d].size}; };
  const bool all_to_all = operation == Operation::kAllToAll;
  const std::int64_t splits =
      all_to_all && options_.all_to_all_splits > 0 ? options_.all_to_all_splits : options_.splits;
  // ASTRA-sim's all-gather names the shard.
  const std::int64_t data =
      operation == Operation::kAllGather ? std::max<std::int64_t>(bytes / ranks, 1) : bytes;
  std::int64_t chunk = std::max(options_.least_bytes, data / splits);
  plan.chunks = (data + chunk - 1) / chunk;
  const bool enhanced = options_.collectives == "enhanced" && order.size() > 1;
  const bool halves = options_.local_lanes == "halves";
  const auto add = [&](std::uint32_t d, Operation part, std::int64_t held) -> PlannedPhase& {
    plan.phases.push_back(PhaseOf(d, part, held));
    return plan.phases.back();
  };
  switch (operation) {
    case Operation::kAllReduce: {
      const std::int64_t first = size(order[0]);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const bool scatters = enhanced && i == 0;
        const std::int64_t held = enhanced && i > 0 ? chunk / first : chunk;
        PlannedPhase& phase = add(order[i], scatters ? Operation::kReduceScatter : operation, held);
        if (halves) TakeHalf(&phase, false);
      }
      if (!enhanced) return plan;
      PlannedPhase& phase = add(order[0], Operation::kAllGather, chunk / first);
      if (halves) TakeHalf(&phase, true);
      return plan;
    }
    case Operation::kReduceScatter:
      for (const std::uint32_t d : order) {
        add(d, operation, chunk);
        chunk /= size(d);
      }
      return plan;
    case Operation::kAllGather:
      for (const std::uint32_t d : order) {
        add(d, operation, chunk);
        chunk *= size(d);
      }
      return plan;
    case Operation::kAllToAll:
      for (const std::uint32_t d : order) {
        PlannedPhase& phase = add(d, operation, chunk);
        if (halves && options_.collectives == "enhanced") TakeHalf(&phase, false);
      }
      return plan;
    default:
      throw UserError(fmt::format(
          "phases.collectives: {} has no phases. Expected: ALLREDUCE, REDUCESCATTER, ALLGATHER or "
          "ALLTOALL",
          ToText(operation)));
  }
}

NodeId PhasePlanner::Along(NodeId npu, std::uint32_t dimension, std::uint32_t distance,
                           bool clockwise) const {
  const std::uint32_t n = shape_.dimensions[dimension].size, stride = shape_.StrideOf(dimension);
  const std::uint32_t at = shape_.CoordinateOf(npu.value, dimension);
  const std::uint32_t to = (at + (clockwise ? distance : n - distance)) % n;
  return NodeId(npu.value - at * stride + to * stride);
}

NodeId PhasePlanner::To(NodeId npu, const PlannedPhase& phase, std::uint32_t number,
                        std::uint32_t chunk, bool clockwise) const {
  // Trees name members; other steps count them along the lane.
  const bool names = phase.steps.shape == LineSteps::Shape::kTrees;
  return Along(npu, phase.dimension, phase.steps.DistanceOf(number, PlaceOf(npu, phase, chunk)),
               names || clockwise);
}

bool PhasePlanner::neighbours_only() const {
  for (std::size_t d = 0; d < shape_.dimensions.size(); ++d) {
    const Dimension& dimension = shape_.dimensions[d];
    const bool far = algorithms_[d] == LineAlgorithm::kTrees ||
                     algorithms_[d] == LineAlgorithm::kDirect || options_.routing == "hardware";
    if (dimension.kind == Dimension::Kind::kSwitch && dimension.size > 1) return false;
    if (dimension.kind == Dimension::Kind::kRing && far) return false;
  }
  return true;
}

}  // namespace heddle
