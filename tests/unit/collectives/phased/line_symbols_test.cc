// SPDX-License-Identifier: GPL-2.0-only
// Rings, direct exchanges, and halving and doubling, executed on symbols: each block of each member
// is a count of contributions by member, and messages carry blocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "collectives/phased/line_steps.h"

namespace heddle::testing {
namespace {

using Counts = std::vector<std::uint8_t>;  ///< of contributions, by member

struct SentBlock {
  std::uint32_t block = 0;
  Counts value;
};
struct UnderWay {
  std::uint32_t to = 0, number = 0;
  std::vector<SentBlock> blocks;
};

/// A line whose members follow LineSteps. What a message carries is the algorithm's definition;
/// when it is sent, and to whom, is what is tested.
class BlockLine {
 public:
  BlockLine(Operation operation, const LineSteps& steps) : operation_(operation), steps_(steps) {
    const std::uint32_t n = steps.members;
    received_.assign(n, 0);
    const bool sums = operation != Operation::kAllGather;
    for (std::uint32_t m = 0; m < n; ++m) {
      values_.emplace_back(n, Counts(n, 0));
      for (std::uint32_t block = 0; block < n; ++block)
        values_[m][block][m] = sums || block == m ? 1 : 0;
    }
  }

  void Run(bool latest_first) {
    for (std::uint32_t m = 0; m < steps_.members; ++m) Send(m);
    while (!under_way_.empty()) {
      // The latest message of another member: messages of one way keep their order.
      std::size_t at = latest_first ? under_way_.size() - 1 : 0;
      const std::uint32_t to = under_way_[at].to;
      for (std::size_t i = 0; i < at; ++i) {
        if (under_way_[i].to == to) at = i;
      }
      const UnderWay next = under_way_[at];
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(at));
      kept_.push_back(next);
      ++count_;
      TakeKept();
    }
  }
  std::uint64_t count() const { return count_; }
  /// Blocks that a member has with one contribution of everybody.
  std::uint32_t Complete(std::uint32_t m) const {
    std::uint32_t complete = 0;
    for (std::uint32_t block = 0; block < steps_.members; ++block) {
      complete += values_[m][block] == Wanted(block) ? 1 : 0;
    }
    return complete;
  }
  bool HasEnded(std::uint32_t m) const { return received_[m] == steps_.messages; }
  bool all_taken() const { return kept_.empty(); }

 private:
  Counts Wanted(std::uint32_t block) const {
    if (operation_ != Operation::kAllGather) return Counts(steps_.members, 1);
    Counts own(steps_.members, 0);
    own[block] = 1;
    return own;
  }
  std::vector<std::uint32_t> BlocksOf(std::uint32_t m, std::uint32_t number,
                                      std::uint32_t peer) const {
    const std::uint32_t n = steps_.members;
    if (steps_.shape == LineSteps::Shape::kRing) return {(m + 2 * n - number % n) % n};
    if (steps_.shape == LineSteps::Shape::kDirect)
      return {steps_.StepOf(number) == 0 && operation_ != Operation::kAllGather ? peer : m};
    // The blocks whose lower bits are those of who ends up with them.
    const std::uint32_t level = steps_.halving.LevelOf(number);
    const std::uint32_t low = (2U << level) - 1, as = number < steps_.sums ? peer : m;
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t block = 0; block < n; ++block) {
      if ((block & low) == (as & low)) blocks.push_back(block);
    }
    EXPECT_EQ(blocks.size(), n >> (level + 1));
    return blocks;
  }
  void Send(std::uint32_t m) {
    std::uint32_t begin = 0;
    const std::uint32_t count = steps_.After(received_[m], &begin, {m, 0});
    for (std::uint32_t number = begin; number < begin + count; ++number) {
      UnderWay message;
      message.to = (m + steps_.DistanceOf(number, {m, 0})) % steps_.members;
      EXPECT_NE(message.to, m);
      message.number = number;
      for (const std::uint32_t block : BlocksOf(m, number, message.to))
        message.blocks.push_back({block, values_[m][block]});
      under_way_.push_back(message);
    }
  }
  /// Takes messages that are awaited, until there are none.
  void TakeKept() {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const UnderWay next = kept_[i];
      if (steps_.StepOf(next.number) != steps_.AwaitedStep(received_[next.to], {next.to, 0}))
        continue;
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
      Take(next);
      return TakeKept();
    }
  }
  void Take(const UnderWay& message) {
    for (const SentBlock& sent : message.blocks) {
      Counts& own = values_[message.to][sent.block];
      for (std::size_t i = 0; i < own.size(); ++i) {
        const bool adds = message.number < steps_.sums;
        own[i] = static_cast<std::uint8_t>(adds ? own[i] + sent.value[i] : sent.value[i]);
      }
    }
    ++received_[message.to];
    Send(message.to);
  }

  Operation operation_;
  LineSteps steps_;
  std::vector<std::uint32_t> received_;
  std::vector<std::vector<Counts>> values_;  ///< by member and block
  std::deque<UnderWay> under_way_;
  std::vector<UnderWay> kept_;  ///< that came before their step
  std::uint64_t count_ = 0;
};

void Prove(Operation operation, const LineSteps& steps, const std::string& what) {
  const std::uint32_t n = steps.members;
  for (const bool latest_first : {false, true}) {
    BlockLine line(operation, steps);
    line.Run(latest_first);
    EXPECT_EQ(line.count(), steps.MessagesOfLine()) << what << ", " << n << " members";
    EXPECT_TRUE(line.all_taken()) << what << ", " << n << " members";
    for (std::uint32_t m = 0; m < n; ++m) {
      const std::uint32_t complete = line.Complete(m);
      EXPECT_TRUE(line.HasEnded(m)) << what << ", " << n << " members, member " << m;
      if (operation == Operation::kReduceScatter) {
        EXPECT_EQ(complete, 1u) << what << ", " << n << " members, member " << m;
      } else {
        EXPECT_EQ(complete, n) << what << ", " << n << " members, member " << m;
      }
    }
  }
}

constexpr Operation kOperations[] = {Operation::kAllReduce, Operation::kReduceScatter,
                                     Operation::kAllGather};

TEST(LineSymbols, RingsAndDirectExchangesEndWithEverything) {
  for (std::uint32_t n = 2; n <= 65; n += n < 20 ? 1 : 9) {
    for (const Operation operation : kOperations) {
      Prove(operation, LineSteps::Of(operation, false, false, n), "ring");
      Prove(operation, LineSteps::Of(operation, true, false, n), "direct");
    }
  }
}

TEST(LineSymbols, HalvingAndDoublingEndsWithEverything) {
  for (std::uint32_t n = 2; n <= 64; n *= 2) {
    for (const Operation operation : kOperations)
      Prove(operation, LineSteps::OfHalving(operation, n), "halving");
  }
}

TEST(LineSymbols, OnlyPowersOfTwoAreHalved) {
  std::vector<std::uint32_t> fit;
  for (std::uint32_t n = 0; n <= 65; ++n) {
    if (HalvingSteps::Fits(n)) fit.push_back(n);
  }
  EXPECT_EQ(fit, (std::vector<std::uint32_t>{2, 4, 8, 16, 32, 64}));
}

TEST(LineSymbols, AnAllToAllOverNeighboursBringsEveryItemToItsPlace) {
  // Round r takes the items that have r - 1 hops behind them one further, those of the shortest
  // distance first: n - r messages, each of which came at least n - r messages before.
  for (std::uint32_t n = 2; n <= 65; ++n) {
    const LineSteps steps = LineSteps::Of(Operation::kAllToAll, false, false, n);
    std::uint32_t number = 0;
    std::vector<std::int64_t> came(n, -1);  // by distance: the message that brought it
    std::vector<std::uint32_t> hops(n, 0);
    for (std::uint32_t round = 1; round < n; ++round) {
      for (std::uint32_t distance = round; distance < n; ++distance, ++number) {
        EXPECT_EQ(steps.DistanceOf(number), 1u);
        EXPECT_LT(came[distance], number);
        came[distance] = number;
        ++hops[distance];
      }
    }
    EXPECT_EQ(number, steps.messages);
    for (std::uint32_t distance = 1; distance < n; ++distance) EXPECT_EQ(hops[distance], distance);
  }
}

}  // namespace
}  // namespace heddle::testing
