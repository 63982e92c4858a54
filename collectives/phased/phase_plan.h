// SPDX-License-Identifier: GPL-2.0-only
/// A collective as phases over the dimensions that its group spans, each of whose members has a
/// line in each of them.
///
/// Source: ASTRA-SIM (ISPASS 2020), section III-D; its code for sizes. D is a chunk, M the size of
/// the group in its first dimension:
///   all-reduce, baseline: an all-reduce of D in each dimension;
///   all-reduce, enhanced: reduce-scatter of D in the first, all-reduce of D / M in the others,
///     all-gather in the first;
///   reduce-scatter: the first dimension first, less in each; all-gather: more in each;
///   all-to-all: D in each dimension.
/// The first dimension comes first, then the others from the last to the second, as in its code
/// (local, vertical, horizontal).
/// ASTRA-sim 2 (phases.order=ascending): from the first dimension to the last, all-gathers from the
/// last to the first; all-reduce, enhanced: reduce-scatters in all but the last, an all-reduce in
/// the last, all-gathers back.
/// oneRing and its like have one phase, on a line of all members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/phased/line_algorithms.h"
#include "collectives/phased/line_steps.h"
#include "collectives/phased/phased_options.h"
#include "core/base/ids.h"
#include "core/traffic/workload.h"
#include "topology/graph/graph.h"

namespace heddle {

/// The dimensions that collectives of a fabric go through: its own, or those that
/// phases.dimensions lays over its GPUs, which are taken for lines behind switches. Throws
/// UserError if the fabric has none, has its own and is given others, or has not as many GPUs.
std::shared_ptr<const ScaleUpShape> PhasedShape(const Graph& graph, const PhasedOptions& options);
/// The same of `text`, such as "2x4x4", over so many GPUs.
std::shared_ptr<const ScaleUpShape> LogicalShape(const std::string& text, std::uint32_t gpus);

struct PlannedPhase {
  std::uint32_t dimension = 0;  ///< whose lanes it uses: the lowest of `span`
  /// Bit d: the line runs through dimension d; or a listed line (PhasePlanner::AddLine).
  std::uint32_t span = 1;
  Operation operation = Operation::kAllReduce;  ///< of the members of a line
  LineSteps steps;
  std::int64_t message = 0;  ///< bytes of each message, or of the largest ones, > 0
  /// Lanes of the dimension that its chunks take in turn: from first_lane on.
  std::uint32_t first_lane = 0, lanes = 1;

  /// Bytes of message `number`.
  std::int64_t BytesOf(std::uint32_t number) const {
    return std::max<std::int64_t>(message >> steps.HalvingsOf(number), 1);
  }
};

struct PhasePlan {
  std::vector<PlannedPhase> phases;  ///< empty: the group has one member
  std::int64_t chunks = 0;

  /// Messages that a group of so many members sends in all.
  std::uint64_t MessagesOf(std::uint32_t ranks) const {
    std::uint64_t sum = 0;
    for (const PlannedPhase& phase : phases)
      sum += ranks / phase.steps.members * phase.steps.MessagesOfLine();
    return sum * static_cast<std::uint64_t>(chunks);
  }
};

/// Makes plans for groups of a fabric with dimensions.
class PhasePlanner {
 public:
  /// Throws UserError for algorithms that do not fit the dimensions. `options` must outlive it.
  PhasePlanner(std::shared_ptr<const ScaleUpShape> shape, const PhasedOptions& options);
  /// Of PhasedShape().
  PhasePlanner(const Graph& graph, const PhasedOptions& options)
      : PhasePlanner(PhasedShape(graph, options), options) {}

  /// A group of any NPUs, which is a ring in their order, as ASTRA-sim 2 has for groups of some
  /// NPUs. Call it before all else that is asked of the group.
  void AddLine(const std::vector<NodeId>& members);

  /// Bit d: the group's members differ in dimension d; of a group that AddLine() was given, what
  /// names it in the functions below. Throws UserError, naming the group, unless they are all NPUs
  /// of these lines.
  std::uint32_t DimensionsOf(const NodeId* members, std::uint32_t ranks,
                             const std::string& who) const;
  /// `bytes`: of the full buffer (core/traffic/workload.h). Throws UserError for an operation that
  /// has no phases.
  PhasePlan Plan(Operation operation, std::int64_t bytes, std::uint32_t dimensions) const;

  const ScaleUpShape& shape() const { return shape_; }
  const PhasedOptions& options() const { return options_; }
  /// The NPU at this distance from `npu` on its line of the phase, clockwise or not.
  NodeId Along(NodeId npu, const PlannedPhase& phase, std::uint32_t distance, bool clockwise) const;
  /// Where an NPU's message `number` of a chunk's phase goes, on a lane clockwise or not.
  NodeId To(NodeId npu, const PlannedPhase& phase, std::uint32_t number, std::uint32_t chunk,
            bool clockwise) const;
  /// An NPU's place on its line of a phase, for a chunk.
  LinePlace PlaceOf(NodeId npu, const PlannedPhase& phase, std::uint32_t chunk) const {
    return {IndexOf(npu, phase.span), chunk};
  }
  bool IsClockwise(const PlannedPhase& phase, std::uint32_t lane) const {
    const Dimension& d = shape_.dimensions[phase.dimension];
    return d.kind != Dimension::Kind::kRing || lane < d.clockwise;
  }
  /// Whether the phase's message goes by its lane; else by the ways that the fabric has for all,
  /// as messages of logical dimensions do.
  bool StaysOnLane(NodeId npu, const PlannedPhase& phase, std::uint32_t number,
                   std::uint32_t chunk) const;
  /// How long the receiver takes to add message `number` to what it has; 0 if it does not.
  Time ReductionOf(const PlannedPhase& phase, std::uint32_t number) const;
  /// Whether all messages of all plans go to neighbours.
  bool neighbours_only() const;

 private:
  using Algorithms = std::vector<LineAlgorithm>;  ///< by dimension
  /// In place of bits of dimensions: with the number of a listed line.
  static constexpr std::uint32_t kListed = 1U << 31;
  struct ListedLine {
    std::vector<NodeId> members;
    std::map<NodeId, std::uint32_t> index;
  };
  static bool IsListed(std::uint32_t span) { return (span & kListed) != 0; }
  /// Whether the span is a single dimension.
  static bool IsOneDimension(std::uint32_t span) {
    return !IsListed(span) && (span & (span - 1)) == 0;
  }

  const Algorithms& AlgorithmsOf(Operation collective) const;
  /// Of a phase along a line. ASTRA-sim 2's listed lines halve where the first dimension does, and
  /// are rings elsewhere.
  LineAlgorithm AlgorithmOf(const Algorithms& algorithms, std::uint32_t span) const;
  const ListedLine& LineOf(std::uint32_t span) const { return lines_[span & ~kListed]; }
  /// The dimensions of a group in their order, without those that one line joins.
  std::vector<std::uint32_t> SpansOf(Operation collective, std::uint32_t dimensions) const;
  /// `held`: bytes of the chunk at a member, of which messages carry its share.
  PlannedPhase PhaseOf(LineAlgorithm algorithm, std::uint32_t span, Operation operation,
                       std::int64_t held) const;
  LineSteps StepsOf(LineAlgorithm algorithm, std::uint32_t span, Operation operation) const;
  std::uint32_t SizeOf(std::uint32_t span) const;
  /// An NPU's number on its line through these dimensions.
  std::uint32_t IndexOf(NodeId npu, std::uint32_t span) const;
  void PlanAllReduce(const std::vector<std::uint32_t>& spans, std::int64_t chunk,
                     PhasePlan* plan) const;
  void CheckHalving(const std::string& option, const Algorithms& algorithms) const;

  std::vector<ListedLine> lines_;
  std::map<std::vector<NodeId>, std::uint32_t> number_of_line_;  ///< by members
  std::shared_ptr<const ScaleUpShape> owned_;
  const ScaleUpShape& shape_;
  const PhasedOptions& options_;
  Algorithms all_reduce_, reduce_scatter_, all_gather_, all_to_all_;
};

}  // namespace heddle
