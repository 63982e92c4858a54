// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/algorithm_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/choice/algorithm_list.h"
#include "collectives/choice/nccl_latency.h"
#include "collectives/custom/custom_library.h"
#include "core/base/check.h"
#include "tests/support/programs/custom_programs.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

constexpr Operation kOperations[] = {
    Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter, Operation::kAllToAll,
    Operation::kBroadcast, Operation::kReduce,    Operation::kSendRecv};

TEST(AlgorithmTable, ARowForEachNumberAndNoneBeyond) {
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    EXPECT_EQ(RowOf(algorithm).algorithm, algorithm);
    EXPECT_EQ(&RowOf(algorithm), &AlgorithmRows()[i]);
  }
  const auto beyond = static_cast<Algorithm>(kAlgorithms);
  EXPECT_EQ(beyond, Algorithm::kPhases) << "no choice of NCCL's";
  EXPECT_EQ(ToText(static_cast<Algorithm>(kAlgorithms + 1)), nullptr);
  EXPECT_THROW(RowOf(beyond), InvariantError);
  EXPECT_THROW(BaseLatency(beyond, Protocol::kLl), InvariantError);
  EXPECT_THROW(HardwareLatency(PathKind::kNet, beyond, Protocol::kLl), InvariantError);
}

TEST(AlgorithmTable, AWordIsTheNameInLowerCase) {
  for (const AlgorithmRow& row : AlgorithmRows()) {
    if (row.word == nullptr) continue;
    std::string name = ToText(row.algorithm);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    EXPECT_EQ(row.word, name);
  }
}

TEST(AlgorithmTable, EveryOperationHasAnAlgorithmThatItComesToByItself) {
  for (const Operation operation : kOperations) {
    EXPECT_TRUE(std::any_of(
        AlgorithmRows().begin(), AlgorithmRows().end(),
        [&](const AlgorithmRow& row) { return row.Does(operation) && IsAutomatic(row.algorithm); }))
        << ToText(operation);
  }
  EXPECT_FALSE(RowOf(Algorithm::kTree).Does(Operation::kAllGather));
  EXPECT_FALSE(RowOf(Algorithm::kRing).Does(Operation::kNone));
}

TEST(AlgorithmTable, WordsThatOptionsOffer) {
  const Words gathers = {"ring", "nvls", "nvls_tree", "pat", "collnet_direct"};
  EXPECT_EQ(WordsFor(Operation::kAllReduce),
            (Words{"ring", "tree", "nvls", "nvls_tree", "collnet_direct", "collnet_chain",
                   "nvls_collnet"}));
  EXPECT_EQ(WordsFor(Operation::kAllGather), gathers);
  EXPECT_EQ(WordsFor(Operation::kReduceScatter), gathers);
  EXPECT_EQ(WordsFor(Operation::kBroadcast), Words{"ring"});
  EXPECT_EQ(WordsFor(Operation::kAllToAll), Words{});
}

/// For every row: its maker makes the operations of the row, in all groups without an obstacle.
/// Options as of a run with a ring in a file.
ChunkOptions WithARing(std::uint32_t ranks) {
  auto library = std::make_shared<CustomLibrary>();
  library->Add(RingAllReduce(ranks));
  ChunkOptions options;
  options.custom = library;
  return options;
}

TEST(AlgorithmTable, MakersMakeWhatTheirRowsSay) {
  GroupShape shapes[] = {GroupShape(6, 8, 1), GroupShape(12, 4, 2), GroupShape(8, 8, 0),
                         GroupShape(7, 4, 0), GroupShape(9, 1, 0),  GroupShape(8, 4, 1)};
  shapes[5].AddTreesOfOneSwitch();
  std::set<Algorithm> made;
  for (const GroupShape& shape : shapes) {
    for (const AlgorithmRow& row : AlgorithmRows()) {
      const Algorithm here = shape.servers() > 1 ? row.over_servers : row.in_one_server;
      const ChunkOptions options = WithARing(shape.ranks());
      if (!row.obstacle(shape, options).empty() || here != row.algorithm) continue;
      for (const Operation operation : kOperations) {
        const bool of_file = row.algorithm == Algorithm::kCustom;
        if (!row.Does(operation) || (of_file && operation != Operation::kAllReduce)) continue;
        CollectiveSpec spec;
        spec.operation = operation;
        spec.bytes = 10007;
        const auto schedule = MakeSchedule(spec, {row.algorithm}, shape, options);
        ASSERT_NE(schedule, nullptr);
        SCOPED_TRACE(std::string(ToText(row.algorithm)) + " " + ToText(operation));
        CheckSchedule(*schedule, spec, shape, 3);
        const MessageSteps steps = row.steps(spec, shape);
        EXPECT_GT(steps.inside + steps.between, 0);
        EXPECT_EQ(steps.between > 0, shape.servers() > 1);
        made.insert(row.algorithm);
      }
    }
  }
  EXPECT_EQ(made.size(), kAlgorithms) << "an algorithm that no group here can use";
}

TEST(AlgorithmTable, NvlsSaysWhichGpuHasNoNvSwitch) {
  EXPECT_EQ(RowOf(Algorithm::kNvls).obstacle(GroupShape(16, 8, 1), {}), "");
  const std::string why = RowOf(Algorithm::kNvlsTree).obstacle(GroupShape(16, 8, 0), {});
  EXPECT_EQ(why.find("GPU 0 and the GPUs of its server"), 0U) << why;
}

}  // namespace
}  // namespace heddle
