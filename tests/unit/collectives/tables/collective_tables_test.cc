// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tables/collective_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include "collectives/tables/job_tables.h"
#include "io/export/export_end_to_end.h"
#include "io/export/export_nccl_tests.h"
#include "io/export/export_perfetto.h"
#include "tests/support/simulate_jobs.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using Text = std::vector<std::string>;
using F64 = std::vector<double>;

const Communicator kSerial = Communicator::Serial();

/// Four GPUs from `first` on, two tensor and two data parallel; an AllReduce of 4 kB of TP, a
/// ReduceScatter of 8 kB of DP; 2 passes.
Job MakeJob(const std::string& name, std::uint32_t first) {
  Workload workload;
  workload.name = name + ".txt";
  workload.gradient_accumulation = 3;
  workload.layers.resize(2);
  workload.layers[0].name = "attention";
  workload.layers[1].name = "mlp";
  Program program;
  program.ops.push_back(
      {{Operation::kAllReduce, GroupType::kTensor, 4000}, Phase::kForward, 0, 0, {}});
  program.ops.push_back(
      {{Operation::kReduceScatter, GroupType::kData, 8000}, Phase::kWeightGradient, 1, 2, {}});
  program.passes = 2;
  const ParallelGroups groups({2, 0, 0}, 4, name);
  return {name,
          workload,
          groups,
          program,
          {NodeId(first + 3), NodeId(first + 2), NodeId(first + 1), NodeId(first)},
          MicroSeconds(5),
          Placement::kList};
}

std::vector<Job> Jobs() { return {MakeJob("a", 0), MakeJob("b", 8)}; }

CollectivePlan TreeForGroupOne(std::uint32_t /*job*/, std::uint32_t op, std::uint32_t group) {
  return {{group == 1 ? Algorithm::kTree : Algorithm::kRing,
           op == 0 ? Protocol::kSimple : Protocol::kLl, false},
          MicroSeconds(1)};
}

/// Records as three MPI ranks would have them: the two ranks of group 0 are on different MPI ranks;
/// one rank of group 1 of the second operation is missing.
std::vector<CollectiveRecord> Collectives() {
  return {{0, 0, 0, 1, MicroSeconds(10), MicroSeconds(13)},
          {0, 3, 1, 1, MicroSeconds(40), MicroSeconds(50)},
          {0, 0, 1, 2, MicroSeconds(10), MicroSeconds(12)},
          {1, 0, 0, 2, MicroSeconds(1), MicroSeconds(2)},
          {0, 0, 0, 1, MicroSeconds(9), MicroSeconds(11)},
          {0, 3, 0, 2, MicroSeconds(40), MicroSeconds(44)}};
}

std::vector<FinishRecord> Finishes() {
  std::vector<FinishRecord> all;
  for (std::uint32_t job = 0; job < 2; ++job) {
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      all.push_back({job, rank, NodeId(rank), MicroSeconds(100 + rank)});
  }
  all.back().end = PicoSeconds(-7);  // rank 3 of job 1 did not finish
  return all;
}

TEST(JobTables, AJobEndsWithItsLastGpu) {
  const Table jobs = GatherJobs(kSerial, Jobs(), Finishes());
  EXPECT_EQ(GetColumn<std::int64_t>(jobs, "end_ps"), (I64{103'000'000, -1}));
  EXPECT_EQ(GetColumn<std::string>(jobs, "name"), (Text{"a", "b"}));
  EXPECT_EQ(GetColumn<std::string>(jobs, "workload"), (Text{"a.txt", "b.txt"}));
  EXPECT_EQ(GetColumn<std::uint32_t>(jobs, "dp"), (U32{2, 2}));
  EXPECT_EQ(GetColumn<std::uint32_t>(jobs, "ga"), (U32{3, 3}));
  EXPECT_EQ(GetColumn<std::string>(jobs, "placement"), (Text{"list", "list"}));
  const Table early = GatherJobs(kSerial, Jobs(), {});
  EXPECT_EQ(GetColumn<std::int64_t>(early, "end_ps"), (I64{-1, -1}));
}

TEST(JobTables, RanksAreOnTheirGpus) {
  const Table ranks = GatherRanks(kSerial, Jobs(), Finishes());
  EXPECT_EQ(GetColumn<std::uint32_t>(ranks, "gpu"), (U32{3, 2, 1, 0, 11, 10, 9, 8}));
  EXPECT_EQ(GetColumn<std::int64_t>(ranks, "end_ps")[1], 101'000'000);
  EXPECT_EQ(GetColumn<std::int64_t>(ranks, "end_ps")[7], -1);
}

TEST(JobTables, OperationsAreThoseOfOnePass) {
  const Table operations = OperationTable(Jobs());
  EXPECT_EQ(GetColumn<std::uint32_t>(operations, "operation"), (U32{0, 1, 0, 1}));
  EXPECT_EQ(GetColumn<std::string>(operations, "phase"), (Text{"fwd", "wg", "fwd", "wg"}));
  EXPECT_EQ(GetColumn<double>(operations, "bus_factor"), (F64{1, 0.5, 1, 0.5}))
      << "2(n-1)/n and (n-1)/n with n = 2";
}

TEST(JobTables, TwoRanksTakePartIfOneSendsToAnother) {
  const Job job = MakeJob("a", 0);
  ProgramOp op{{Operation::kSendRecv, GroupType::kTensor, 1}, Phase::kForward, 0, 0, {}};
  op.spec.group = GroupType::kData;
  EXPECT_EQ(RanksOf(job, op), 2u);
  const Job wide{"", {}, ParallelGroups({4, 0, 0}, 4, ""), {}, {}, {}, {}};
  op.spec.group = GroupType::kTensor;
  EXPECT_EQ(RanksOf(wide, op), 4u);
  op.spec.peer = 1;
  EXPECT_EQ(RanksOf(wide, op), 2u);
}

TEST(CollectiveTables, RecordsOfOneCollectiveAreJoined) {
  const Table table = GatherCollectives(kSerial, Jobs(), Collectives(), TreeForGroupOne);
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "job"), (U32{0, 0, 0, 0, 1}));
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "operation"), (U32{0, 0, 3, 3, 0}));
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "group"), (U32{0, 1, 0, 1, 0}));
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "pass"), (U32{0, 0, 1, 1, 0}));
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "micro_batch"), (U32{0, 0, 2, 2, 0}));
  EXPECT_EQ(GetColumn<std::string>(table, "layer_name"),
            (Text{"attention", "attention", "mlp", "mlp", "attention"}));
  EXPECT_EQ(GetColumn<std::string>(table, "algorithm"),
            (Text{"RING", "TREE", "RING", "TREE", "RING"}));
  EXPECT_EQ(GetColumn<std::string>(table, "protocol"),
            (Text{"SIMPLE", "SIMPLE", "LL", "LL", "SIMPLE"}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "root"), (I64{-1, -1, -1, -1, -1}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "start_ps")[0], 9'000'000) << "the earlier of two";
  EXPECT_EQ(GetColumn<std::int64_t>(table, "end_ps"),
            (I64{13'000'000, 12'000'000, 44'000'000, -1, 2'000'000}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps"),
            (I64{4'000'000, 2'000'000, 4'000'000, -1, 1'000'000}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "wait_ps"), (I64{0, 0, 0, 0, 0}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "peer"), (I64{-1, -1, -1, -1, -1}));
}

/// Three messages of 1 MB from rank 0 to 1 of a group, each as two MPI ranks recorded it: the
/// receiver waits from 10 us on, the sender sends from 40 to 45 us; the sender sends first, and its
/// message lies there from 25 us until the receiver asks for it at 90; one that has not arrived.
TEST(CollectiveTables, AMessageBetweenTwoTakesItsTransfer) {
  Job job = MakeJob("a", 0);
  ProgramOp op{{Operation::kSendRecv, GroupType::kTensor, 1'000'000}, Phase::kForward, 0, 0, {}};
  op.spec.root = 0;
  op.spec.peer = 1;
  job.program.ops.assign(3, op);
  job.program.passes = 1;
  const auto record = [](std::uint32_t operation, int start, int end) {
    return CollectiveRecord{0, operation, 0, 1, MicroSeconds(start), MicroSeconds(end)};
  };
  std::vector<CollectiveRecord> records = {record(0, 10, 45), record(0, 40, 45), record(1, 20, 25),
                                           record(1, 90, 90), record(2, 50, 0)};
  records[0].arrived = MicroSeconds(45);
  records[1].sent = MicroSeconds(40);
  records[2].sent = MicroSeconds(20);
  records[3].arrived = MicroSeconds(25);
  const Table table = GatherCollectives(kSerial, {job}, records, TreeForGroupOne);
  EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps"), (I64{5'000'000, 5'000'000, -1}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "wait_ps"), (I64{30'000'000, 0, 0}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "peer"), (I64{1, 1, 1}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "start_ps")[0], 10'000'000);
  EXPECT_EQ(GetColumn<std::int64_t>(table, "end_ps")[1], 90'000'000);
  EXPECT_DOUBLE_EQ(GetColumn<double>(table, "algbw")[0], 2e11);
}

TEST(CollectiveTables, BandwidthsAreNcclTests) {
  const Table table = GatherCollectives(kSerial, Jobs(), Collectives(), TreeForGroupOne);
  // 4000 bytes in 4 us; 8000 in 4 us, of which a ReduceScatter of two ranks moves half; the fourth
  // is unfinished.
  const auto& algbw = GetColumn<double>(table, "algbw");
  const auto& busbw = GetColumn<double>(table, "busbw");
  EXPECT_DOUBLE_EQ(algbw[0], 1e9);
  EXPECT_DOUBLE_EQ(busbw[0], 1e9);
  EXPECT_DOUBLE_EQ(algbw[2], 2e9);
  EXPECT_DOUBLE_EQ(busbw[2], 1e9);
  EXPECT_EQ(algbw[3], 0);
  EXPECT_EQ(busbw[3], 0);
}

/// Layer records of all ranks of both jobs, and steps, some of which begin and end together.
std::vector<LayerRecord> Layers() {
  std::vector<LayerRecord> all;
  for (std::uint32_t i = 0; i < 16; ++i) {
    LayerRecord record{i / 8, i / 2 % 4, NodeId(i / 2), i % 2, {}, {}, {}, {}, {}};
    for (int p = 0; p < kPhases; ++p) {
      record.compute[p] = PicoSeconds(100 * i + p);
      record.exposed[p] = PicoSeconds(100 * i + 10 + p);
      record.total[p] = PicoSeconds(100 * i + 20 + p);
    }
    record.tail = PicoSeconds(100 * i + 30);
    record.pipeline = PicoSeconds(100 * i + 40);
    all.push_back(record);
  }
  return all;
}

std::vector<StepRecord> Steps() {
  using Kind = StepRecord::Kind;
  std::vector<StepRecord> all;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    all.push_back({0, NodeId(gpu), 0, 0, 0, Phase::kForward, Kind::kCompute, {}, MicroSeconds(5)});
    all.push_back(
        {0, NodeId(gpu), 0, 0, 0, Phase::kForward, Kind::kCommunicate, {}, MicroSeconds(5)});
    all.push_back(
        {0, NodeId(gpu), 1, 1, 3, Phase::kWeightGradient, Kind::kCommunicate, {}, MicroSeconds(5)});
    all.push_back({0, NodeId(gpu), 0, 0, 0, Phase::kForward, Kind::kCompute, {}, MicroSeconds(4)});
  }
  return all;
}

TEST(CollectiveTables, LayersHaveTheirTimesByPhase) {
  const Table table = GatherLayers(kSerial, Jobs(), Layers());
  const auto row = [&](const char* name) { return GetColumn<std::int64_t>(table, name)[11]; };
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "job")[11], 1u);
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "rank")[11], 1u);
  EXPECT_EQ(GetColumn<std::string>(table, "name")[11], "mlp");
  EXPECT_EQ(row("fwd_compute_ps"), 1100);
  EXPECT_EQ(row("ig_exposed_ps"), 1111);
  EXPECT_EQ(row("wg_total_ps"), 1122);
  EXPECT_EQ(row("wg_tail_ps"), 1130);
  EXPECT_EQ(row("pp_exposed_ps"), 1140);
}

TEST(CollectiveTables, StepsNameTheGroupOfTheirGpu) {
  const Table table = GatherSteps(kSerial, Jobs(), Steps());
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "gpu"),
            (U32{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  const auto& kind = GetColumn<std::string>(table, "kind");
  EXPECT_EQ(Text(kind.begin(), kind.begin() + 4),
            (Text{"compute", "compute", "communicate", "communicate"}));
  EXPECT_EQ(GetColumn<std::int64_t>(table, "end_ps")[0], 4'000'000);
  const auto& operation = GetColumn<std::int64_t>(table, "operation");
  EXPECT_EQ(I64(operation.begin(), operation.begin() + 4), (I64{-1, -1, 0, 3}));
  // GPU 0 is rank 3: TP group 1 (ranks 2 and 3), DP group 1 (ranks 1 and 3). GPU 3 is rank 0; GPU 2
  // rank 1: TP 0, DP 1.
  const auto& group = GetColumn<std::int64_t>(table, "group");
  EXPECT_EQ(I64(group.begin(), group.begin() + 4), (I64{-1, -1, 1, 1}));
  EXPECT_EQ(I64(group.begin() + 8, group.begin() + 12), (I64{-1, -1, 0, 1}));
  EXPECT_EQ(I64(group.begin() + 12, group.end()), (I64{-1, -1, 0, 0}));
}

TEST(CollectiveTables, TheOrderOfRecordsDoesNotCount) {
  // Ranks contribute their records one after the other, so any number of ranks is some order of
  // records.
  const auto digests = [](const auto& collectives, const auto& layers, const auto& steps,
                          const auto& finishes) {
    return std::vector<std::uint64_t>{
        Digest(GatherCollectives(kSerial, Jobs(), collectives, TreeForGroupOne)),
        Digest(GatherLayers(kSerial, Jobs(), layers)), Digest(GatherSteps(kSerial, Jobs(), steps)),
        Digest(GatherJobs(kSerial, Jobs(), finishes)),
        Digest(GatherRanks(kSerial, Jobs(), finishes))};
  };
  auto collectives = Collectives();
  auto layers = Layers();
  auto steps = Steps();
  auto finishes = Finishes();
  const auto expected = digests(collectives, layers, steps, finishes);
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(collectives.begin(), collectives.end(), random);
    std::shuffle(layers.begin(), layers.end(), random);
    std::shuffle(steps.begin(), steps.end(), random);
    std::shuffle(finishes.begin(), finishes.end(), random);
    EXPECT_EQ(digests(collectives, layers, steps, finishes), expected);
  }
}

TEST(CollectiveTables, ExportsFindTheirColumns) {
  const std::vector<Job> jobs = Jobs();
  const Table ranks = GatherRanks(kSerial, jobs, Finishes());
  const Table layers = GatherLayers(kSerial, jobs, Layers());
  const Table collectives = GatherCollectives(kSerial, jobs, Collectives(), TreeForGroupOne);
  const Table shape{"topology/shape", "", {{"gpus", "1", "", U32{12}}}};
  std::ostringstream report, bandwidths, trace;
  ExportEndToEnd(
      {GatherJobs(kSerial, jobs, Finishes()), ranks, OperationTable(jobs), layers, collectives},
      {{}, 10}, report);
  // GPU 10 is rank 1 of job b, which ended at 101 us and began at 5.
  EXPECT_NE(report.str().find("\nmlp,b,"), std::string::npos) << report.str();
  EXPECT_NE(report.str().find("total time,96.000000\n"), std::string::npos) << report.str();
  EXPECT_EQ(ExportNcclTests(collectives, bandwidths), 1u);
  EXPECT_NE(bandwidths.str().find("# REDUCESCATTER DP, 2 ranks\n        8000 "), std::string::npos)
      << bandwidths.str();
  ExportPerfetto({shape,
                  GatherJobs(kSerial, jobs, {}),
                  ranks,
                  layers,
                  collectives,
                  GatherSteps(kSerial, jobs, Steps()),
                  {}},
                 trace);
  EXPECT_NE(trace.str().find("\"ALLREDUCE TP\""), std::string::npos);
}

TEST(CollectiveTables, NothingIsEmptyTables) {
  EXPECT_TRUE(
      GetColumn<double>(GatherCollectives(kSerial, {}, {}, TreeForGroupOne), "busbw").empty());
  EXPECT_TRUE(GetColumn<std::string>(GatherLayers(kSerial, {}, {}), "name").empty());
  EXPECT_TRUE(GetColumn<std::int64_t>(GatherSteps(kSerial, {}, {}), "end_ps").empty());
  EXPECT_TRUE(GetColumn<double>(OperationTable({}), "bus_factor").empty());
}

}  // namespace
}  // namespace heddle
