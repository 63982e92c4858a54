// SPDX-License-Identifier: GPL-2.0-only
/// Events of ns-3 between the windows of the domains.
#include <gtest/gtest.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include "core/engine/engine.h"
#include "core/engine/engine_session.h"

namespace heddle {
namespace {

/// Has an event every `step`, and records their times.
class Ticker final : public Domain {
 public:
  Ticker(DomainId id, std::int64_t step, int count) : Domain(id) {
    for (int i = 0; i < count; ++i) {
      queue_.Push({PicoSeconds(step * i), static_cast<std::uint64_t>(i), 0, 0});
    }
  }
  void RunUntil(Time end) override {
    Event event;
    while (queue_.PopBefore(end, &event)) ran.push_back(event.time.ps);
  }
  std::vector<std::int64_t> ran;
};

class Ns3Events : public ::testing::Test {
 protected:
  Ns3Events() : post_({RankId(0), RankId(0)}, RankId(0), 1) {
    ns3::Simulator::Destroy();  // a new simulator, at time 0
    post_.Add(&fast_);
    post_.Add(&slow_);
    setup_.post_office = &post_;
    setup_.lookahead = PicoSeconds(500);
  }
  ~Ns3Events() override {
    ns3::Simulator::Destroy();
  }  // what Stop() left must not outlive the test
  void Run() { RunEngine(EngineKind::kDomain, Communicator::Serial(), setup_); }
  /// At `ps`, all domain events before it have run and none from it on.
  void Look(std::int64_t ps) {
    order_.push_back(ps);
    EXPECT_EQ(ns3::Simulator::Now().GetPicoSeconds(), ps);
    EXPECT_EQ(static_cast<std::int64_t>(fast_.ran.size()),
              std::min<std::int64_t>(100, (ps + 99) / 100));
    EXPECT_EQ(static_cast<std::int64_t>(slow_.ran.size()),
              std::min<std::int64_t>(10, (ps + 699) / 700));
  }
  void LookAt(std::int64_t ps) {
    ns3::Simulator::Schedule(ns3::PicoSeconds(static_cast<std::uint64_t>(ps)),
                             [this, ps] { Look(ps); });
  }
  Ticker fast_{DomainId(0), 100, 100}, slow_{DomainId(1), 700, 10};
  PostOffice post_;
  EngineSetup setup_;
  std::vector<std::int64_t> order_;
};

TEST_F(Ns3Events, RunAtAConsistentCut) {
  for (std::int64_t ps : {20000, 1400, 0, 701, 700, 350, 9999}) LookAt(ps);
  Run();
  EXPECT_EQ(order_, (std::vector<std::int64_t>{0, 350, 700, 701, 1400, 9999, 20000}));
  EXPECT_EQ(fast_.ran.size(), 100U);
  EXPECT_EQ(slow_.ran.size(), 10U);
}

TEST_F(Ns3Events, OfEqualTimeRunInOrderOfSchedulingAlsoFromWithin) {
  std::vector<int> order;
  ns3::Simulator::Schedule(ns3::PicoSeconds(1000), [&] {
    order.push_back(1);
    ns3::Simulator::ScheduleNow([&] { order.push_back(3); });
    ns3::Simulator::Schedule(ns3::PicoSeconds(250), [&] {
      order.push_back(4);
      Look(1250);
    });
  });
  ns3::Simulator::Schedule(ns3::PicoSeconds(1000), [&] { order.push_back(2); });
  Run();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(order_, std::vector<std::int64_t>{1250});
}

TEST_F(Ns3Events, CancelledAndRemovedOnesDoNotRun) {
  std::vector<int> ran;
  const ns3::EventId a = ns3::Simulator::Schedule(ns3::PicoSeconds(100), [&] { ran.push_back(1); });
  const ns3::EventId b = ns3::Simulator::Schedule(ns3::PicoSeconds(200), [&] { ran.push_back(2); });
  const ns3::EventId c = ns3::Simulator::Schedule(ns3::PicoSeconds(300), [&] { ran.push_back(3); });
  EXPECT_EQ(ns3::Simulator::GetDelayLeft(c).GetPicoSeconds(), 300);
  ns3::Simulator::Cancel(a);
  ns3::Simulator::Remove(b);
  EXPECT_TRUE(ns3::Simulator::IsExpired(a));
  EXPECT_TRUE(ns3::Simulator::IsExpired(b));
  EXPECT_FALSE(ns3::Simulator::IsExpired(c));
  Run();
  EXPECT_EQ(ran, std::vector<int>{3});
  EXPECT_TRUE(ns3::Simulator::IsExpired(c));
}

TEST_F(Ns3Events, StopEndsTheRun) {
  ns3::Simulator::Stop(ns3::PicoSeconds(2050));
  LookAt(3000);
  Run();
  EXPECT_TRUE(order_.empty());
  EXPECT_EQ(fast_.ran.size(), 21U);  // 0, 100, .., 2000
  EXPECT_EQ(slow_.ran.size(), 3U);   // 0, 700, 1400
}

}  // namespace
}  // namespace heddle
