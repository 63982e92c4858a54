// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/measured_times.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {
namespace {

template <class T>
Column Make(const std::string& name, std::vector<T> values) {
  Column column;
  column.name = name;
  column.data = std::move(values);
  return column;
}

/// Two kinds in three passes; one collective did not end.
Table Collectives() {
  Table table{"collectives", "", {}};
  using U32 = std::vector<std::uint32_t>;
  using I64 = std::vector<std::int64_t>;
  using Texts = std::vector<std::string>;
  table.columns = {
      Make<std::uint32_t>("pass", U32{0, 0, 1, 1, 2, 2}),
      Make<std::string>("op", Texts{"ALLREDUCE", "ALLGATHER", "ALLREDUCE", "ALLGATHER", "ALLREDUCE",
                                    "ALLGATHER"}),
      Make<std::string>("group_type", Texts(6, "DP")),
      Make<std::string>("algorithm", Texts{"TREE", "RING", "RING", "RING", "RING", "RING"}),
      Make<std::string>("protocol", Texts{"LL", "NONE", "LL128", "NONE", "LL128", "NONE"}),
      Make<std::uint32_t>("group", U32(6, 0)),
      Make<std::uint32_t>("ranks", U32(6, 4)),
      Make<std::int64_t>("bytes", I64(6, 1000)),
      Make<std::int64_t>("end_ps", I64{900, 1000, 1400, 1500, 2200, -1}),
      Make<std::int64_t>("time_ps", I64{900, 90, 400, 100, 700, -1}),
      Make<std::int64_t>("ideal_ps", I64{0, 0, 200, 0, 350, 0}),
      Make<double>("busbw", std::vector<double>{1, 1, 30, 10, 10, 0})};
  return table;
}

TEST(MeasuredTimes, LeaveOutPassesThatWarmUp) {
  const std::vector<KindTimes> kinds = TimesOfKinds(Collectives(), 1);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].operation, "ALLGATHER");
  EXPECT_EQ(kinds[0].time.number, 1u);
  EXPECT_EQ(kinds[1].time.number, 2u);
  EXPECT_EQ(kinds[1].time.smallest, 400);
  EXPECT_EQ(kinds[1].time.mean, 550);
  EXPECT_EQ(kinds[1].time.largest, 700);
  EXPECT_DOUBLE_EQ(kinds[1].bus_bandwidth, (30 * 400 + 10 * 700) / 1100.0);
  EXPECT_EQ(TimesOfKinds(Collectives(), 0)[1].time.number, 3u);
  EXPECT_DOUBLE_EQ(kinds[1].line_rate, 0.5);
  EXPECT_EQ(kinds[0].line_rate, 0) << "not known";
  EXPECT_EQ(kinds[0].algorithm, "RING");
  EXPECT_EQ(kinds[1].algorithm, "RING LL128");
  EXPECT_EQ(TimesOfKinds(Collectives(), 0)[1].algorithm, "several");
}

TEST(MeasuredTimes, LeaveOutTheFirstOfEachKind) {
  const std::vector<KindTimes> kinds = TimesOfKinds(Collectives(), 0, 2);
  ASSERT_EQ(kinds.size(), 1u) << "the third AllGather did not end";
  EXPECT_EQ(kinds[0].operation, "ALLREDUCE");
  EXPECT_EQ(kinds[0].time.number, 1u);
  EXPECT_EQ(kinds[0].time.mean, 700);
}

TEST(MeasuredTimes, PassesLastFromEndToEnd) {
  const TimeSpread all = TimesOfPasses(Collectives(), 0), later = TimesOfPasses(Collectives(), 1);
  EXPECT_EQ(all.number, 3u);
  EXPECT_EQ(all.largest, 1000);
  EXPECT_EQ(later.number, 2u);
  EXPECT_EQ(later.smallest, 500);
  EXPECT_EQ(later.largest, 700);
}

TEST(MeasuredTimes, PercentilesAreTimesThatOccurred) {
  std::vector<std::int64_t> times(200);
  std::iota(times.rbegin(), times.rend(), 1);
  const TimeSpread spread = SpreadOf(times);
  EXPECT_EQ(spread.p50, 100);
  EXPECT_EQ(spread.p99, 198);
  EXPECT_EQ(SpreadOf({7}).p99, 7);
  EXPECT_EQ(SpreadOf({}).number, 0u);
}

KindTimes MadeKind(const std::string& operation, std::int64_t bytes, double mean,
                   std::uint64_t number, double bandwidth = 1) {
  KindTimes kind;
  kind.operation = operation;
  kind.group = "DP";
  kind.ranks = 4;
  kind.bytes = bytes;
  kind.time.mean = mean;
  kind.time.number = number;
  kind.bus_bandwidth = bandwidth;
  return kind;
}

TEST(MeasuredTimes, AKindIsFoundByWhatItDoes) {
  const std::vector<KindTimes> kinds = {MadeKind("ALLREDUCE", 10, 5, 1),
                                        MadeKind("ALLREDUCE", 20, 6, 1)};
  EXPECT_EQ(FindKind(kinds, MadeKind("ALLREDUCE", 20, 99, 7)), &kinds[1]) << "whatever it took";
  EXPECT_EQ(FindKind(kinds, MadeKind("ALLGATHER", 20, 6, 1)), nullptr);
  EXPECT_EQ(FindKind(kinds, MadeKind("ALLREDUCE", 21, 6, 1)), nullptr);
  KindTimes other = kinds[0];
  other.ranks = 8;
  EXPECT_EQ(FindKind(kinds, other), nullptr);
  other = kinds[0];
  other.group = "TP";
  EXPECT_EQ(FindKind(kinds, other), nullptr);
  EXPECT_EQ(FindKind({}, kinds[0]), nullptr);
}

// Together they took 5 * 10 = 50, 40 * 1 = 40, 6 * 10 = 60 and 90; the last one has no bandwidth.
TEST(MeasuredTimes, TheLongestKindsComeFirstOnlyIfSomeAreLeftOut) {
  const std::vector<KindTimes> kinds = {MadeKind("a", 1, 5, 10), MadeKind("b", 1, 40, 1),
                                        MadeKind("c", 1, 6, 10), MadeKind("d", 1, 9, 10, 0)};
  const auto names = [&](std::size_t most) {
    std::string all;
    for (const KindTimes& kind : LongestKinds(kinds, most)) all += kind.operation;
    return all;
  };
  EXPECT_EQ(names(3), "abc");
  EXPECT_EQ(names(2), "ca");
  EXPECT_EQ(names(0), "");
  EXPECT_TRUE(LongestKinds({}, 2).empty());
}

}  // namespace
}  // namespace heddle
