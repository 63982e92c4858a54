// SPDX-License-Identifier: GPL-2.0-only
/// heddle::PlainRecordScheduler against ns3::MapScheduler.
#include "core/engine/ns3_scheduler.h"

#include <gtest/gtest.h>
#include <ns3/event-impl.h>
#include <ns3/make-event.h>
#include <ns3/map-scheduler.h>

#include <map>

#include "core/base/random.h"

namespace heddle {
namespace {

void Nothing() {}

class PlainScheduler : public ::testing::TestWithParam<int> {};

TEST_P(PlainScheduler, AgreesWithMapScheduler) {
  const auto ours = ns3::CreateObject<PlainRecordScheduler>();
  const auto theirs = ns3::CreateObject<ns3::MapScheduler>();
  const ns3::Ptr<ns3::EventImpl> impls[2] = {{ns3::MakeEvent(&Nothing), false},
                                             {ns3::MakeEvent(&Nothing), false}};
  RandomStream random(1, static_cast<std::uint64_t>(GetParam()), RandomPurpose::kPartition);
  std::map<std::uint32_t, ns3::Scheduler::Event> live;  // by uid
  std::uint64_t now = 0;
  std::uint32_t uid = 4;
  const auto same = [](const ns3::Scheduler::Event& a, const ns3::Scheduler::Event& b) {
    return a.impl == b.impl && a.key.m_ts == b.key.m_ts && a.key.m_uid == b.key.m_uid &&
           a.key.m_context == b.key.m_context;
  };
  for (int i = 0; i < 6000; ++i) {
    const std::uint64_t what = random.Below(10);
    ASSERT_EQ(ours->IsEmpty(), theirs->IsEmpty());
    if (what < 5 || live.empty()) {
      ns3::Scheduler::Event event;
      event.impl = ns3::PeekPointer(impls[random.Below(2)]);
      event.key.m_ts =
          now + random.Below(random.Below(8) == 0 ? 1ULL << 40 : 1ULL << (4 * (GetParam() + 1)));
      event.key.m_uid = uid++;
      event.key.m_context = static_cast<std::uint32_t>(random.Below(5));
      ours->Insert(event);
      theirs->Insert(event);
      live[event.key.m_uid] = event;
    } else if (what < 7) {
      ASSERT_TRUE(same(ours->PeekNext(), theirs->PeekNext()));
    } else if (what < 8) {
      auto it = live.begin();
      std::advance(it, random.Below(live.size()));
      // Also the first event.
      if (random.Below(3) == 0) it = live.find(theirs->PeekNext().key.m_uid);
      ours->Remove(it->second);
      theirs->Remove(it->second);
      live.erase(it);
    } else {
      const auto a = ours->RemoveNext(), b = theirs->RemoveNext();
      ASSERT_TRUE(same(a, b)) << a.key.m_uid << " " << b.key.m_uid;
      now = b.key.m_ts;
      live.erase(b.key.m_uid);
    }
  }
  while (!theirs->IsEmpty()) ASSERT_TRUE(same(ours->RemoveNext(), theirs->RemoveNext()));
  EXPECT_TRUE(ours->IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Spreads, PlainScheduler, ::testing::Range(0, 8));

}  // namespace
}  // namespace heddle
