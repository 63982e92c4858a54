// SPDX-License-Identifier: GPL-2.0-only
// The all-reduce by a double binary tree, executed on symbols: each member's contribution is a
// symbol, and sums are counts of symbols.
#include "collectives/phased/tree_steps.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "collectives/phased/phase_plan.h"
#include "core/base/check.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle::testing {
namespace {

using Symbols = std::vector<std::uint32_t>;  ///< how often a sum has each member's contribution

/// A line whose members follow LineSteps; messages arrive in an order that `late` picks.
class SymbolicLine {
 public:
  SymbolicLine(std::uint32_t members, std::uint32_t chunk)
      : steps_(LineSteps::OfTrees(members)), chunk_(chunk), received_(members, 0) {
    for (std::uint32_t m = 0; m < members; ++m) {
      values_.emplace_back(members, 0);
      values_[m][m] = 1;
    }
  }

  /// Runs to the end; the number of messages.
  std::uint64_t Run(bool latest_first) {
    for (std::uint32_t m = 0; m < steps_.members; ++m) Send(m);
    std::uint64_t count = 0;
    while (!under_way_.empty()) {
      const Message next = latest_first ? under_way_.back() : under_way_.front();
      latest_first ? under_way_.pop_back() : under_way_.pop_front();
      Arrive(next);
      ++count;
    }
    return count;
  }
  const Symbols& value(std::uint32_t member) const { return values_[member]; }
  bool HasEnded(std::uint32_t m) const { return received_[m] == steps_.MessagesOf({m, chunk_}); }

 private:
  struct Message {
    std::uint32_t to, number;
    Symbols value;
  };

  void Send(std::uint32_t m) {
    std::uint32_t begin = 0;
    const std::uint32_t count = steps_.After(received_[m], &begin, {m, chunk_});
    for (std::uint32_t number = begin; number < begin + count; ++number) {
      const std::uint32_t distance = steps_.DistanceOf(number, {m, chunk_});
      ASSERT_GT(distance, 0u);
      under_way_.push_back({(m + distance) % steps_.members, number, values_[m]});
    }
  }
  void Arrive(const Message& message) {
    Symbols& own = values_[message.to];
    ASSERT_EQ(steps_.StepOf(message.number),
              steps_.AwaitedStep(received_[message.to], {message.to, chunk_}));
    if (message.number == 0) {
      for (std::size_t i = 0; i < own.size(); ++i) own[i] += message.value[i];
    } else {
      own = message.value;
    }
    ++received_[message.to];
    Send(message.to);
  }

  LineSteps steps_;
  std::uint32_t chunk_;
  std::vector<std::uint32_t> received_;
  std::vector<Symbols> values_;
  std::deque<Message> under_way_;
};

TEST(TreeSteps, EveryMemberEndsWithEveryContributionOnce) {
  for (std::uint32_t n = 2; n <= 65; ++n) {
    for (std::uint32_t chunk = 0; chunk < 2; ++chunk) {
      for (const bool latest_first : {false, true}) {
        SymbolicLine line(n, chunk);
        EXPECT_EQ(line.Run(latest_first), LineSteps::OfTrees(n).MessagesOfLine());
        for (std::uint32_t m = 0; m < n; ++m) {
          EXPECT_EQ(line.value(m), Symbols(n, 1)) << n << " members, member " << m;
          EXPECT_TRUE(line.HasEnded(m)) << n << " members, member " << m;
        }
      }
    }
  }
}

TEST(TreeSteps, ChunksTakeTheTwoTreesInTurn) {
  const auto root = [](std::uint32_t chunk) {
    std::uint32_t m = 0;
    while (!TreeSteps(8, m, chunk).is_root()) ++m;
    return m;
  };
  EXPECT_EQ(root(0), 0u);
  EXPECT_EQ(root(1), 7u);
  EXPECT_EQ(root(2), 0u);
}

TEST(LineAlgorithms, AreNamedByDimension) {
  using Of = LineAlgorithm;
  EXPECT_EQ(ParseLineAlgorithms("phases.algorithm", "auto", 3), (std::vector<Of>(3, Of::kAuto)));
  EXPECT_EQ(ParseLineAlgorithms("phases.algorithm", "ring_direct_doubleBinaryTree", 3),
            (std::vector<Of>{Of::kRing, Of::kDirect, Of::kTrees}));
  EXPECT_EQ(ParseLineAlgorithms("phases.algorithm", "direct_doubleBinaryTree", 3),
            (std::vector<Of>{Of::kDirect, Of::kTrees, Of::kTrees}));
  const auto refusal = [](const char* text) {
    try {
      ParseLineAlgorithms("phases.algorithm", text, 2);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("ring_dirct"),
            "phases.algorithm: found 'dirct'. Expected: auto, ring, direct, doubleBinaryTree, "
            "halvingDoubling, oneRing, oneDirect, oneHalvingDoubling, joined by '_'; the nearest "
            "is direct");
  EXPECT_EQ(refusal("ring_oneRing"),
            "phases.algorithm: 2 names in 'ring_oneRing'. Expected: one, as oneRing, oneDirect and "
            "oneHalvingDoubling take all dimensions");
  EXPECT_EQ(refusal("ring_ring_ring"),
            "phases.algorithm: 3 names in 'ring_ring_ring'. Expected: at most 2, as the fabric has "
            "so many dimensions");
  EXPECT_NE(refusal(""), "accepted");
  EXPECT_NE(refusal("ring_"), "accepted");
}

TEST(PhasePlan, TreesCarryTheWholeChunkInAllReducesOnly) {
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kEnhanced;
  options.algorithm = "doubleBinaryTree";
  options.splits = 1;
  const Graph graph = ScaleUpFabric({Loop(4, 2), Loop(8, 1, 1)});
  const PhasePlan plan = PhasePlanner(graph, options).Plan(Operation::kAllReduce, 1 << 20, 3);
  ASSERT_EQ(plan.phases.size(), 3u);
  EXPECT_EQ(plan.phases[0].steps.shape, LineSteps::Shape::kRing);
  EXPECT_EQ(plan.phases[1].steps.shape, LineSteps::Shape::kTrees);
  EXPECT_EQ(plan.phases[1].message, 1 << 18);
  EXPECT_EQ(plan.phases[2].steps.shape, LineSteps::Shape::kRing);
  // 8 lines of 3 rounds in packages of 4, there and back; 4 lines of 8: 14 messages each.
  EXPECT_EQ(plan.MessagesOf(32), 8u * 12 + 4u * 14 + 8u * 12);
}

}  // namespace
}  // namespace heddle::testing
