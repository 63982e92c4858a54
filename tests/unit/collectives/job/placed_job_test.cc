// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/placed_job.h"

#include <string>
#include <vector>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/closed_form/closed_prices.h"
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

/// Sum of the bytes of a collective's messages.
std::int64_t BytesOf(const PlannedCollective& planned) {
  std::int64_t bytes = 0;
  planned.schedule->ForEach([&](const GroupFlow& flow) { bytes += flow.bytes; });
  return bytes;
}

/// Operations that differ by the sizes of their pairs only share no schedules and no prices.
TEST(PlacedJob, CollectivesWithOtherSizesShareNoSchedule) {
  const Graph graph = ScaleUpFabric({Switched(4)});
  const PairSizes sizes{std::vector<std::int64_t>(16, 100)}, again = sizes;
  PairSizes others = sizes;
  others.bytes[1] = 1'000'000;
  ProgramOp op;
  op.spec = {Operation::kAllToAll, GroupType::kTensor, 65536};
  Job job{"w.txt", {}, ParallelGroups({4, 1, 1}, 4, "w.txt"), {}, {}, {}};
  job.workload.layers.resize(1);
  job.program.ops = {op, op, op, op};
  job.program.ops[1].spec.sizes = &sizes;
  job.program.ops[2].spec.sizes = &others;
  job.program.ops[3].spec.sizes = &again;
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.gpus.push_back(NodeId(rank));
  const CollectiveOptions options;
  PlacedJob placed(0, job, graph, options);
  EXPECT_EQ(BytesOf(placed.Collective(0, 0)), 12 * 65536 / 4);
  EXPECT_EQ(BytesOf(placed.Collective(1, 0)), 12 * 100);
  EXPECT_EQ(BytesOf(placed.Collective(2, 0)), 11 * 100 + 1'000'000);
  EXPECT_EQ(&placed.Collective(1, 0), &placed.Collective(3, 0)) << "equal ones share";
  ClosedPrices prices(graph, options, {});
  const auto price = [&](std::uint32_t operation) {
    const CollectiveSpec& spec = placed.Op(operation).spec;
    CollectiveCall call;
    call.operation = spec.operation;
    call.group_type = spec.group;
    call.bytes = spec.bytes;
    call.sizes = spec.sizes;
    call.members = placed.Shape(spec.group, 0).gpus();
    call.ranks = 4;
    return prices.PriceOf(call);
  };
  EXPECT_LT(price(1), price(0));
  EXPECT_LT(price(0), price(2));
  EXPECT_EQ(price(1), price(3));
}

/// Sizes by pair need direct messages.
TEST(PlacedJob, SizesOfPairsAreRefusedByOtherAlgorithms) {
  const PairSizes sizes{std::vector<std::int64_t>(16, 100)};
  const GroupShape shape(4, 4);
  CollectiveSpec spec{Operation::kAllToAll, GroupType::kExpert, 65536};
  spec.sizes = &sizes;
  const auto refusal = [&](const AlgorithmChoice& choice) {
    return MessageOf([&] { MakeSchedule(spec, choice, shape, {}); });
  };
  EXPECT_EQ(refusal({Algorithm::kDirect, Protocol::kNone, true}),
            "ALLTOALL whose pairs of ranks exchange different bytes, by DIRECT with PXN. Expected: "
            "collective.pxn=false, or experts.routing=even");
  EXPECT_EQ(refusal({Algorithm::kCustom}),
            "ALLTOALL whose pairs of ranks exchange different bytes, by CUSTOM. Expected: "
            "algorithm.alltoall=auto, or experts.routing=even");
  EXPECT_EQ(refusal({Algorithm::kPhases}),
            "ALLTOALL whose pairs of ranks exchange different bytes, by PHASES. Expected: "
            "phases.collectives=off, or experts.routing=even");
}

}  // namespace
}  // namespace heddle
