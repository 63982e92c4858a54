// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/loggops.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/unit/core/goal/goal_programs.h"

namespace heddle {
namespace {

using testing::Calc;
using testing::RankOf;
using testing::Receive;
using testing::Send;
using Ends = std::vector<std::int64_t>;

/// L 1000, o 100, g 50, G 1, O 1, S `eager`.
LogGopsOptions Values(std::int64_t eager = 65535) {
  LogGopsOptions values;
  values.latency = 1000;
  values.overhead = 100;
  values.gap = 50;
  values.gap_per_byte = 1;
  values.overhead_per_byte = 1;
  values.eager_limit = eager;
  return values;
}

/// When the ranks end; -1 in front if operations are left.
Ends EndsOf(std::vector<GoalRank> ranks, const LogGopsOptions& values, std::uint64_t window = 0) {
  const GoalSchedule schedule = testing::ScheduleOf(std::move(ranks), window);
  LogGops run(schedule, values);
  run.Run();
  Ends ends = run.ends();
  if (run.ended() < schedule.CountOperations()) ends.insert(ends.begin(), -1);
  return ends;
}

// A message of 100 bytes: the sender is busy for 199 ns, and it arrives 1099 ns later; the receiver
// is busy for 249 ns.
TEST(LogGops, TimesOfAMessage) {
  EXPECT_EQ(EndsOf({RankOf({Send(1)}), RankOf({Receive(0)})}, Values()), (Ends{199, 1547}));
  // Rendezvous: the sender ends with the receiver.
  EXPECT_EQ(EndsOf({RankOf({Send(1)}), RankOf({Receive(0)})}, Values(0)), (Ends{1547, 1547}));
  // Posted late: from its own time.
  EXPECT_EQ(EndsOf({RankOf({Send(1)}), RankOf({Calc(5000), Receive(0)}, {{1, 0}})}, Values()),
            (Ends{199, 5249}));
}

TEST(LogGops, SendsNeedCpuAndNic) {
  // One cpu: from 0 and 199 on. Another cpu: the NIC is free at 149.
  EXPECT_EQ(EndsOf({RankOf({Send(1), Send(1)}), RankOf({Receive(0), Receive(0)})}, Values())[0],
            398);
  EXPECT_EQ(
      EndsOf({RankOf({Send(1), Send(1, 0, 1)}), RankOf({Receive(0), Receive(0)})}, Values())[0],
      348);
}

TEST(LogGops, AReceiverThatComputesTakesItsMessageLater) {
  EXPECT_EQ(EndsOf({RankOf({Send(1)}), RankOf({Receive(0), Calc(4000)})}, Values()),
            (Ends{199, 4249}));
  EXPECT_EQ(EndsOf({RankOf({Send(1)}), RankOf({Receive(0), Calc(4000, 1)})}, Values()),
            (Ends{199, 4000}));
}

TEST(LogGops, AnythingMatchesTheFirst) {
  EXPECT_EQ(
      EndsOf({RankOf({Send(1, 3)}), RankOf({Receive(GoalOperation::kAny, GoalOperation::kAny)})},
             Values()),
      (Ends{199, 1547}));
}

TEST(LogGops, AStartReleasesAtItsTime) {
  EXPECT_EQ(EndsOf({RankOf({Calc(30), Calc(5), Calc(50, 1)}, {{2, 1, true}})}, Values()), Ends{80});
}

TEST(LogGops, AWindowChangesNothing) {
  // Eager messages that run ahead, and rendezvous, whose sends are looked at again when they end.
  for (const std::int64_t eager : {0, 65535}) {
    const auto ends = [&](std::uint64_t window) {
      std::vector<GoalRank> ranks;
      for (const std::uint32_t peer : {1U, 0U}) {
        std::vector<GoalOperation> operations;
        std::vector<testing::Edge> edges;
        for (std::uint32_t i = 0; i < 1000; ++i) {
          operations.insert(operations.end(),
                            {Calc(20 + i % 5), Send(peer, i % 3, 1), Receive(peer, i % 3)});
          edges.push_back({3 * i + 1, 3 * i, i % 2 == 0});
          if (i > 0) edges.push_back({3 * i, 3 * i - (peer == 0 ? 1 : 2)});
        }
        ranks.push_back(RankOf(operations, edges));
      }
      return EndsOf(std::move(ranks), Values(eager), window);
    };
    EXPECT_EQ(ends(1), ends(0));
    EXPECT_EQ(ends(5999), ends(0));
  }
}

TEST(LogGops, SaysWhoWaits) {
  const GoalSchedule schedule = testing::ScheduleOf({RankOf({Receive(1, 4), Send(1, 4)}, {{1, 0}}),
                                                     RankOf({Receive(0, 4), Send(0, 4)}, {{1, 0}})},
                                                    1);
  LogGops run(schedule, Values());
  run.Run();
  EXPECT_EQ(run.waiting_ranks(), 2u);
  EXPECT_EQ(run.Waiting(1), std::vector<std::string>{
                                "rank 0 waits for a receive from 1, tag 4, operation 0 of rank "
                                "0 in a.goal; 2 of its 2 operations have not ended"});
}

TEST(LogGops, TheLimitOfTimeIsAnError) {
  const std::int64_t days_60 = std::int64_t{60} * 86'400 * 1'000'000'000;
  EXPECT_THROW(
      EndsOf({RankOf({Calc(days_60), Calc(days_60), Calc(1)}, {{1, 0}, {2, 1}})}, Values()), Error);
}

}  // namespace
}  // namespace heddle
