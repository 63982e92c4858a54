// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_algorithms.h"

#include <gtest/gtest.h>

#include <string>

#include "collectives/algorithms/algorithm_table.h"

namespace heddle {
namespace {

/// What is simulated has the same names here and there, and does what the tuner wants of it.
TEST(TunerAlgorithms, AreThoseOfTheSimulationWhereItHasThem) {
  std::size_t simulated = 0;
  for (const TunerAlgorithmRow& row : TunerAlgorithmRows()) {
    for (const std::uint32_t servers : {1U, 2U}) {
      for (const Operation operation :
           {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter}) {
        const auto algorithm = SimulatedAs(operation, row.algorithm, servers);
        if (!algorithm || !row.Does(operation)) continue;
        ++simulated;
        const AlgorithmRow& other = RowOf(*algorithm);
        // NVLS over several servers is CollNet's, which is another algorithm here.
        if (*algorithm != Algorithm::kNvlsCollNet) {
          EXPECT_STREQ(row.name, ToText(*algorithm));
          EXPECT_STREQ(row.word, other.word);
          EXPECT_STREQ(row.nccl, other.nccl);
        }
        EXPECT_TRUE(other.Does(operation)) << row.name;
      }
    }
  }
  // Tree 1, ring 3, CollNet 3 and 1, NVLS tree 1, PAT 2, over one server or two; NVLS 3 over one, 1
  // over two.
  EXPECT_EQ(simulated, 2 * 11U + 3U + 1U);
}

TEST(TunerAlgorithms, WhatIsNotSimulated) {
  EXPECT_TRUE(SimulatedAs(Operation::kAllReduce, TunerAlgorithm::kNvls, 1));
  for (const Operation gather : {Operation::kAllGather, Operation::kReduceScatter})
    EXPECT_FALSE(SimulatedAs(gather, TunerAlgorithm::kNvls, 2));
  EXPECT_EQ(SimulatedAs(Operation::kAllReduce, TunerAlgorithm::kNvls, 2), Algorithm::kNvlsCollNet);
}

TEST(TunerAlgorithms, Operations) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(TunerWordsFor(Operation::kAllReduce),
            (Words{"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree"}));
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter})
    EXPECT_EQ(TunerWordsFor(operation), (Words{"ring", "collnet_direct", "nvls", "pat"}));
  for (const Operation operation : {Operation::kBroadcast, Operation::kReduce}) {
    EXPECT_EQ(TunerWordsFor(operation), Words{"ring"});
    EXPECT_TRUE(IsTuned(operation));
  }
  for (const Operation operation : {Operation::kAllToAll, Operation::kSendRecv, Operation::kNone}) {
    EXPECT_FALSE(IsTuned(operation));
    EXPECT_EQ(TunerWordsFor(operation), Words{});
  }
}

}  // namespace
}  // namespace heddle
