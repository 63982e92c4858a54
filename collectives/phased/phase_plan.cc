// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/phase_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

/// Lets the phase have a half of the first dimension's lanes.
void TakeHalf(PlannedPhase* phase, bool second) {
  if (phase->span != 1 || phase->lanes < 2) return;
  const std::uint32_t half = phase->lanes / 2;
  phase->first_lane = second ? half : 0;
  phase->lanes = second ? phase->lanes - half : half;
}

/// The algorithm of single dimensions that one of all dimensions is like.
LineAlgorithm OnALine(LineAlgorithm algorithm) {
  switch (algorithm) {
    case LineAlgorithm::kOneRing:
      return LineAlgorithm::kRing;
    case LineAlgorithm::kOneDirect:
      return LineAlgorithm::kDirect;
    case LineAlgorithm::kOneHalving:
      return LineAlgorithm::kHalving;
    default:
      return algorithm;
  }
}

}  // namespace

std::shared_ptr<const ScaleUpShape> LogicalShape(const std::string& text, std::uint32_t gpus) {
  constexpr std::size_t kMost = 20;
  auto shape = std::make_shared<ScaleUpShape>();
  std::uint64_t product = 1;
  bool good = true;
  for (std::size_t begin = 0; good && begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto size = ReadNumber<std::uint32_t>(std::string_view(text).substr(begin, end - begin));
    good = size && *size >= 1 && *size <= kMaxNodes && shape->dimensions.size() < kMost;
    if (!good) break;
    Dimension dimension;
    dimension.kind = Dimension::Kind::kSwitch;
    dimension.size = *size;
    shape->dimensions.push_back(dimension);
    product *= *size;
    good = product <= kMaxNodes;
    begin = end + 1;
  }
  if (!good) {
    throw UserError(
        fmt::format("phases.dimensions: found '{}'. Expected: sizes such as 2x4x4, or fabric",
                    Printable(text)));
  }
  if (product != gpus)
    throw UserError(fmt::format("phases.dimensions: {} are {} GPUs. Expected: {}, as there are",
                                text, product, gpus));
  return shape;
}

std::shared_ptr<const ScaleUpShape> PhasedShape(const Graph& graph, const PhasedOptions& options) {
  const bool own = graph.scale_up() != nullptr && !graph.scale_up()->dimensions.empty();
  if (options.layout == "fabric") {
    if (own) return {graph.scale_up(), [](const ScaleUpShape*) {}};  // the graph's
    throw UserError(
        "phases.collectives: the fabric has no dimensions. Expected: off, a scale-up fabric "
        "(docs/formats/network.md), or phases.dimensions");
  }
  if (own)
    throw UserError(
        fmt::format("phases.dimensions: {}, but the fabric has dimensions of its own. Expected: "
                    "fabric",
                    Printable(options.layout)));
  return LogicalShape(options.layout, graph.gpu_count());
}

PhasePlanner::PhasePlanner(std::shared_ptr<const ScaleUpShape> shape, const PhasedOptions& options)
    : owned_(std::move(shape)), shape_(*owned_), options_(options) {
  const auto parse = [&](const char* option, const std::string& text) {
    const bool same = text == "same";
    const std::string name = same ? "phases.algorithm" : option;
    Algorithms algorithms =
        ParseLineAlgorithms(name, same ? options.algorithm : text, shape_.dimensions.size());
    CheckHalving(name, algorithms);
    return algorithms;
  };
  all_reduce_ = parse("phases.algorithm", options.algorithm);
  reduce_scatter_ = parse("phases.reduce_scatter", options.reduce_scatter);
  all_gather_ = parse("phases.all_gather", options.all_gather);
  all_to_all_ = parse("phases.all_to_all", options.all_to_all);
}

void PhasePlanner::CheckHalving(const std::string& option, const Algorithms& algorithms) const {
  for (std::size_t d = 0; d < algorithms.size(); ++d) {
    const std::uint32_t size = shape_.dimensions[d].size;
    if (algorithms[d] != LineAlgorithm::kHalving || size == 1 || HalvingSteps::Fits(size)) continue;
    throw UserError(
        fmt::format("{}: halvingDoubling in dimension {} of {} NPUs. Expected: a power of two",
                    option, d, size));
  }
}

const PhasePlanner::Algorithms& PhasePlanner::AlgorithmsOf(Operation collective) const {
  switch (collective) {
    case Operation::kReduceScatter:
      return reduce_scatter_;
    case Operation::kAllGather:
      return all_gather_;
    case Operation::kAllToAll:
      return all_to_all_;
    default:
      return all_reduce_;
  }
}

void PhasePlanner::AddLine(const std::vector<NodeId>& members) {
  const auto number = static_cast<std::uint32_t>(lines_.size());
  if (!number_of_line_.try_emplace(members, number).second) return;
  ListedLine line{members, {}};
  for (std::uint32_t i = 0; i < members.size(); ++i) line.index[members[i]] = i;
  lines_.push_back(std::move(line));
}

std::uint32_t PhasePlanner::DimensionsOf(const NodeId* members, std::uint32_t ranks,
                                         const std::string& who) const {
  if (!lines_.empty()) {
    const auto line = number_of_line_.find({members, members + ranks});
    if (line != number_of_line_.end()) return kListed | line->second;
  }
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

LineSteps PhasePlanner::StepsOf(LineAlgorithm algorithm, std::uint32_t span,
                                Operation operation) const {
  const std::uint32_t members = SizeOf(span);
  bool direct = !IsOneDimension(span);  // as oneDirect, unless it is a ring
  for (std::size_t d = 0; d < shape_.dimensions.size(); ++d) {
    if (span == 1U << d) direct = shape_.dimensions[d].kind != Dimension::Kind::kRing;
  }
  switch (OnALine(algorithm)) {
    case LineAlgorithm::kTrees:
      if (operation == Operation::kAllReduce) return LineSteps::OfTrees(members);
      break;
    case LineAlgorithm::kHalving:
      if (operation == Operation::kAllToAll) break;
      if (HalvingSteps::Fits(members)) return LineSteps::OfHalving(operation, members);
      throw UserError(
          fmt::format("oneHalvingDoubling: a group of {} NPUs. Expected: a power of two", members));
    case LineAlgorithm::kRing:
    case LineAlgorithm::kDirect:
      direct = OnALine(algorithm) == LineAlgorithm::kDirect;
      break;
    default:
      break;
  }
  return LineSteps::Of(operation, direct, options_.routing == PhasedOptions::Routing::kHardware,
                       members);
}

PlannedPhase PhasePlanner::PhaseOf(LineAlgorithm algorithm, std::uint32_t span, Operation operation,
                                   std::int64_t held) const {
  PlannedPhase phase;
  phase.span = span;
  phase.operation = operation;
  // A listed line has the lanes of the first dimension.
  while (!IsListed(span) && (span >> phase.dimension & 1) == 0) ++phase.dimension;
  phase.steps = StepsOf(algorithm, span, operation);
  std::int64_t message = held;
  if (phase.steps.shape == LineSteps::Shape::kHalving) {
    message = phase.steps.halving.halves ? held / 2 : held << (phase.steps.halving.levels - 1);
  } else if (phase.steps.shape != LineSteps::Shape::kTrees && operation != Operation::kAllGather) {
    message = held / phase.steps.members;
  }
  phase.message = std::max<std::int64_t>(message, 1);
  phase.lanes = IsOneDimension(span) ? shape_.dimensions[phase.dimension].queues() : 1;
  return phase;
}

std::vector<std::uint32_t> PhasePlanner::SpansOf(Operation collective,
                                                 std::uint32_t dimensions) const {
  std::vector<std::uint32_t> spans;
  if (IsListed(dimensions) || IsOneLine(AlgorithmsOf(collective)[0])) return {dimensions};
  for (std::size_t d = shape_.dimensions.size(); d-- > 0;) {
    if ((dimensions >> d & 1) != 0) spans.push_back(1U << d);
  }
  if (options_.dimensions == PhasedOptions::Dimensions::kPackage) {
    // The lowest dimension first, then the others from the last on.
    std::rotate(spans.begin(), spans.end() - 1, spans.end());
  } else if (collective != Operation::kAllGather) {
    std::reverse(spans.begin(), spans.end());
  }
  return spans;
}

void PhasePlanner::PlanAllReduce(const std::vector<std::uint32_t>& spans, std::int64_t chunk,
                                 PhasePlan* plan) const {
  const bool enhanced = options_.collectives == PhasedOptions::Form::kEnhanced;
  const bool halves = options_.local_lanes == PhasedOptions::LocalLanes::kHalves;
  // Number of spans that are scattered before the others reduce.
  const std::size_t most =
      options_.dimensions == PhasedOptions::Dimensions::kPackage ? 1 : spans.size();
  const std::size_t scattered = enhanced ? std::min(most, spans.size() - 1) : 0;
  std::int64_t held = chunk;
  const auto add = [&](std::uint32_t span, Operation part, bool second) {
    plan->phases.push_back(PhaseOf(AlgorithmOf(all_reduce_, span), span, part, held));
    if (halves) TakeHalf(&plan->phases.back(), second);
  };
  for (std::size_t i = 0; i < spans.size(); ++i) {
    add(spans[i], i < scattered ? Operation::kReduceScatter : Operation::kAllReduce, false);
    if (i < scattered) held /= SizeOf(spans[i]);
  }
  for (std::size_t i = scattered; i-- > 0;) {
    add(spans[i], Operation::kAllGather, true);
    held *= SizeOf(spans[i]);
  }
}

PhasePlan PhasePlanner::Plan(Operation operation, std::int64_t bytes,
                             std::uint32_t dimensions) const {
  PhasePlan plan;
  if (dimensions == 0) return plan;
  const bool all_to_all = operation == Operation::kAllToAll;
  const bool gathers = operation == Operation::kAllGather;
  if (!all_to_all && !gathers && operation != Operation::kAllReduce &&
      operation != Operation::kReduceScatter) {
    throw UserError(fmt::format(
        "phases.collectives: {} has no phases. Expected: ALLREDUCE, REDUCESCATTER, ALLGATHER or "
        "ALLTOALL",
        ToText(operation)));
  }
  const std::int64_t splits =
      all_to_all && options_.all_to_all_splits > 0 ? options_.all_to_all_splits : options_.splits;
  // ASTRA-sim's all-gather names the shard.
  const std::int64_t data = gathers ? std::max<std::int64_t>(bytes / SizeOf(dimensions), 1) : bytes;
  std::int64_t chunk = std::max(options_.least_bytes, data / splits);
  plan.chunks = (data + chunk - 1) / chunk;
  const std::vector<std::uint32_t> spans = SpansOf(operation, dimensions);
  if (operation == Operation::kAllReduce) {
    PlanAllReduce(spans, chunk, &plan);
    return plan;
  }
  const bool halves = all_to_all && options_.local_lanes == PhasedOptions::LocalLanes::kHalves &&
                      options_.collectives == PhasedOptions::Form::kEnhanced;
  const Algorithms& algorithms = AlgorithmsOf(operation);
  for (const std::uint32_t span : spans) {
    plan.phases.push_back(PhaseOf(AlgorithmOf(algorithms, span), span, operation, chunk));
    if (halves) TakeHalf(&plan.phases.back(), false);
    if (gathers) chunk *= SizeOf(span);
    if (operation == Operation::kReduceScatter) chunk /= SizeOf(span);
  }
  return plan;
}

LineAlgorithm PhasePlanner::AlgorithmOf(const Algorithms& algorithms, std::uint32_t span) const {
  if (IsListed(span)) {
    const bool halves = OnALine(algorithms[0]) == LineAlgorithm::kHalving;
    return halves && HalvingSteps::Fits(SizeOf(span)) ? LineAlgorithm::kHalving
                                                      : LineAlgorithm::kRing;
  }
  std::size_t d = 0;
  while ((span >> d & 1) == 0) ++d;
  return algorithms[d];
}

std::uint32_t PhasePlanner::SizeOf(std::uint32_t span) const {
  if (IsListed(span)) return static_cast<std::uint32_t>(LineOf(span).members.size());
  std::uint32_t size = 1;
  for (std::size_t d = 0; span >> d != 0; ++d) {
    if ((span >> d & 1) != 0) size *= shape_.dimensions[d].size;
  }
  return size;
}

std::uint32_t PhasePlanner::IndexOf(NodeId npu, std::uint32_t span) const {
  if (IsListed(span)) return LineOf(span).index.at(npu);
  std::uint32_t rest = npu.value, index = 0, stride = 1;
  for (std::size_t d = 0; span >> d != 0; ++d) {
    const std::uint32_t size = shape_.dimensions[d].size;
    if ((span >> d & 1) != 0) {
      index += rest % size * stride;
      stride *= size;
    }
    rest /= size;
  }
  return index;
}

NodeId PhasePlanner::Along(NodeId npu, const PlannedPhase& phase, std::uint32_t distance,
                           bool clockwise) const {
  const std::uint32_t n = phase.steps.members;
  std::uint32_t to = (IndexOf(npu, phase.span) + (clockwise ? distance : n - distance)) % n;
  if (IsListed(phase.span)) return LineOf(phase.span).members[to];
  std::uint32_t stride = 1, node = npu.value;
  for (std::size_t d = 0; phase.span >> d != 0; ++d) {
    const std::uint32_t size = shape_.dimensions[d].size;
    if ((phase.span >> d & 1) != 0) {
      node += to % size * stride - node / stride % size * stride;
      to /= size;
    }
    stride *= size;
  }
  return NodeId(node);
}

NodeId PhasePlanner::To(NodeId npu, const PlannedPhase& phase, std::uint32_t number,
                        std::uint32_t chunk, bool clockwise) const {
  return Along(npu, phase, phase.steps.DistanceOf(number, PlaceOf(npu, phase, chunk)),
               phase.steps.names_peers() || clockwise);
}

bool PhasePlanner::StaysOnLane(NodeId npu, const PlannedPhase& phase, std::uint32_t number,
                               std::uint32_t chunk) const {
  if (!IsOneDimension(phase.span) || shape_.levels.empty()) return false;
  const Dimension& d = shape_.dimensions[phase.dimension];
  if (d.queues() == d.lanes()) return true;
  return phase.steps.DistanceOf(number, PlaceOf(npu, phase, chunk)) == 1;
}

Time PhasePlanner::ReductionOf(const PlannedPhase& phase, std::uint32_t number) const {
  constexpr int kAccesses = 3;
  const bool next = phase.steps.shape == LineSteps::Shape::kHalving &&
                    options_.halving_sums == PhasedOptions::HalvingSums::kNext;
  if (number + (next ? 1 : 0) >= phase.steps.sums) return Time();
  Time sum = options_.reduction_delay;
  if (options_.memory_bandwidth <= 0) return sum;
  const double ns =
      static_cast<double>(phase.BytesOf(number + (next ? 1 : 0))) / options_.memory_bandwidth;
  const Time access = shape_.whole_ns
                          ? NanoSeconds(static_cast<std::int64_t>(ns))
                          : PicoSeconds(static_cast<std::int64_t>(std::ceil(ns * 1000)));
  return sum + access * kAccesses;
}

bool PhasePlanner::neighbours_only() const {
  if (!lines_.empty()) return false;
  const auto is_far = [this](const Algorithms& algorithms, std::size_t d) {
    const Dimension& dimension = shape_.dimensions[d];
    if (dimension.size == 1) return false;
    if (IsOneLine(algorithms[d]) && shape_.dimensions.size() > 1) return true;
    if (dimension.kind == Dimension::Kind::kSwitch) return true;
    if (dimension.kind != Dimension::Kind::kRing) return false;
    const LineAlgorithm algorithm = OnALine(algorithms[d]);
    return (algorithm != LineAlgorithm::kAuto && algorithm != LineAlgorithm::kRing) ||
           options_.routing == PhasedOptions::Routing::kHardware;
  };
  for (const Algorithms* algorithms :
       {&all_reduce_, &reduce_scatter_, &all_gather_, &all_to_all_}) {
    for (std::size_t d = 0; d < shape_.dimensions.size(); ++d) {
      if (is_far(*algorithms, d)) return false;
    }
  }
  return true;
}

}  // namespace heddle
