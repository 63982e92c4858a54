// SPDX-License-Identifier: GPL-2.0-only
/// The event queue against ns-3's schedulers, in the hold model: take the first event, insert one a random time later.
///
/// Source of the model: Jones, "An Empirical Comparison of Priority-Queue and Event-Set Implementations", CACM 29(4), 1986.
/// ns-3's schedulers hold ns-3's own events through their own interface; nothing is invoked on either side.
#include <ns3/calendar-scheduler.h>
#include <ns3/event-impl.h>
#include <ns3/heap-scheduler.h>
#include <ns3/list-scheduler.h>
#include <ns3/make-event.h>
#include <ns3/map-scheduler.h>
#include <ns3/priority-queue-scheduler.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/plain_scheduler.h"
#include "core/random.h"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;
constexpr int kHolds = 2'000'000;

/// Increments in picoseconds: exponential with a mean of 1 us, drawn beforehand so that both sides pay nothing for them.
std::vector<std::int64_t> Increments() {
  RandomStream random(1, 0, RandomPurpose::kPermutation);
  std::vector<std::int64_t> values(1 << 16);
  for (std::int64_t& value : values) value = 1 + static_cast<std::int64_t>(-1e6 * std::log(1 - random.Uniform()));
  return values;
}

double HoldOwn(int pending, const std::vector<std::int64_t>& increments) {
  EventQueue queue;
  for (int i = 0; i < pending; ++i) queue.Push({Time{increments[i & 0xffff]}, static_cast<std::uint64_t>(i), 0, 0});
  const auto hold = [&](int count) {
    Event event;
    for (int i = 0; i < count; ++i) {
      queue.PopBefore(Time::Max(), &event);
      event.time.ps += increments[i & 0xffff];
      queue.Push(event);
    }
  };
  hold(pending * 4);  // steady state
  const auto start = Clock::now();
  hold(kHolds);
  return kHolds / std::chrono::duration<double>(Clock::now() - start).count() * 1e-6;
}

double HoldNs3(ns3::Ptr<ns3::Scheduler> scheduler, int pending, const std::vector<std::int64_t>& increments) {
  std::uint32_t uid = 4;
  const auto insert = [&](std::uint64_t time, ns3::EventImpl* impl) {
    ns3::Scheduler::Event event;
    event.impl = impl;
    event.key = {time, uid++, 0};
    scheduler->Insert(event);
  };
  for (int i = 0; i < pending; ++i) {
    insert(static_cast<std::uint64_t>(increments[i & 0xffff]), ns3::MakeEvent([] {}));
  }
  const auto hold = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const ns3::Scheduler::Event event = scheduler->RemoveNext();
      insert(event.key.m_ts + static_cast<std::uint64_t>(increments[i & 0xffff]), event.impl);
    }
  };
  hold(std::min(pending * 4, kHolds));
  const int holds = kHolds / 4;
  const auto start = Clock::now();
  hold(holds);
  return holds / std::chrono::duration<double>(Clock::now() - start).count() * 1e-6;
}

}  // namespace

int main() {
  const std::vector<std::int64_t> increments = Increments();
  for (int pending : {20'000, 100'000}) {
    const double own = HoldOwn(pending, increments);
    double best = 0;
    std::printf("%d pending\n  %-26s %6.2f M events/s\n", pending, "heddle event queue", own);
    const auto report = [&](const char* name, double rate) {
      best = std::max(best, rate);
      std::printf("  %-26s %6.2f M events/s\n", name, rate);
    };
    report("ns-3 heap", HoldNs3(ns3::CreateObject<ns3::HeapScheduler>(), pending, increments));
    report("ns-3 map", HoldNs3(ns3::CreateObject<ns3::MapScheduler>(), pending, increments));
    report("ns-3 priority queue", HoldNs3(ns3::CreateObject<ns3::PriorityQueueScheduler>(), pending, increments));
    report("ns-3 calendar", HoldNs3(ns3::CreateObject<ns3::CalendarScheduler>(), pending, increments));
    std::printf("  %-26s %6.2f M events/s (same queue behind ns-3's interface)\n", "heddle PlainRecordScheduler",
                HoldNs3(ns3::CreateObject<heddle::PlainRecordScheduler>(), pending, increments));
    std::printf("  ratio to the best of ns-3: %.1f (goal: 4)\n", own / best);
  }
  return 0;
}
