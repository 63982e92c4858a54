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
      const auto algorithm = SimulatedAs(row.algorithm, servers);
      if (!algorithm) continue;
      ++simulated;
      const AlgorithmRow& other = RowOf(*algorithm);
      EXPECT_STREQ(row.name, ToText(*algorithm));
      EXPECT_STREQ(row.word, other.word);
      EXPECT_STREQ(row.nccl, other.nccl);
      EXPECT_EQ(row.operations & ~other.operations, 0U) << row.name;
    }
  }
  EXPECT_EQ(simulated, 9U) << "five over one server, NVLS over no more";
}

TEST(TunerAlgorithms, CollNetIsNotSimulatedNorIsNvlsWithIt) {
  for (const std::uint32_t servers : {1U, 2U, 64U}) {
    EXPECT_FALSE(SimulatedAs(TunerAlgorithm::kCollNetDirect, servers)) << servers;
    EXPECT_FALSE(SimulatedAs(TunerAlgorithm::kCollNetChain, servers)) << servers;
  }
  EXPECT_TRUE(SimulatedAs(TunerAlgorithm::kNvls, 1));
  EXPECT_FALSE(SimulatedAs(TunerAlgorithm::kNvls, 2));
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
