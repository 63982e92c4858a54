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
std::string Refusal(const Graph& graph, const std::string& algorithm, const std::string& form) {
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
  const Graph graph = ScaleUpFabric({Switched(8)});
  const std::string reason = "ALLREDUCE of a TP group of 8 GPUs by ";
  const std::string rest = ": switches of a scale-up dimension do not add. Expected: ring";
  EXPECT_EQ(Refusal(graph, "nvls", "simai"), reason + "NVLS" + rest);
  EXPECT_EQ(Refusal(graph, "nvls", "multimem"), reason + "NVLS_MULTIMEM" + rest);
  EXPECT_EQ(Refusal(graph, "ring", "simai"), "");
  EXPECT_EQ(Refusal(ScaleUpFabric({Loop(4, 2), Switched(2)}), "ring", "simai"), "");
}

}  // namespace
}  // namespace heddle
