// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/cause_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/step/caused_piece.h"

namespace heddle {
namespace {

CausedPiece PieceOf(StepCause cause, std::int64_t ps, HopIndex link = kNoHop) {
  CausedPiece piece;
  piece.part = {cause, link, ps};
  return piece;
}

std::vector<std::int64_t> TimesOf(const std::vector<CausePart>& parts) {
  std::vector<std::int64_t> times;
  for (const CausePart& part : parts) times.push_back(part.ps);
  return times;
}

std::vector<CauseSum> SumsOfPieces(const std::vector<CausedPiece>& pieces,
                                   const OthersOfPiece& others) {
  return SumByCause(pieces, others, [](HopIndex hop) { return "link " + std::to_string(hop); });
}

std::vector<std::pair<std::string, double>> NoOthers(const CausedPiece&) { return {}; }

// Of 101 ps 50 are on the path: 60 * 50 / 101 = 29.7, rounded down, and the rest.
TEST(ScaledParts, SumUpToTheLengthOnThePath) {
  const std::vector<CausePart> parts = {{StepCause::kLineRate, kNoHop, 60},
                                        {StepCause::kCollision, 7, 41}};
  EXPECT_EQ(TimesOf(ScaledParts(parts, 101)), (std::vector<std::int64_t>{60, 41}));
  EXPECT_EQ(TimesOf(ScaledParts(parts, 50)), (std::vector<std::int64_t>{29, 21}));
  EXPECT_EQ(TimesOf(ScaledParts(parts, 1)), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(TimesOf(ScaledParts(parts, 0)), (std::vector<std::int64_t>{0, 0}));
  EXPECT_TRUE(ScaledParts({}, 0).empty());
  EXPECT_EQ(ScaledParts(parts, 50)[1].link, 7u);
}

// Collisions on link 7: 50 + 30; on link 9: 40; own links 3 and 4 are one cause without a link.
TEST(CauseSums, AddUpToThePiecesTheLongestFirst) {
  const std::vector<CauseSum> sums =
      SumsOfPieces({PieceOf(StepCause::kCollision, 50, 7), PieceOf(StepCause::kOwnLink, 10, 3),
                    PieceOf(StepCause::kCollision, 40, 9), PieceOf(StepCause::kCompute, 100),
                    PieceOf(StepCause::kOwnLink, 5, 4), PieceOf(StepCause::kCollision, 30, 7)},
                   NoOthers);
  ASSERT_EQ(sums.size(), 4u);
  EXPECT_EQ(sums[0].cause, StepCause::kCompute);
  EXPECT_EQ(sums[0].ps, 100);
  EXPECT_EQ(sums[0].link, "");
  EXPECT_EQ(sums[1].link, "link 7");
  EXPECT_EQ(sums[1].ps, 80);
  EXPECT_EQ(sums[1].parts, 2);
  EXPECT_EQ(sums[2].link, "link 9");
  EXPECT_EQ(sums[3].cause, StepCause::kOwnLink);
  EXPECT_EQ(sums[3].hop, kNoHop);
  EXPECT_EQ(sums[3].link, "");
  EXPECT_EQ(sums[3].parts, 2);
  std::int64_t all = 0, parts = 0;
  for (const CauseSum& sum : sums) {
    all += sum.ps;
    parts += sum.parts;
  }
  EXPECT_EQ(all, 235);
  EXPECT_EQ(parts, 6);
}

TEST(CauseSums, OfNoPiecesAreNone) { EXPECT_TRUE(SumsOfPieces({}, NoOthers).empty()); }

TEST(CauseSums, EqualOnesAreInTheOrderOfCausesAndLinks) {
  const std::vector<CauseSum> sums =
      SumsOfPieces({PieceOf(StepCause::kCollision, 5, 9), PieceOf(StepCause::kCollision, 5, 2),
                    PieceOf(StepCause::kSoftware, 5)},
                   NoOthers);
  ASSERT_EQ(sums.size(), 3u);
  EXPECT_EQ(sums[0].cause, StepCause::kSoftware);
  EXPECT_EQ(sums[1].link, "link 2");
  EXPECT_EQ(sums[2].link, "link 9");
}

// On link 7: A 900 bytes in one message, B 100 + 100 in two, C 150, D 10. Three are named; B does
// not come first because it has more messages.
TEST(CauseSums, NameOthersWithMostBytesFirst) {
  const std::vector<CauseSum> sums =
      SumsOfPieces({PieceOf(StepCause::kCollision, 50, 7)}, [](const CausedPiece&) {
        return std::vector<std::pair<std::string, double>>{
            {"B", 100}, {"D", 10}, {"A", 900}, {"B", 100}, {"C", 150}};
      });
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].with, (std::vector<std::string>{"A", "B", "C"}));
}

// Two pieces on link 7: A 60, B 50 + 50.
TEST(CauseSums, BytesOfOthersAddUpOverPieces) {
  const std::vector<CauseSum> sums =
      SumsOfPieces({PieceOf(StepCause::kReceiver, 50, 7), PieceOf(StepCause::kReceiver, 20, 7)},
                   [](const CausedPiece& piece) {
                     std::vector<std::pair<std::string, double>> others = {{"B", 50}};
                     if (piece.part.ps == 50) others.emplace_back("A", 60);
                     return others;
                   });
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].with, (std::vector<std::string>{"B", "A"}));
}

TEST(CauseSums, OnlyCollisionsAndReceiversAskForOthers) {
  const auto somebody = [](const CausedPiece&) {
    return std::vector<std::pair<std::string, double>>{{"A", 1}};
  };
  for (const CauseSum& sum :
       SumsOfPieces({PieceOf(StepCause::kOwnLink, 9, 1), PieceOf(StepCause::kAcks, 8, 1),
                     PieceOf(StepCause::kPauses, 7, 1), PieceOf(StepCause::kSlowLink, 6, 1),
                     PieceOf(StepCause::kCollision, 5)},
                    somebody))
    EXPECT_TRUE(sum.with.empty()) << ToText(sum.cause);
}

TEST(LongestPieces, ComeFirstAndEqualsInTheirOrder) {
  const std::vector<CausedPiece> pieces = {
      PieceOf(StepCause::kCompute, 5), PieceOf(StepCause::kCompute, 9),
      PieceOf(StepCause::kSoftware, 9), PieceOf(StepCause::kCompute, 1)};
  EXPECT_EQ(LongestPieces(pieces, 3), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(LongestPieces(pieces, 99).size(), 4u);
  EXPECT_TRUE(LongestPieces(pieces, 0).empty());
  EXPECT_TRUE(LongestPieces({}, 3).empty());
}

}  // namespace
}  // namespace heddle
