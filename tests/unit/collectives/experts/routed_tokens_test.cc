// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/routed_tokens.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "collectives/experts/pair_tables.h"
#include "tests/support/message_of.h"
#include "tests/unit/collectives/experts/routing.h"

namespace heddle {
namespace {

using Routing = ExpertOptions::Routing;
using Form = ExpertOptions::Form;

template <class Number>
std::uint64_t SumOf(const std::vector<Number>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

PairSizes SizesOf(const ExpertOptions& options, std::uint32_t ranks, std::int64_t buffer, Form form,
                  bool returns) {
  return MakePairSizes(std::make_shared<RoutedTokens>(options, ranks, 0), buffer, form, returns);
}

/// 8 experts on 4 ranks, 8 tokens a rank, 2 experts each: 16 choices a rank, 64 in all.
TEST(RoutedTokens, SkewOfEightExpertsByHand) {
  const RoutedTokens tokens(ByCounts({4, 4, 3, 1, 1, 1, 1, 1}, 2, 8), 4, 0);
  EXPECT_EQ(tokens.loads(), (std::vector<std::uint64_t>{16, 16, 12, 4, 4, 4, 4, 4}));
  EXPECT_EQ(tokens.LoadOfRank(0), 32U);  // twice the mean of 16
  EXPECT_EQ(tokens.LoadOfRank(1), 16U);
  EXPECT_EQ(tokens.LoadOfRank(2), 8U);
  EXPECT_EQ(tokens.LoadOfRank(3), 8U);
  for (std::uint32_t from = 0; from < 4; ++from) {
    const std::vector<std::uint32_t> expected = {8, 4, 2, 2};
    for (std::uint32_t to = 0; to < 4; ++to)
      EXPECT_EQ(tokens.choices()[4 * from + to], expected[to]) << from << to;
  }
}

TEST(RoutedTokens, CountsThatDoNotDivideAreApportionedByLargestRemainders) {
  // 10 choices as 3.33, 3.33, 3.33: the first gets what is left.
  const RoutedTokens tokens(ByCounts({1, 1, 1}, 1, 10), 1, 0);
  EXPECT_EQ(tokens.loads(), (std::vector<std::uint64_t>{4, 3, 3}));
}

/// Choices of all experts are T k N, and so are the rows of the plain form.
TEST(RoutedTokens, ConservesChoices) {
  for (const Routing routing :
       {Routing::kUniform, Routing::kLognormal, Routing::kZipf, Routing::kHot}) {
    const RoutedTokens tokens(ByLaw(routing, 64, 4, 100), 8, 3);
    EXPECT_EQ(SumOf(tokens.loads()), 8U * 100 * 4);
    EXPECT_EQ(SumOf(tokens.choices()), 8U * 100 * 4);
    EXPECT_EQ(tokens.choices_in_all(), 8U * 100 * 4);
    EXPECT_EQ(tokens.dropped(), 0U);
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      const auto* const row = &tokens.choices()[std::size_t{8} * rank];
      EXPECT_EQ(std::accumulate(row, row + 8, 0U), 400U) << rank;
    }
    std::uint64_t visited = 0;
    tokens.ForEach([&](std::uint32_t, const std::vector<std::uint32_t>& experts) {
      EXPECT_EQ(std::set<std::uint32_t>(experts.begin(), experts.end()).size(), 4U);
      ++visited;
    });
    EXPECT_EQ(visited, 800U);
  }
}

/// Two ranks, experts 0 and 1 on rank 0, 2 and 3 on rank 1.
TEST(RoutedTokens, TableByToken) {
  const RoutedTokens tokens(ByTokens(4, {{{0, 1}, {1, 2}, {2, 3}}, {{3, 2}}}), 2, 0);
  EXPECT_EQ(tokens.loads(), (std::vector<std::uint64_t>{1, 2, 3, 2}));
  EXPECT_EQ(tokens.choices(), (std::vector<std::uint32_t>{3, 3, 0, 2}));
  EXPECT_EQ(tokens.rows(), (std::vector<std::uint32_t>{2, 2, 0, 1}));  // a token once a rank
  EXPECT_EQ(tokens.counts().tokens, 3U);
  EXPECT_EQ(tokens.counts().top_k, 2U);
  // Both in one server, then in two.
  EXPECT_EQ(tokens.RowsByServer({0, 0}, 1), (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(tokens.RowsByServer({0, 1}, 2), (std::vector<std::uint32_t>{2, 2, 0, 1}));
}

/// Capacity 1 of 4 choices on 2 experts: 2 each. Token 0 of both ranks, then token 1.
TEST(RoutedTokens, CapacityDropsWhatComesLast) {
  ExpertOptions options = ByTokens(2, {{{0}, {0}}, {{0}, {1}}});
  options.capacity = 1;
  const RoutedTokens tokens(options, 2, 0);
  EXPECT_EQ(tokens.loads(), (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(tokens.dropped(), 1U);
  EXPECT_EQ(tokens.choices(), (std::vector<std::uint32_t>{1, 0, 1, 1}));
  options.capacity = 2;
  EXPECT_EQ(RoutedTokens(options, 2, 0).dropped(), 0U);
}

TEST(PairSizes, HaveABuffersBytesForAllRows) {
  // 4 tokens of 2 experts, 800 bytes: 100 a row.
  const ExpertOptions options = ByCounts({3, 1, 2, 2}, 2, 4);
  const PairSizes plain = SizesOf(options, 2, 800, Form::kPlain, false);
  EXPECT_EQ(plain.bytes, (std::vector<std::int64_t>{400, 400, 400, 400}));
  EXPECT_EQ(plain.tokens, nullptr);
  const PairSizes skewed = SizesOf(ByCounts({4, 2, 1, 1}, 2, 4), 2, 800, Form::kPlain, false);
  EXPECT_EQ(skewed.bytes, (std::vector<std::int64_t>{600, 200, 600, 200}));
}

/// Dispatch and combine are transposes of each other.
TEST(PairSizes, GoBackTheWayTheyCame) {
  const ExpertOptions options = ByLaw(Routing::kZipf, 64, 4, 50);
  for (const Form form : {Form::kPlain, Form::kRank, Form::kServer}) {
    const PairSizes out = SizesOf(options, 8, 100'000, form, false);
    const PairSizes back = SizesOf(options, 8, 100'000, form, true);
    for (std::size_t a = 0; a < 8; ++a) {
      for (std::size_t b = 0; b < 8; ++b) EXPECT_EQ(out.bytes[8 * a + b], back.bytes[8 * b + a]);
    }
    EXPECT_NE(CompareSizes(&out, &back), 0);
  }
}

/// Tables with the same bytes for each pair, whose tokens differ, are different.
TEST(PairSizes, WithOtherTokensAreOthers) {
  const auto of = [](std::vector<std::vector<std::uint32_t>> tokens) {
    return SizesOf(ByTokens(4, {std::move(tokens)}), 4, 800, Form::kServer, false);
  };
  const PairSizes together = of({{1, 2}, {3, 0}}), apart = of({{1, 3}, {2, 0}});
  EXPECT_EQ(together.bytes, apart.bytes);
  EXPECT_NE(together.tokens->BytesByServer({0, 1, 1, 2}, 3),
            apart.tokens->BytesByServer({0, 1, 1, 2}, 3));
  EXPECT_NE(CompareSizes(&together, &apart), 0);
}

TEST(RoutedTokens, SaysWhatDoesNotFit) {
  const auto refusal = [](const ExpertOptions& options, std::uint32_t ranks) {
    return MessageOf([&] { RoutedTokens(options, ranks, 0); });
  };
  ExpertOptions options = ByLaw(Routing::kZipf, 10, 2, 4);
  EXPECT_EQ(refusal(options, 4),
            "experts.count=10 on expert groups of 4 ranks, which are to have as many experts each. "
            "Expected: a multiple of 4, such as 12");
  options.top_k = 11;
  EXPECT_EQ(refusal(options, 5), "experts.top_k=11 of experts.count=10. Expected: at most 10");
  options = ByLaw(Routing::kUniform, 16, 8, 4);
  options.groups = 8;
  options.top_groups = 2;
  EXPECT_EQ(refusal(options, 4),
            "experts.top_k=8, but experts.top_groups=2 groups have 4 experts. Expected: at most 4");
  EXPECT_EQ(refusal(ByCounts({3, 1}, 2, 4), 2),
            "counts.txt: expert 0 has 6 of 8 choices of a rank with 4 tokens, and a token chooses "
            "an expert once. Expected: no expert with more than 1/2 of the counts (experts.top_k)");
  EXPECT_EQ(refusal(ByTokens(2, {{{0, 2}}}), 2),
            "tokens.txt: a token of rank 0 chooses expert 2, with experts.count=2. Expected: "
            "experts 0 to 1");
  EXPECT_EQ(refusal(ByTokens(2, {{{0}}, {{1}}}), 1),
            "tokens.txt: tokens of rank 1, but expert groups have 1 ranks. Expected: ranks 0 to 0");
  EXPECT_EQ(refusal(ByLaw(Routing::kCounts, 4, 1, 1), 2),
            "experts.routing=counts without a file. Expected: experts.table=FILE");
}

}  // namespace
}  // namespace heddle
