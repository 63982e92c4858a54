// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/placed_job.h"

#include <string>
#include <vector>

#include "tests/support/scale_up_fabric.h"
#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

using testing::Loop;
using testing::ScaleUpFabric;
using testing::Switched;

/// Why an AllReduce of all GPUs by an algorithm is refused; empty: it is planned.
std::string Refusal(const Graph& graph, const std::string& algorithm,
                    CollectiveOptions::NvlsForm form) {
  CollectiveOptions options;
  options.allreduce = algorithm;
  options.nvls_form = form;
  ProgramOp op;
  op.spec = {Operation::kAllReduce, GroupType::kTensor, 65536};
  const std::uint32_t gpus = graph.gpu_count();
  Job job{"w.txt", {}, ParallelGroups({gpus, 1, 1}, gpus, "w.txt"), {}, {}, {}};
  job.workload.layers.resize(1);
  job.program.ops = {op};
  for (std::uint32_t rank = 0; rank < gpus; ++rank) job.gpus.push_back(NodeId(rank));
  PlacedJob placed(0, job, graph, options);
  try {
    placed.Collective(0, 0);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

/// Switches of a scale-up dimension pass packets on, and flows do not end at them.
TEST(PlacedJob, SwitchesOfScaleUpDimensionsDoNotAdd) {
  using Form = CollectiveOptions::NvlsForm;
  const Graph graph = ScaleUpFabric({Switched(8)});
  const std::string reason = "ALLREDUCE of a TP group of 8 GPUs by ";
  const std::string rest = ": switches of a scale-up dimension do not add. Expected: ring";
  EXPECT_EQ(Refusal(graph, "nvls", Form::kSimai), reason + "NVLS" + rest);
  EXPECT_EQ(Refusal(graph, "nvls", Form::kMultimem), reason + "NVLS_MULTIMEM" + rest);
  EXPECT_EQ(Refusal(graph, "ring", Form::kSimai), "");
  EXPECT_EQ(Refusal(ScaleUpFabric({Loop(4, 2), Switched(2)}), "ring", Form::kSimai), "");
}

/// The second operation differs by the sizes of its pairs only, and no algorithm has these yet: it
/// must not get the schedule of the first.
TEST(PlacedJob, CollectivesWithOtherSizesShareNoSchedule) {
  const Graph graph = ScaleUpFabric({Switched(4)});
  const PairSizes sizes{std::vector<std::int64_t>(16, 100)};
  ProgramOp op;
  op.spec = {Operation::kAllToAll, GroupType::kTensor, 65536};
  Job job{"w.txt", {}, ParallelGroups({4, 1, 1}, 4, "w.txt"), {}, {}, {}};
  job.workload.layers.resize(1);
  job.program.ops = {op, op};
  job.program.ops[1].spec.sizes = &sizes;
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.gpus.push_back(NodeId(rank));
  const CollectiveOptions options;
  PlacedJob placed(0, job, graph, options);
  EXPECT_NE(placed.Collective(0, 0).schedule, nullptr);
  EXPECT_THROW(placed.Collective(1, 0), UserError);
}

}  // namespace
}  // namespace heddle
