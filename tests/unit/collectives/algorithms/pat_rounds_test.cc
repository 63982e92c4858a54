// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/pat_rounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

using List = std::vector<std::uint32_t>;

List All(const PatRounds::Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

/// The offsets of all messages in their order.
List Order(const PatRounds& rounds) {
  List order;
  for (std::uint32_t m = 0; m < rounds.messages(); ++m) {
    for (const std::uint32_t s : rounds.offsets(m)) order.push_back(s);
  }
  return order;
}

std::uint32_t LogTwo(std::uint32_t n) {
  std::uint32_t log = 0;
  while ((1U << log) < n) ++log;
  return log;
}

TEST(PatRounds, OneTreeOfEightFarChildrenFirst) {
  EXPECT_EQ(Order(PatRounds(8, {1, 1}, false)), (List{4, 6, 7, 5, 2, 3, 1}));
  EXPECT_EQ(Order(PatRounds(8, {1, 1}, true)), (List{7, 6, 5, 4, 3, 2, 1}));
}

TEST(PatRounds, AllTreesOfEightAtOnce) {
  const PatRounds gather(8, {4, 4}, false);
  EXPECT_EQ(gather.messages(), 3U);
  EXPECT_EQ(All(gather.offsets(0)), List{4});
  EXPECT_EQ(All(gather.offsets(1)), (List{2, 6}));
  EXPECT_EQ(All(gather.offsets(2)), (List{1, 3, 5, 7}));
  EXPECT_EQ(All(gather.parents(2)), (List{0, 1}));
  EXPECT_EQ(All(gather.children(0)), (List{1, 2}));
  const PatRounds reduction(8, {4, 4}, true);
  EXPECT_EQ(All(reduction.offsets(0)), (List{1, 3, 5, 7}));
  EXPECT_EQ(All(reduction.offsets(2)), List{4});
  EXPECT_EQ(All(reduction.parents(2)), (List{0, 1}));
}

TEST(PatRounds, MessagesWaitForEarlierOnesOnly) {
  for (std::uint32_t n = 2; n <= 130; ++n) {
    for (std::uint32_t trees = 1; trees <= n / 2 + 1; trees *= 2) {
      for (std::uint32_t blocks = 1; blocks <= trees; blocks *= 2) {
        for (const bool reduces : {false, true}) {
          const PatRounds rounds(n, {blocks, trees}, reduces);
          List seen(n, 0);
          for (std::uint32_t m = 0; m < rounds.messages(); ++m) {
            EXPECT_LE(rounds.offsets(m).size(), blocks);
            for (const std::uint32_t parent : rounds.parents(m)) EXPECT_LT(parent, m);
            for (const std::uint32_t child : rounds.children(m)) EXPECT_GT(child, m);
            for (const std::uint32_t s : rounds.offsets(m)) {
              ++seen[s];
              EXPECT_EQ(rounds.distance(m), s & (~s + 1)) << "offset " << s << " of " << n;
            }
          }
          seen[0] = 1;
          EXPECT_EQ(seen, List(n, 1)) << n << " ranks, " << trees << " trees, " << blocks;
          if (HasFailure()) return;
        }
      }
    }
  }
}

/// Half of the blocks go to the next rank, a quarter two ranks on, one the largest distance.
TEST(PatRounds, SendFewBlocksFar) {
  for (std::uint32_t n = 2; n <= 130; ++n) {
    const PatRounds rounds(n, {1, 1}, false);
    for (std::uint32_t d = 1; d < n; d *= 2) {
      std::uint32_t blocks = 0;
      for (std::uint32_t m = 0; m < rounds.messages(); ++m)
        blocks += rounds.distance(m) == d ? rounds.offsets(m).size() : 0;
      EXPECT_EQ(blocks, (n - 1 + d) / (2 * d)) << n << " ranks, distance " << d;
    }
  }
}

TEST(PatRounds, HaveLogarithmicallyManyMessages) {
  for (std::uint32_t log = 1; log <= 9; ++log) {
    const std::uint32_t n = 1U << log;
    for (std::uint32_t trees = 1; trees <= n / 2; trees *= 2) {
      for (const bool reduces : {false, true}) {
        const std::uint32_t expected = LogTwo(trees) + n / trees - 1;
        const PatRounds whole(n, {trees, trees}, reduces);
        EXPECT_EQ(whole.messages(), expected);
        EXPECT_EQ(whole.rounds(), expected);
        EXPECT_EQ(PatRounds(n, {1, trees}, reduces).messages(), n - 1);
      }
    }
  }
  const auto whole = [](std::uint32_t n) {
    const PatFactors factors = PatFactorsOf(n, 1, 1 << 20, 8);
    return PatRounds(n, factors, false).messages();
  };
  EXPECT_EQ(whole(5), 4U);
  EXPECT_EQ(whole(12), 4U);
  EXPECT_EQ(whole(17), 6U);
  EXPECT_EQ(whole(128), 7U);
}

TEST(PatFactors, GrowWithSmallBlocksAndSlots) {
  const auto factors = [](std::uint32_t ranks, std::int64_t block, std::int64_t slots) {
    const PatFactors found = PatFactorsOf(ranks, block, 65'536, slots);
    return List{found.blocks, found.trees};
  };
  EXPECT_EQ(factors(64, 65'536, 8), (List{1, 8}));
  EXPECT_EQ(factors(64, 65'536, 1), (List{1, 1}));
  EXPECT_EQ(factors(64, 65'536, 7), (List{1, 4}));
  EXPECT_EQ(factors(64, 32'769, 8), (List{1, 8})) << "two do not fit";
  EXPECT_EQ(factors(64, 32'768, 8), (List{2, 16}));
  EXPECT_EQ(factors(64, 100, 8), (List{32, 32})) << "half of the ranks";
  EXPECT_EQ(factors(17, 100, 8), (List{8, 8}));
  EXPECT_EQ(factors(5, 1, 8), (List{2, 2}));
  EXPECT_EQ(factors(2, 1, 8), (List{1, 1}));
  EXPECT_EQ(factors(3, 1 << 30, 8), (List{1, 1}));
}

TEST(PatRounds, OfManyRanksAreSmall) {
  EXPECT_LT(PatRounds(15'360, {1, 8}, true).memory(), 1U << 20);
  EXPECT_LT(PatRounds(15'360, {8192, 8192}, false).memory(), 1U << 20);
}

}  // namespace
}  // namespace heddle
