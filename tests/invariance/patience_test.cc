// SPDX-License-Identifier: GPL-2.0-only
/// Roll-calls under mpirun, by a clock of the test: which rank asks, when, and which is found
/// missing.
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "core/mpi/communicator.h"
#include "core/mpi/rank_watchdog.h"
#include "tests/support/ranks_main.h"

namespace {

using namespace heddle;

constexpr double kLimit = 1, kStep = 0.2;  // [s]
constexpr double kGrace = 2;               // after a roll-call [s]
// A roll-call and its answer may each wait for one more poll [s].
constexpr double kSlack = 2.5 * kStep;
constexpr std::uint32_t kNobody = 1'000'000;

struct Case {
  WaitKind kind = WaitKind::kWindow;
  double limit = kLimit;
  std::uint32_t hangs = kNobody;  ///< the rank that never polls
  std::uint32_t works = kNobody;  ///< the rank that polls between other work
  double until = 0;               ///< end of the clock [s]
  double step = kStep;
};

struct Found {
  bool gave_up = false;
  double at = 0;  ///< [s]
  RollCall call;
};

/// All ranks wait, except the one that hangs, with a common clock. Uses MPI's own barrier, as
/// heddle's barrier answers roll-calls itself.
Found WaitTogether(const Communicator& world, const Case& one) {
  RankWatchdog scope(world.rank(), world.size(), one.limit,
                     [](const RollCall& call) { throw call; });
  WatchedWait wait(one.kind, 0);
  Found found;
  for (double now = one.step; now < one.until; now += one.step) {
    if (!found.gave_up && world.rank().value != one.hangs) {
      try {
        wait.Turn(now);
        if (world.rank().value == one.works) wait.Reset();
      } catch (const RollCall& call) {
        found = {true, now, call};
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return found;
}

bool Check(const Communicator& world, bool good, const char* what, const Found& found) {
  if (!good) {
    std::printf("rank %u of %u: %s (gave up %d at %.1f, waited %.1f, %zu missing)\n",
                world.rank().value, world.size(), what, found.gave_up, found.at, found.call.waited,
                found.call.missing.size());
  }
  return good;
}

std::vector<std::uint32_t> Working(const Case& one) {
  return one.works == kNobody ? std::vector<std::uint32_t>()
                              : std::vector<std::uint32_t>{one.works};
}

/// Expects that only `speaker` gives up, at about `at` and after so many roll-calls, and reports
/// `missing`.
bool GivesUp(const Communicator& world, const Case& one, std::uint32_t speaker, double at,
             const std::vector<std::uint32_t>& missing, const char* what, int calls = 1) {
  const Found found = WaitTogether(world, one);
  if (world.rank().value != speaker) return Check(world, !found.gave_up, what, found);
  return Check(world,
               found.gave_up && found.at >= at - one.step / 2 && found.at <= at + calls * kSlack &&
                   found.call.missing == missing && found.call.kind == one.kind &&
                   found.call.working == Working(one),
               what, found);
}

bool NobodyGivesUp(const Communicator& world, const Case& one, const char* what) {
  const Found found = WaitTogether(world, one);
  return Check(world, !found.gave_up, what, found);
}

bool RunAll(const Communicator& world) {
  const std::uint32_t last = world.size() - 1;
  const double stagger = 0.2;  // of rank 1
  bool good = true;
  const auto expect = [&good](bool one) { good = one && good; };

  Case one;
  one.until = 4;
  one.hangs = last;
  expect(GivesUp(world, one, 0, kLimit + kGrace, {last}, "the last rank hangs"));
  one.hangs = 0;
  expect(GivesUp(world, one, 1, kLimit + stagger + kGrace, {0},
                 "rank 0 hangs, and another one speaks"));

  one.until = 14;
  one.kind = WaitKind::kCollective;
  expect(GivesUp(world, one, 1, RankWatchdog::kCollectiveFactor * kLimit + stagger + kGrace, {0},
                 "outside windows"));

  one.kind = WaitKind::kWindow;
  one.hangs = kNobody;
  one.until = 2 * (kLimit + kGrace) - kStep / 2;
  expect(NobodyGivesUp(world, one, "all wait: the one that was late may just have come"));
  one.until = 8;
  expect(GivesUp(world, one, 0, 2 * (kLimit + kGrace), {}, "all wait twice: a message was lost"));

  one.kind = WaitKind::kTraffic;
  one.works = last;
  const double slow = RankWatchdog::kSlowFactor * (kLimit + kGrace);
  one.until = slow - kStep;
  expect(NobodyGivesUp(world, one, "a rank works, and answers"));
  one.until = slow + 5;
  expect(GivesUp(world, one, 0, slow, {}, "a rank works for too long", RankWatchdog::kSlowFactor));
  one.kind = WaitKind::kWindow;
  one.works = kNobody;

  // All ranks were suspended for minutes: each step counts a quarter of a second.
  one.hangs = last;
  one.step = 1000;
  one.until = 12'000;
  expect(NobodyGivesUp(world, one, "time in which the process was stopped"));
  one.until = 20'000;
  const Found stopped = WaitTogether(world, one);
  expect(Check(world, stopped.gave_up == (world.rank().value == 0),
               "it ran a quarter of a second each time", stopped));

  one.step = kStep;
  one.until = 30;
  one.limit = 0;
  expect(NobodyGivesUp(world, one, "no limit"));
  return good;
}

}  // namespace

bool heddle::TestOnRanks(const Communicator& world) {
  return world.size() > 1
             ? RunAll(world)
             : NobodyGivesUp(world, {WaitKind::kWindow, kLimit, kNobody, 30, kStep}, "alone");
}
