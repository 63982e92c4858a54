// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/joint_driver.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "core/goal/goal_driver.h"
#include "tests/unit/core/goal/goal_programs.h"

namespace heddle {
namespace {

using testing::Calc;
using testing::RankOf;

/// Writes down the calls of wakes; posts nothing.
class WakePort final : public FlowPoster {
 public:
  void Post(const FlowPost&) override {}
  void WakeAt(Time when) override { wakes.insert(when); }

  std::multiset<Time> wakes;
};

/// Has an agent on node 1 that wants to be woken at 50 and 300 ns.
class OtherDriver final : public FlowDriver {
 public:
  class Agent final : public FlowAgent {
   public:
    void Begin(FlowPoster* port) override {
      port->WakeAt(NanoSeconds(300));
      port->WakeAt(NanoSeconds(50));
    }
    void Woken() override { ++woken; }
    void Sent(const FlowCookie&, Time) override {}
    void Received(const FlowCookie&, Time) override { ++received; }
    bool Awaits(const std::vector<Time>& wakes) const override {
      return wakes.size() == 2 - static_cast<std::size_t>(woken);
    }
    void Save(StateWriter* to) const override { *to << woken; }
    void Load(StateReader* from) override { *from >> woken; }

    int woken = 0, received = 0;
  };

  FlowAgent* AgentOf(DomainId, const std::vector<NodeId>& nodes) override {
    return nodes[0] == NodeId(1) ? &agent : nullptr;
  }
  Time notice_delay() const override { return NanoSeconds(20); }
  std::string WaitsFor() const override { return "the other one"; }

  Agent agent;
};

/// A schedule whose rank 0 is on node 2 and computes for 100 ns, then another 10.
struct Two {
  std::vector<GoalJob> jobs{1};
  OtherDriver other;
  std::unique_ptr<GoalDriver> schedules;
  std::unique_ptr<JointDriver> joint;
  WakePort port;

  Two() {
    jobs[0].gpus = {NodeId(2)};
    jobs[0].schedule.ranks = {RankOf({Calc(100), Calc(10)}, {{1, 0}})};
    schedules = std::make_unique<GoalDriver>(jobs, MicroSeconds(1));
    joint = std::make_unique<JointDriver>(&other, schedules.get(), &GoalDriver::Owns);
  }
  /// Begins the agent of both nodes.
  FlowAgent* Begin() {
    FlowAgent* agent = joint->AgentOf(DomainId(0), {NodeId(1), NodeId(2)});
    agent->Begin(&port);
    return agent;
  }
};

/// A cookie of collectives, whose kind of connection is a small number.
FlowCookie OfCollective() { return FlowCookie{}; }

TEST(JointDriver, WakesWhoeverAskedForIt) {
  Two two;
  FlowAgent* agent = two.Begin();
  ASSERT_EQ(two.port.wakes.size(), 3u);
  EXPECT_EQ(*two.port.wakes.rbegin(), NanoSeconds(1100) - PicoSeconds(1)) << "the schedule's";
  agent->Woken();
  agent->Woken();
  EXPECT_EQ(two.other.agent.woken, 2);
  EXPECT_EQ(two.schedules->ended(), 0u);
  agent->Woken();
  EXPECT_EQ(two.schedules->ended(), 1u);
  EXPECT_EQ(two.other.agent.woken, 2);
}

TEST(JointDriver, HandsMessagesToTheirDriver) {
  Two two;
  FlowAgent* agent = two.Begin();
  EXPECT_FALSE(GoalDriver::Owns(OfCollective()));
  agent->Received(OfCollective(), NanoSeconds(70));
  EXPECT_EQ(two.other.agent.received, 1);
  EXPECT_TRUE(agent->Knows(OfCollective(), NodeId(), NodeId()));
}

TEST(JointDriver, DomainsOfOneDriverHaveItsAgent) {
  Two two;
  EXPECT_EQ(two.joint->AgentOf(DomainId(0), {NodeId(1)}), &two.other.agent);
  EXPECT_EQ(two.joint->AgentOf(DomainId(1), {NodeId(7)}), nullptr);
  EXPECT_EQ(two.joint->notice_delay(), NanoSeconds(20));
  EXPECT_EQ(two.joint->WaitsFor(), "the other one");
}

TEST(JointDriver, GoesOnFromASavedState) {
  Two first;
  FlowAgent* agent = first.Begin();
  agent->Woken();
  StateWriter saved;
  agent->Save(&saved);
  Two second;
  FlowAgent* loaded = second.Begin();
  StateReader reader(saved.bytes());
  loaded->Load(&reader);
  reader.ExpectEnd();
  const std::vector<Time> left = {NanoSeconds(300), NanoSeconds(1100) - PicoSeconds(1)};
  EXPECT_TRUE(loaded->Awaits(left));
  EXPECT_FALSE(loaded->Awaits({left[0]}));
  EXPECT_FALSE(loaded->Awaits({left[0], NanoSeconds(1000)}));
  loaded->Woken();
  EXPECT_EQ(second.other.agent.woken, 2);
  loaded->Woken();
  EXPECT_EQ(second.schedules->ended(), 1u);
}

/// Any byte of a state may be wrong: it is refused, or it is not awaited.
TEST(JointDriver, DamagedStatesGiveErrorsOnly) {
  Two first;
  StateWriter saved;
  first.Begin()->Save(&saved);
  for (std::size_t at = 0; at < saved.bytes().size(); ++at) {
    for (const char value : {'\x01', '\x7f', '\xff'}) {
      std::vector<char> bytes = saved.bytes();
      bytes[at] = value;
      Two second;
      FlowAgent* agent = second.Begin();
      StateReader reader(bytes);
      try {
        agent->Load(&reader);
        if (!agent->Awaits({NanoSeconds(50), NanoSeconds(300), NanoSeconds(1100) - PicoSeconds(1)}))
          continue;
        for (int i = 0; i < 3; ++i) agent->Woken();
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace heddle
