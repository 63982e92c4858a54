// SPDX-License-Identifier: GPL-2.0-only
/// GPUs that stand for their pipeline stages leave the records that all GPUs leave.
#include "collectives/tables/stand_ins.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/closed_form/closed_prices.h"
#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/job/stages_in_step.h"
#include "collectives/tables/collective_tables.h"
#include "collectives/tables/job_tables.h"
#include "io/table/table_rows.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kStoodForGpus = 64;

Graph FabricOf(const char* family) {
  LeafSpineOptions shape;
  shape.gpus = kStoodForGpus;
  shape.gpu_type = "H100";
  return Generate(family, shape);
}

/// A step in which every type of group has an operation; each GPU computes and waits.
Job StepOf(const Graph& graph, const std::string& sizes, std::vector<NodeId> gpus = {},
           std::uint32_t passes = 1) {
  const std::string layers =
      "embedding_layer -1 1000 ALLREDUCE 200000 500 NONE 0 700 ALLREDUCE 400000 10\n"
      "attention -1 30000 ALLGATHER 300000 40000 REDUCESCATTER 300000 5000 ALLREDUCE 8000000 1\n"
      "mlp -1 30000 ALLTOALL_EP 300000 40000 ALLTOALL_EP 300000 5000 ALLREDUCE_DP_EP 9000000 7\n";
  return MakeJob(graph,
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD " + sizes +
                     "\n8\ngrad_gather -1 1 NONE 0 1 NONE 0 1 ALLGATHER 100000 1\n" + layers +
                     layers + "optimizer1 -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n",
                 std::move(gpus), {}, passes);
}

std::vector<CollectivePart> SortedParts(const std::vector<Job>& jobs,
                                        std::vector<CollectiveRecord> records) {
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
    return std::tie(a.job, a.operation, a.group) < std::tie(b.job, b.operation, b.group);
  });
  return PartsOf(jobs, records,
                 [](std::uint32_t, std::uint32_t, std::uint32_t) { return CollectivePlan(); });
}

/// All blocks of the table, as one.
Table AllLayers(const ExecutionContext& found, const std::vector<Job>& jobs) {
  const std::vector<LayerRecord> sorted = GatherSortedLayers(Communicator::Serial(), found.layers);
  LayerBlocks blocks(found, jobs, sorted);
  Table all = LayerTable(jobs, {});
  while (CheckedRows(all) < blocks.rows()) {
    const Table block = blocks.Next();
    AppendRows(block, 0, CheckedRows(block), &all);
  }
  EXPECT_EQ(CheckedRows(blocks.Next()), 0U);
  return all;
}

/// What a run records, as tables; and how many GPUs ran.
struct Recorded {
  std::vector<Table> tables;
  std::uint32_t ran = 0;
};

Recorded RecordsOf(const Graph& graph, const std::vector<Job>& jobs, bool stand_ins) {
  const CollectiveOptions options;
  ClosedPrices prices(graph, options, WireFigures());
  FlowCoordinator coordinator(graph, jobs, options, /*timeline=*/true, {}, stand_ins);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  FixedTime fixed(graph, domains, Time{1});
  BackendInput input = fixed.Input();
  input.prices = &prices;
  AnalyticalBackend backend(input);
  backend.Drive(&coordinator);
  EngineSetup setup;
  setup.on_cut = [](const Cut&) {};
  backend.Run(EngineKind::kDomain, Communicator::Serial(), setup);
  ns3::Simulator::Destroy();
  const ExecutionContext& found = coordinator.context();
  const Communicator& world = Communicator::Serial();
  const std::vector<FinishRecord> finishes = OfAllRanks(found, found.finishes);
  EXPECT_EQ(coordinator.finished(), coordinator.gpus());
  return {{GatherJobs(world, jobs, finishes), GatherRanks(world, jobs, finishes),
           AllLayers(found, jobs), GatherSteps(world, jobs, OfAllRanks(found, found.steps)),
           CollectivePartTable(SortedParts(jobs, OfAllGroups(found, found.collectives)))},
          coordinator.gpus()};
}

void ExpectSameRecords(const Graph& graph, const std::vector<Job>& jobs, std::uint32_t run) {
  const Recorded all = RecordsOf(graph, jobs, false), few = RecordsOf(graph, jobs, true);
  EXPECT_EQ(few.ran, run);
  for (std::size_t i = 0; i < all.tables.size(); ++i) {
    SCOPED_TRACE(all.tables[i].name);
    ASSERT_GT(CheckedRows(all.tables[i]), 0U);
    ASSERT_EQ(all.tables[i].columns.size(), few.tables[i].columns.size());
    for (std::size_t c = 0; c < all.tables[i].columns.size(); ++c)
      EXPECT_TRUE(all.tables[i].columns[c].data == few.tables[i].columns[c].data)
          << all.tables[i].columns[c].name;
  }
}

std::string Sizes(int tensor, int expert, int stages, int batches) {
  return fmt::format(
      "model_parallel_NPU_group: {} ep: {} pp: {} vpp: 1 ga: {} all_gpus: {} checkpoints: 0 "
      "checkpoint_initiates: 0 pp_comm: 500000",
      tensor, expert, stages, batches, kStoodForGpus);
}

TEST(StandIns, LeaveTheRecordsOfAllGpus) {
  for (const char* family : {"Spectrum-X", "AlibabaHPN-DualPlane", "DCN-SingleToR"}) {
    SCOPED_TRACE(family);
    const Graph graph = FabricOf(family);
    ExpectSameRecords(graph, {StepOf(graph, Sizes(8, 1, 1, 2))}, 1);
    ExpectSameRecords(graph, {StepOf(graph, Sizes(8, 2, 2, 2), {}, 2)}, 2);
    ExpectSameRecords(graph, {StepOf(graph, Sizes(2, 4, 4, 2))}, 4);
  }
}

TEST(StandIns, JobsAreJudgedOneByOne) {
  const Graph graph = FabricOf("Spectrum-X");
  std::vector<NodeId> packed, mixed;
  for (std::uint32_t gpu = 0; gpu < kStoodForGpus / 2; ++gpu) packed.emplace_back(gpu);
  for (std::uint32_t gpu = kStoodForGpus / 2; gpu < kStoodForGpus; ++gpu) mixed.emplace_back(gpu);
  std::swap(mixed.front(), mixed.back());
  const std::string sizes =
      "model_parallel_NPU_group: 8 ep: 2 pp: 2 vpp: 1 ga: 2 all_gpus: 32 checkpoints: 0 "
      "checkpoint_initiates: 0 pp_comm: 500000";
  ExpectSameRecords(graph, {StepOf(graph, sizes, packed), StepOf(graph, sizes, mixed)}, 2 + 32);
}

/// One slow cable: its groups are unlike others, and all GPUs run.
TEST(StandIns, StandForNobodyUnlikeThem) {
  const Graph even = FabricOf("Spectrum-X");
  EXPECT_TRUE(StagesInStep(StepOf(even, Sizes(2, 1, 1, 2)), even));
  Graph slow(even.gpu_count(), even.nvswitch_count(), even.switch_count(), even.gpus_per_server(),
             even.gpu_type());
  bool changed = false;
  for (Link link : even.links()) {
    if (!changed && even.is_gpu(link.a) && even.kind(link.b) == NodeKind::kSwitch) {
      link.rate.bps /= 2;
      changed = true;
    }
    slow.AddLink(link);
  }
  ASSERT_TRUE(changed);
  ExpectSameRecords(slow, {StepOf(slow, Sizes(2, 1, 1, 2))}, kStoodForGpus);
}

}  // namespace
}  // namespace heddle::testing
