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

/// Returns the dimensions that collectives of a fabric go through: its own, or those of
/// phases.dimensions, which are laid over its GPUs as lines with a switch. Throws UserError if the
/// fabric has none, has its own and is given others, or has another number of GPUs.
std::shared_ptr<const ScaleUpShape> PhasedShape(const Graph& graph, const PhasedOptions& options);
/// Reads dimensions such as "2x4x4" over `gpus` GPUs. Throws UserError if the text is no list of
/// sizes, or their product is not `gpus`.
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

  /// Returns the size of message `number` [byte], at least 1: halved as often as its level is deep.
  std::int64_t BytesOf(std::uint32_t number) const {
    return std::max<std::int64_t>(message >> steps.HalvingsOf(number), 1);
  }
};

struct PhasePlan {
  std::vector<PlannedPhase> phases;  ///< empty: the group has one member
  std::int64_t chunks = 0;

  /// Counts the messages that a group of so many members sends in all phases of all chunks.
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
  /// Plans for the dimensions of PhasedShape(), and throws as it does.
  PhasePlanner(const Graph& graph, const PhasedOptions& options)
      : PhasePlanner(PhasedShape(graph, options), options) {}

  /// Lists a group of any NPUs, which becomes a ring in their order, as ASTRA-sim 2 has for groups
  /// of some NPUs. Call it before all else that is asked of the group.
  void AddLine(const std::vector<NodeId>& members);

  /// Returns the dimensions of a group: bit d if its members differ in dimension d. A group that
  /// AddLine() was given has a word of its own instead. Throws UserError, which names the group
  /// `who`, unless they are all NPUs of these lines.
  std::uint32_t DimensionsOf(const NodeId* members, std::uint32_t ranks,
                             const std::string& who) const;
  /// Makes the plan of a collective. `bytes`: the full buffer (core/traffic/workload.h);
  /// `dimensions`: of DimensionsOf(), 0: no phases. Throws UserError for an operation that has no
  /// phases.
  PhasePlan Plan(Operation operation, std::int64_t bytes, std::uint32_t dimensions) const;

  const ScaleUpShape& shape() const { return shape_; }  ///< the dimensions
  const PhasedOptions& options() const { return options_; }
  /// Returns the NPU at this distance from `npu` on its line of the phase, clockwise or not.
  NodeId Along(NodeId npu, const PlannedPhase& phase, std::uint32_t distance, bool clockwise) const;
  /// Returns where an NPU's message `number` of a chunk's phase goes, on a lane clockwise or not.
  NodeId To(NodeId npu, const PlannedPhase& phase, std::uint32_t number, std::uint32_t chunk,
            bool clockwise) const;
  /// Returns an NPU's place on its line of a phase, for a chunk.
  LinePlace PlaceOf(NodeId npu, const PlannedPhase& phase, std::uint32_t chunk) const {
    return {IndexOf(npu, phase.span), chunk};
  }
  /// Whether messages go clockwise on this lane; always, unless the dimension is a ring.
  bool IsClockwise(const PlannedPhase& phase, std::uint32_t lane) const {
    const Dimension& d = shape_.dimensions[phase.dimension];
    return d.kind != Dimension::Kind::kRing || lane < d.clockwise;
  }
  /// Whether the phase's message goes by its lane; else it takes the routes that the fabric has for
  /// all, as messages of logical dimensions do.
  bool StaysOnLane(NodeId npu, const PlannedPhase& phase, std::uint32_t number,
                   std::uint32_t chunk) const;
  /// Returns how long the receiver takes to add message `number` to what it has: the fixed delay,
  /// and three accesses of its bytes to memory; 0 if it adds nothing.
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
  /// Whether the span names a line of AddLine().
  static bool IsListed(std::uint32_t span) { return (span & kListed) != 0; }
  /// Whether the span is a single dimension.
  static bool IsOneDimension(std::uint32_t span) {
    return !IsListed(span) && (span & (span - 1)) == 0;
  }

  /// Returns the algorithms that the options name for a collective, by dimension.
  const Algorithms& AlgorithmsOf(Operation collective) const;
  /// Returns the algorithm of a phase along a line. ASTRA-sim 2's listed lines halve where the
  /// first dimension does and their size fits, and are rings elsewhere.
  LineAlgorithm AlgorithmOf(const Algorithms& algorithms, std::uint32_t span) const;
  /// Returns the line of a span for which IsListed() holds.
  const ListedLine& LineOf(std::uint32_t span) const { return lines_[span & ~kListed]; }
  /// Returns the dimensions of a group in their order, as bits; all at once if one line joins them.
  std::vector<std::uint32_t> SpansOf(Operation collective, std::uint32_t dimensions) const;
  /// Plans one phase. `held`: bytes of the chunk at a member, of which messages carry its share.
  PlannedPhase PhaseOf(LineAlgorithm algorithm, std::uint32_t span, Operation operation,
                       std::int64_t held) const;
  /// Returns the steps on a line. Throws UserError if halving does not fit a line of all members.
  LineSteps StepsOf(LineAlgorithm algorithm, std::uint32_t span, Operation operation) const;
  /// Counts the members of a line of the span.
  std::uint32_t SizeOf(std::uint32_t span) const;
  /// Returns an NPU's number on its line through these dimensions.
  std::uint32_t IndexOf(NodeId npu, std::uint32_t span) const;
  /// Appends the phases of an AllReduce of `chunk` bytes; enhanced: ReduceScatters, an AllReduce in
  /// what is left, AllGathers back.
  void PlanAllReduce(const std::vector<std::uint32_t>& spans, std::int64_t chunk,
                     PhasePlan* plan) const;
  /// Throws UserError, which names `option`, if a dimension shall halve that is no power of two.
  void CheckHalving(const std::string& option, const Algorithms& algorithms) const;

  std::vector<ListedLine> lines_;
  std::map<std::vector<NodeId>, std::uint32_t> number_of_line_;  ///< by members
  std::shared_ptr<const ScaleUpShape> owned_;
  const ScaleUpShape& shape_;
  const PhasedOptions& options_;
  Algorithms all_reduce_, reduce_scatter_, all_gather_, all_to_all_;
};

}  // namespace heddle
