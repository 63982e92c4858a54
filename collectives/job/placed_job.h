// SPDX-License-Identifier: GPL-2.0-only
/// A job placed on its GPUs: its groups and the schedules of their collectives, which are made on
/// first use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/choice/issue_delay.h"
#include "collectives/choice/nccl_latency.h"
#include "collectives/job/job.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"
#include "topology/graph/graph.h"

namespace heddle {

/// A collective of one group, with its algorithm and schedule.
struct PlannedCollective {
  CollectiveSpec spec;
  AlgorithmChoice choice;             ///< Algorithm::kPhases if the options ask for phases
  const GroupShape* shape = nullptr;  ///< shape of the group, owned by the job
  /// Null: nothing to send, or in phases, whose messages the scheduler of chunks decides on.
  std::unique_ptr<Schedule> schedule;

  /// Whether the scheduler of chunks carries it, so that it has no schedule.
  bool in_phases() const { return choice.algorithm == Algorithm::kPhases; }
  /// Whether its ranks send anything.
  bool sends() const { return schedule != nullptr || in_phases(); }
};

/// Neither copied nor moved, as schedules point into it. There is one for each MPI rank and job.
class PlacedJob {
 public:
  /// `job`, `graph`, `options` and `ground` must outlive it. `ground`: what its groups' trees are
  /// laid over; null: the whole graph, and all groups have trees.
  PlacedJob(std::uint32_t index, const Job& job, const Graph& graph,
            const CollectiveOptions& options, TreeGround* ground = nullptr);

  /// Lets the first rank of each pipeline stage stand for the stage (stages_in_step.h). Call it
  /// before all else.
  void StandForStages() { in_step_ = true; }
  bool in_step() const { return in_step_; }  ///< after StandForStages()
  /// Makes the groups that ask for trees, in the order in which the program reaches them, so that
  /// all ranks give the same groups streams. Call it before all else.
  void LayTrees();
  /// Describes which types of groups have trees, and why others have none: "trees for 8 of 8 DP
  /// groups over several servers". Empty if none asks for trees. Call it after LayTrees().
  std::string DescribeTrees() const;

  std::uint32_t index() const { return index_; }  ///< number of the job
  const Job& job() const { return job_; }         ///< the caller's
  /// Upper bound of operation numbers (program.h).
  std::uint32_t operations() const {
    return static_cast<std::uint32_t>(job_.program.ops.size()) * job_.program.passes;
  }
  /// Returns the operation as one pass has it.
  const ProgramOp& Op(std::uint32_t operation) const {
    return job_.program.ops[operation % job_.program.ops.size()];
  }
  /// Returns the pass to which an operation's number belongs.
  std::uint32_t PassOf(std::uint32_t operation) const {
    return operation / static_cast<std::uint32_t>(job_.program.ops.size());
  }

  /// Returns the group in which a rank of the job does an operation.
  std::uint32_t GroupOf(std::uint32_t operation, std::uint32_t rank) const {
    return job_.all_groups().GroupOf(Op(operation), rank);
  }
  /// Returns the rank's place in that group; GroupShape::kNone if it is not in it.
  std::uint32_t RankIn(std::uint32_t operation, std::uint32_t rank) const;
  /// Returns the groups that do an operation: all of its type, or one listed group.
  JobGroups::Range GroupsOf(std::uint32_t operation) const {
    return job_.all_groups().GroupsOf(Op(operation));
  }
  /// Returns the group that stands for one that does an operation: itself, unless in step.
  std::uint32_t StandInFor(std::uint32_t operation, std::uint32_t group) const;

  /// Returns when the operation begins at the earliest (CollectiveOptions::window).
  Time WindowOf(std::uint32_t operation) const;

  /// Whether the operation exists and its type of group has this group with this participant.
  bool Has(std::uint32_t operation, std::uint32_t group, Participant participant);

  /// Describes an operation: "pass 0, layer 3 'mlp', fwd ALLREDUCE of TP".
  std::string NameOf(std::uint32_t operation) const;

  /// Returns where a group's ranks are, made at its first use. Valid as long as the job.
  const GroupShape& Shape(GroupType type, std::uint32_t group);
  /// Returns the collective of an operation in a group, made at its first use. Throws UserError if
  /// the requested algorithm cannot serve the group.
  const PlannedCollective& Collective(std::uint32_t operation, std::uint32_t group);
  /// Returns the kind of link between the ends of a message.
  static PathKind PathOf(const GroupShape& shape, const GroupFlow& flow);
  /// Counts the messages of all groups' collectives in all passes. Throws UserError, naming the
  /// layer, if a message exceeds the largest flow.
  std::uint64_t CountFlows();
  std::size_t memory() const;  ///< with groups and schedules made so far [byte]

  /// Messages of equal size on the wire between two nodes.
  struct Traffic {
    NodeId source, destination;
    std::int64_t bytes = 0;
    std::uint64_t count = 0;
  };
  /// Visits all messages of all passes in bundles (Schedule::ForEachBundle), without creating them.
  void ForEachTraffic(const std::function<void(const Traffic&)>& visit);
  /// Estimates the most messages of the job that are in flight at once: for each type of group,
  /// those at the start of the collective that starts with the most.
  std::uint64_t CountOpenMessages();

 private:
  /// A group, and the number of those for which it stands.
  struct GroupUse {
    std::uint32_t group = 0;
    std::uint64_t uses = 1;
  };
  /// Lists the groups that do an operation, of groups in step one for all.
  std::vector<GroupUse> UsesOf(std::uint32_t operation) const;

  /// The distinct collectives of one type of group, or of one listed group: one operation of each,
  /// and how many operations of a pass equal it.
  struct SpecUse {
    std::uint32_t operation = 0;
    std::uint64_t uses = 0;
  };
  /// Lists the distinct collectives of groups of this type.
  std::vector<SpecUse> SpecsOf(GroupType type) const;
  /// Counts the messages that all groups may send as soon as they begin the operation.
  std::uint64_t CountFirstMessages(std::uint32_t operation);

  /// Returns what a group asks for: trees over ground_ if an operation of its type may use them.
  GroupShape::TreeRequest TreesOf(GroupType type, std::uint32_t number) const;

  /// Throws UserError that names file and layer if a message of the collective would exceed
  /// kMaxFlowBytes.
  void CheckSizes(const PlannedCollective& planned, const GroupShape& shape,
                  std::uint32_t op) const;

  struct Group {
    std::unique_ptr<GroupShape> shape;
    /// By index among the distinct specs of its type; of a listed group, of its own.
    std::vector<std::unique_ptr<PlannedCollective>> collectives;
  };

  std::uint32_t index_;
  const Job& job_;
  const Graph& graph_;
  const CollectiveOptions& options_;
  TreeGround* ground_;
  bool in_step_ = false;
  std::vector<GroupType> tree_types_;  ///< those that ask for trees, in the program's order
  /// Index among the distinct specs of the op's group type, or of its listed group.
  std::vector<std::uint32_t> spec_of_op_;
  std::vector<Group> groups_[kGroupTypes + 1];  ///< by type, kListed included
  /// How often operations up to one differ from the one before them; and up to the last.
  std::vector<std::uint32_t> window_of_op_;
  std::uint32_t windows_ = 0;
};

}  // namespace heddle
