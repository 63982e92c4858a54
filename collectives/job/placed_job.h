// SPDX-License-Identifier: GPL-2.0-only
/// A job on its GPUs: the groups where they are, and the schedules of their collectives, made when
/// they are first needed.
#ifndef HEDDLE_COLLECTIVES_JOB_PLACED_JOB_H_
#define HEDDLE_COLLECTIVES_JOB_PLACED_JOB_H_

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

/// How one group does one of its collectives.
struct PlannedCollective {
  CollectiveSpec spec;
  AlgorithmChoice choice;
  std::unique_ptr<Schedule> schedule;  ///< null: nothing to send
};

/// Not copied, not moved: schedules point into it. One an MPI rank and job.
class PlacedJob {
 public:
  /// `job`, `graph` and `options` must outlive it.
  PlacedJob(std::uint32_t index, const Job& job, const Graph& graph,
            const CollectiveOptions& options);

  std::uint32_t index() const { return index_; }
  const Job& job() const { return job_; }
  /// Operation numbers (program.h) below this.
  std::uint32_t operations() const {
    return static_cast<std::uint32_t>(job_.program.ops.size()) * job_.program.passes;
  }
  const ProgramOp& Op(std::uint32_t operation) const {
    return job_.program.ops[operation % job_.program.ops.size()];
  }
  std::uint32_t PassOf(std::uint32_t operation) const {
    return operation / static_cast<std::uint32_t>(job_.program.ops.size());
  }

  /// Whether there is such an operation, and its type of group has such a group with such a
  /// participant.
  bool Has(std::uint32_t operation, std::uint32_t group, Participant participant);

  /// "pass 0, layer 3 'mlp', fwd ALLREDUCE of TP".
  std::string NameOf(std::uint32_t operation) const;

  const GroupShape& Shape(GroupType type, std::uint32_t group);
  /// The collective of an operation in a group. Throws UserError if the algorithm asked for cannot
  /// do it.
  const PlannedCollective& Collective(std::uint32_t operation, std::uint32_t group);
  /// What lies between the ends of a message.
  static PathKind PathOf(const GroupShape& shape, const GroupFlow& flow);
  /// Messages of all groups' collectives in all passes. Throws UserError, naming the layer, for a
  /// collective with a message larger than a flow can be.
  std::uint64_t CountFlows();
  std::size_t memory() const;

  /// Messages between two nodes of one size on the wire.
  struct Traffic {
    NodeId source, destination;
    std::int64_t bytes = 0;
    std::uint64_t count = 0;
  };
  /// All messages of all passes, in bundles (Schedule::ForEachBundle), without making any.
  void ForEachTraffic(const std::function<void(const Traffic&)>& visit);
  /// About how many messages of the job are under way at once, at most: for each type of group what
  /// the collective that sends most at its beginning sends then.
  std::uint64_t CountOpenMessages();

 private:
  /// The different collectives of one type of group: an operation of each, and how many operations
  /// of a pass are like it.
  struct SpecUse {
    std::uint32_t operation = 0;
    std::uint64_t uses = 0;
  };
  std::vector<SpecUse> SpecsOf(GroupType type) const;
  std::uint64_t CountFirstMessages(std::uint32_t operation);

  void CheckSizes(const PlannedCollective& planned, const GroupShape& shape,
                  std::uint32_t op) const;

  struct Group {
    std::unique_ptr<GroupShape> shape;
    std::vector<std::unique_ptr<PlannedCollective>>
        collectives;  ///< by place among the specs of its type
  };

  std::uint32_t index_;
  const Job& job_;
  const Graph& graph_;
  const CollectiveOptions& options_;
  std::vector<std::uint32_t>
      spec_of_op_;  ///< place among the different specs of the op's group type
  std::vector<Group> groups_[kGroupTypes];
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_JOB_PLACED_JOB_H_
