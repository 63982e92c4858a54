// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_driver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "tests/unit/core/goal/goal_programs.h"

namespace heddle {
namespace {

using testing::Calc;
using testing::RankOf;
using testing::Receive;
using testing::Send;

/// A transport that only writes down what is asked of it.
class NotedPort final : public FlowPoster {
 public:
  void Post(const FlowPost& flow) override { posts.push_back(flow); }
  void WakeAt(Time when) override { wakes.push_back(when); }

  std::vector<FlowPost> posts;
  std::vector<Time> wakes;  ///< in the order of asking
};

/// Rank 0 on node 5 computes 100 ns, then sends to rank 1 on node 3, which then computes 40 ns.
struct Pair {
  std::vector<GoalJob> jobs{1};
  std::unique_ptr<GoalDriver> driver;
  NotedPort port;
  FlowAgent* agent = nullptr;

  explicit Pair(Time latency = MicroSeconds(6)) {
    jobs[0].gpus = {NodeId(5), NodeId(3)};
    jobs[0].schedule.file = "a.goal";
    jobs[0].schedule.ranks = {RankOf({Calc(100), Send(1, 7)}, {{1, 0}}),
                              RankOf({Receive(0, 7), Calc(40)}, {{1, 0}})};
    driver = std::make_unique<GoalDriver>(jobs, latency);
    agent = driver->AgentOf(DomainId(0), {NodeId(2), NodeId(3), NodeId(5)});
    agent->Begin(&port);
  }
  Time Behind() const { return driver->notice_delay() + PicoSeconds(1); }
};

TEST(GoalDriver, PostsWhatStartsOneLatencyLater) {
  Pair pair;
  EXPECT_TRUE(pair.port.posts.empty());
  ASSERT_EQ(pair.port.wakes, std::vector<Time>{NanoSeconds(100) + pair.Behind()});
  pair.agent->Woken();
  ASSERT_EQ(pair.port.posts.size(), 1u);
  const FlowPost& post = pair.port.posts[0];
  EXPECT_EQ(post.asked, NanoSeconds(100));
  EXPECT_EQ(post.start, NanoSeconds(6100));
  EXPECT_GT(post.start, pair.port.wakes[0]) << "nothing is posted for now";
  EXPECT_EQ(post.source, NodeId(5));
  EXPECT_EQ(post.destination, NodeId(3));
  EXPECT_EQ(post.size, 100);
  EXPECT_TRUE(pair.agent->Knows(post.cookie, NodeId(5), NodeId(3)));
  EXPECT_FALSE(pair.agent->Knows(post.cookie, NodeId(3), NodeId(5)));
  EXPECT_FALSE(pair.agent->Knows(FlowCookie{}, NodeId(), NodeId()));
}

TEST(GoalDriver, EndsByWhatItIsTold) {
  Pair pair;
  pair.agent->Woken();
  const FlowCookie cookie = pair.port.posts[0].cookie;
  pair.agent->Sent(cookie, NanoSeconds(6200));
  pair.agent->Received(cookie, NanoSeconds(9000));
  EXPECT_TRUE(pair.agent->Awaits({pair.port.wakes.back()})) << "for the earlier one";
  pair.agent->Woken();
  EXPECT_EQ(pair.port.wakes.back(), NanoSeconds(9000) + pair.Behind());
  pair.agent->Woken();
  pair.agent->Woken();
  EXPECT_EQ(pair.driver->ended(), pair.driver->operations());
  for (const GoalDriver::Progress& rank : pair.driver->progress())
    EXPECT_EQ(rank.of.end, NanoSeconds(rank.of.rank == 0 ? 6200 : 9040));
  EXPECT_TRUE(pair.agent->Awaits({}));
}

TEST(GoalDriver, DomainsWithoutRanksHaveNoAgent) {
  Pair pair;
  EXPECT_EQ(pair.driver->AgentOf(DomainId(1), {NodeId(0), NodeId(7)}), nullptr);
}

TEST(GoalDriver, ALatencyOfNothingIsTheLeast) {
  Pair pair(Time{0});
  pair.agent->Woken();
  EXPECT_EQ(pair.port.posts[0].start, NanoSeconds(110));
  EXPECT_GT(pair.driver->notice_delay(), Time{0});
}

TEST(GoalDriver, GoesOnFromASavedState) {
  Pair first;
  first.agent->Woken();
  StateWriter saved;
  first.agent->Save(&saved);
  Pair second;
  StateReader reader(saved.bytes());
  second.agent->Load(&reader);
  reader.ExpectEnd();
  EXPECT_TRUE(second.agent->Awaits({}));
  second.agent->Sent(first.port.posts[0].cookie, NanoSeconds(6200));
  second.agent->Received(first.port.posts[0].cookie, NanoSeconds(9000));
  for (int i = 0; i < 3; ++i) second.agent->Woken();
  EXPECT_EQ(second.driver->ended(), 4u);
}

/// Any byte of a state may be wrong: it is refused, or the agent goes on with it.
TEST(GoalDriver, DamagedStatesGiveErrorsOnly) {
  Pair first;
  StateWriter saved;
  first.agent->Save(&saved);
  for (std::size_t at = 0; at < saved.bytes().size(); ++at) {
    for (const char value : {'\x01', '\x7f', '\xff'}) {
      std::vector<char> bytes = saved.bytes();
      bytes[at] = value;
      Pair second;
      StateReader reader(bytes);
      try {
        second.agent->Load(&reader);
        if (!second.agent->Awaits({})) second.agent->Woken();
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace heddle
