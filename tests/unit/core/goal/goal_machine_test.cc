// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "tests/unit/core/goal/goal_programs.h"

namespace heddle {
namespace {

using testing::Calc;
using testing::RankOf;
using testing::Receive;
using testing::Send;
constexpr std::uint32_t kAny = GoalOperation::kAny;

/// A network in which each message leaves after 10 ns and arrives after `delay`, or after what is
/// said of its operation.
class Machine final : public GoalNetwork {
 public:
  /// `window`: operations that stay in memory; 0: all.
  explicit Machine(std::vector<GoalRank> ranks, std::uint64_t window = 0)
      : schedule_(testing::ScheduleOf(std::move(ranks), window)) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < schedule_.ranks.size(); ++i) all.push_back(i);
    machine_ = std::make_unique<GoalMachine>(schedule_, all, this);
  }

  std::map<std::uint32_t, Time> delays;  ///< by operation of the source
  std::vector<Time> sent;

  /// When each rank ended [ns].
  std::vector<std::int64_t> Run() {
    machine_->Begin();
    return GoOn();
  }
  std::vector<std::int64_t> GoOn() {
    while (machine_->next() < Time::Max()) machine_->RunUntil(machine_->next());
    std::vector<std::int64_t> ends;
    for (const auto& rank : machine_->progress()) ends.push_back(rank.end.ps / 1000);
    return ends;
  }
  GoalMachine& machine() { return *machine_; }
  const GoalSchedule& schedule() const { return schedule_; }
  bool ended() const { return machine_->ended() == machine_->operations(); }

 private:
  void Send(const GoalTransfer& transfer, std::int64_t /*bytes*/, Time at) override {
    sent.push_back(at);
    const auto found = delays.find(transfer.operation);
    const Time delay = found == delays.end() ? NanoSeconds(100) : found->second;
    machine_->Arrived(transfer, at + delay);
    machine_->Left(transfer.source, transfer.operation, at + NanoSeconds(10));
  }

  GoalSchedule schedule_;
  std::unique_ptr<GoalMachine> machine_;
};

using Ends = std::vector<std::int64_t>;

TEST(GoalMachine, CalcsOfOneCpuRunOneAfterTheOther) {
  EXPECT_EQ(Machine({RankOf({Calc(30), Calc(20)})}).Run(), Ends{50});
  EXPECT_EQ(Machine({RankOf({Calc(30), Calc(20, 1)})}).Run(), Ends{30});
  EXPECT_EQ(Machine({RankOf({Calc(30), Calc(20, 1)}, {{1, 0}})}).Run(), Ends{50});
}

TEST(GoalMachine, StartsReleaseBeforeEnds) {
  // The second waits for its cpu; the third starts when it starts, on another cpu.
  EXPECT_EQ(Machine({RankOf({Calc(30), Calc(5), Calc(50, 1)}, {{2, 1, true}})}).Run(), Ends{80});
  EXPECT_EQ(Machine({RankOf({Calc(30), Calc(5), Calc(50, 1)}, {{2, 1}})}).Run(), Ends{85});
}

TEST(GoalMachine, ASendEndsWhenItHasLeftAndAReceiveWhenItsMessageIsThere) {
  EXPECT_EQ(Machine({RankOf({Send(1)}), RankOf({Receive(0)})}).Run(), (Ends{10, 100}));
  // Posted late: the message waits.
  EXPECT_EQ(Machine({RankOf({Send(1)}), RankOf({Calc(500), Receive(0)}, {{1, 0}})}).Run(),
            (Ends{10, 500}));
}

TEST(GoalMachine, MessagesNeedTheirCpu) {
  Machine busy(
      {RankOf({Calc(40), Send(1), Send(1, 0, 1)}), RankOf({Receive(0), Receive(0), Calc(300)})});
  EXPECT_EQ(busy.Run(), (Ends{50, 300}));
  EXPECT_EQ(busy.sent, (std::vector<Time>{Time{0}, NanoSeconds(40)}));
}

TEST(GoalMachine, AMessageThatOvertakesWaits) {
  Machine machine({RankOf({Send(1, 7), Send(1, 7)}),
                   RankOf({Receive(0, 7), Calc(1), Receive(0, 7), Calc(1000)}, {{1, 0}, {3, 2}})});
  machine.delays = {{0, NanoSeconds(400)}, {1, NanoSeconds(100)}};
  EXPECT_EQ(machine.Run(), (Ends{10, 1401}));
}

TEST(GoalMachine, MessagesOfDifferentTagsDoNotWaitForEachOther) {
  Machine machine({RankOf({Send(1, 7), Send(1, 8)}),
                   RankOf({Receive(0, 7), Receive(0, 8), Calc(1000)}, {{2, 1}})});
  machine.delays = {{0, NanoSeconds(400)}, {1, NanoSeconds(100)}};
  EXPECT_EQ(machine.Run(), (Ends{10, 1100}));
}

TEST(GoalMachine, AnySourceAndTagTakeWhatComesFirst) {
  Machine machine({RankOf({Send(2, 1)}), RankOf({Calc(50), Send(2, 2)}, {{1, 0}}),
                   RankOf({Receive(kAny, kAny), Calc(1000), Receive(0, 1)}, {{1, 0}})});
  // The first receive takes the message of rank 0, so the second waits for ever.
  EXPECT_EQ(machine.Run(), (Ends{10, 60, 1100}));
  EXPECT_FALSE(machine.ended());
  ASSERT_EQ(machine.machine().Waiting(5).size(), 1u);
  EXPECT_EQ(machine.machine().Waiting(5)[0].second,
            "rank 2 waits for a receive from 0, tag 1, operation 2 of rank 2 in a.goal; 1 of its 3 "
            "operations have not ended");
  // Posted after both have come, by the order of arrival.
  Machine late({RankOf({Send(1, 5), Send(1, 4)}),
                RankOf({Calc(500), Receive(0, kAny), Receive(kAny, 4)}, {{1, 0}, {2, 0}})});
  late.delays = {{1, NanoSeconds(90)}, {0, NanoSeconds(95)}};
  late.Run();
  EXPECT_EQ(late.machine().Waiting(5).size(), 1u);
}

TEST(GoalMachine, ARankSendsToItself) {
  EXPECT_EQ(Machine({RankOf({Send(0, 3), Calc(7), Receive(0, 3)}, {{1, 2}, {2, 0}})}).Run(),
            Ends{7});
}

TEST(GoalMachine, TheLimitOfTimeIsAnError) {
  const std::int64_t days_60 = std::int64_t{60} * 86'400 * 1'000'000'000;
  try {
    Machine({RankOf({Calc(days_60), Calc(days_60)})}).Run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kStalled);
    EXPECT_STREQ(error.what(),
                 "operation 1 of rank 0 in a.goal: a calc of 5184000000000000 ns of rank 0 would "
                 "end beyond the limit of the simulated time, 105 days");
  }
}

/// What happens at one time does not depend on the order of the calls.
TEST(GoalMachine, CallsOfEqualTimesComeInAnyOrder) {
  const auto run = [](bool swapped) {
    GoalSchedule schedule;
    schedule.ranks = {
        RankOf({Send(2, 1)}), RankOf({Send(2, 1)}),
        RankOf({Receive(kAny, 1), Calc(1000), Receive(kAny, 1), Calc(10)}, {{1, 0}, {3, 2}})};
    struct Nowhere final : GoalNetwork {
      void Send(const GoalTransfer&, std::int64_t, Time) override {}
    } nowhere;
    GoalMachine machine(schedule, {2}, &nowhere);
    machine.Begin();
    for (const std::uint32_t source : {swapped ? 1U : 0U, swapped ? 0U : 1U})
      machine.Arrived({source, 2, 0, 1, 0}, NanoSeconds(5));
    while (machine.next() < Time::Max()) machine.RunUntil(machine.next());
    StateWriter state;
    machine.Save(&state);
    return state.bytes();
  };
  EXPECT_EQ(run(false), run(true));
}

TEST(GoalMachine, GoesOnFromASavedState) {
  // The window of one state is not that of the other.
  const auto make = [](std::uint64_t window = 0) {
    return std::make_unique<Machine>(
        std::vector<GoalRank>{
            RankOf({Calc(40), Send(1, 7), Send(1, 7), Send(1, 9, 1)}, {{1, 0}}),
            RankOf({Receive(0, 7), Calc(70), Receive(0, kAny), Receive(0, 7), Calc(90, 1)},
                   {{1, 0}, {2, 1, true}, {4, 3}})},
        window);
  };
  const Ends whole = make()->Run();
  for (std::int64_t stop = 0; stop < 300; stop += 7) {
    const auto first = make();
    first->machine().Begin();
    first->machine().RunUntil(NanoSeconds(stop));
    StateWriter saved;
    first->machine().Save(&saved);
    const auto second = make(1);
    second->machine().Begin();
    StateReader reader(saved.bytes());
    second->machine().Load(&reader);
    reader.ExpectEnd();
    EXPECT_EQ(second->GoOn(), whole) << "from " << stop << " ns";
    EXPECT_TRUE(second->ended());
  }
}

/// A long chain of calcs, with a message to the other rank behind every third.
GoalRank ChainOf(std::uint32_t steps, std::uint32_t peer) {
  std::vector<GoalOperation> operations;
  std::vector<testing::Edge> edges;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::uint32_t calc = 3 * i;
    const std::size_t send = operations.size() + 1;
    operations.insert(operations.end(), {Calc(10 + i % 7), Send(peer, i), Receive(peer, i)});
    operations[send].only_of_key = true;
    edges.push_back({calc + 1, calc});
    if (i > 0) edges.push_back({calc, calc - 1});
    if (i > 1) edges.push_back({calc + 2, calc - 5, true});
  }
  return RankOf(operations, edges);
}

TEST(GoalMachine, AWindowChangesNothingAndHoldsLess) {
  constexpr std::uint32_t kSteps = 3000;
  Machine all({ChainOf(kSteps, 1), ChainOf(kSteps, 0)});
  const Ends ends = all.Run();
  EXPECT_TRUE(all.ended());
  for (const std::uint64_t window : {1U, 500U, 17'999U}) {
    Machine some({ChainOf(kSteps, 1), ChainOf(kSteps, 0)}, window);
    EXPECT_LT(some.schedule().memory(), all.schedule().memory() / 100) << window;
    EXPECT_EQ(some.Run(), ends) << window;
    EXPECT_TRUE(some.ended()) << window;
    EXPECT_EQ(some.sent, all.sent) << window;
  }
  Machine enough({ChainOf(kSteps, 1), ChainOf(kSteps, 0)}, 18'000);
  EXPECT_EQ(enough.schedule().store, nullptr);
}

TEST(GoalMachine, OperationsThatHaveEndedTakeNoMemory) {
  Machine machine({ChainOf(3000, 1), ChainOf(3000, 0)}, 100);
  machine.machine().Begin();
  const std::size_t begin = machine.machine().memory();
  machine.GoOn();
  EXPECT_TRUE(machine.ended());
  EXPECT_LT(machine.machine().memory(), begin + 50'000);
}

TEST(GoalMachine, RefusesStatesOfAnotherSchedule) {
  Machine first({RankOf({Calc(40), Calc(40)})});
  first.machine().Begin();
  StateWriter saved;
  first.machine().Save(&saved);
  Machine other({RankOf({Calc(40), Calc(40)}, {{1, 0}})});
  other.machine().Begin();
  StateReader reader(saved.bytes());
  EXPECT_THROW(other.machine().Load(&reader), UserError);
}

}  // namespace
}  // namespace heddle
