// SPDX-License-Identifier: GPL-2.0-only
/// Compares the event queue with ns-3's schedulers in the hold model: remove the first event,
/// insert one a random time later.
///
/// Source of the model: Jones, "An Empirical Comparison of Priority-Queue and Event-Set
/// Implementations", CACM 29(4), 1986. ns-3's schedulers hold ns-3's own events through their own
/// interface; nothing is invoked on either side.
#include <ns3/calendar-scheduler.h>
#include <ns3/event-impl.h>
#include <ns3/heap-scheduler.h>
#include <ns3/list-scheduler.h>
#include <ns3/make-event.h>
#include <ns3/map-scheduler.h>
#include <ns3/object-factory.h>
#include <ns3/priority-queue-scheduler.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/engine/ns3_scheduler.h"
#include "core/events/event_queue.h"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;
constexpr int kHolds = 2'000'000;

/// Increments in picoseconds: exponential with a mean of 1 us, drawn beforehand so that their cost
/// counts for neither side.
std::vector<std::int64_t> Increments() {
  RandomStream random(1, 0, RandomPurpose::kPermutation);
  std::vector<std::int64_t> values(1 << 16);
  for (std::int64_t& value : values)
    value = 1 + static_cast<std::int64_t>(-1e6 * std::log(1 - random.Uniform()));
  return values;
}

double HoldOwn(int pending, const std::vector<std::int64_t>& increments) {
  EventQueue queue;
  for (int i = 0; i < pending; ++i)
    queue.Push({Time{increments[i & 0xffff]}, static_cast<std::uint64_t>(i), 0, 0});
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

double HoldNs3(ns3::Ptr<ns3::Scheduler> scheduler, int pending,
               const std::vector<std::int64_t>& increments) {
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

/// Median of three rounds that alternate between both sides, so that a disturbance of the machine
/// affects both.
double Middle(std::vector<double> rates) {
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

void Compare(int pending, const std::vector<std::int64_t>& increments) {
  const std::vector<std::pair<const char*, const char*>> schedulers = {
      {"ns-3 heap", "ns3::HeapScheduler"},
      {"ns-3 map", "ns3::MapScheduler"},
      {"ns-3 priority queue", "ns3::PriorityQueueScheduler"},
      {"ns-3 calendar", "ns3::CalendarScheduler"},
      {"heddle PlainRecordScheduler", "heddle::PlainRecordScheduler"}};
  std::vector<double> own;
  std::vector<std::vector<double>> others(schedulers.size());
  for (int round = 0; round < 3; ++round) {
    own.push_back(HoldOwn(pending, increments));
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
      ns3::ObjectFactory factory(schedulers[i].second);
      others[i].push_back(HoldNs3(factory.Create<ns3::Scheduler>(), pending, increments));
    }
  }
  std::printf("%d pending\n  %-28s %6.2f M events/s\n", pending, "heddle event queue", Middle(own));
  double best = 0;
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    if (i + 1 < schedulers.size()) best = std::max(best, Middle(others[i]));
    std::printf("  %-28s %6.2f M events/s%s\n", schedulers[i].first, Middle(others[i]),
                i + 1 < schedulers.size() ? "" : " (the same queue behind ns-3's interface)");
  }
  std::printf("  ratio to the best of ns-3: %.1f (goal: 4)\n", Middle(own) / best);
}

}  // namespace

int main() {
  heddle::PlainRecordScheduler::GetTypeId();
  const std::vector<std::int64_t> increments = Increments();
  for (int pending : {20'000, 100'000}) Compare(pending, increments);
  return 0;
}
