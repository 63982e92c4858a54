// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/domain_simulator.h"

#include <ns3/log.h>
#include <ns3/mpi-interface.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <chrono>

#include "core/base/time_limits.h"
#include "core/engine/window_profile.h"
#include "core/exchange/window_exchange.h"
#include "core/system/signals.h"

namespace heddle {

NS_LOG_COMPONENT_DEFINE("HeddleDomainSimulator");
NS_OBJECT_ENSURE_REGISTERED(DomainSimulatorImpl);

ns3::TypeId DomainSimulatorImpl::GetTypeId() {
  static ns3::TypeId tid = ns3::TypeId("heddle::DomainSimulatorImpl")
                               .SetParent<ns3::SimulatorImpl>()
                               .SetGroupName("Core")
                               .AddConstructor<DomainSimulatorImpl>();
  return tid;
}

DomainSimulatorImpl::DomainSimulatorImpl() = default;
DomainSimulatorImpl::~DomainSimulatorImpl() = default;

void DomainSimulatorImpl::Attach(const Communicator& world, const EngineSetup* setup) {
  world_ = world;
  setup_ = setup;
}

namespace {

/// Decides when the root wants a cut, or the end. Reading the clock has a cost: once in 8 windows
/// is often enough, unless they are long.
class EdgeClock {
 public:
  explicit EdgeClock(const EngineSetup& setup) : setup_(setup), interval_(setup.report_interval) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// The value of EdgeState::wants_report for this edge.
  std::int64_t Wish(std::uint64_t window) {
    if (window < next_reading_) return 0;
    constexpr std::uint64_t kMostStride = 8;
    const double now = seconds();
    stride_ = now - last_reading_ > interval_ / 16 ? 1 : std::min(kMostStride, stride_ * 2);
    last_reading_ = now;
    next_reading_ = window + stride_;
    if (now > setup_.stop_after) return -2;
    return now - reported_ > interval_ ? -1 : 0;
  }

  template <class Cutter>
  void Report(Cutter&& cut) {
    reported_ = seconds();
    cut();
    interval_ = NextReportInterval(setup_, seconds() - reported_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const EngineSetup& setup_;
  const Clock::time_point start_ = Clock::now();
  double interval_, reported_ = 0, last_reading_ = 0;  // s
  std::uint64_t stride_ = 1, next_reading_ = 0;        // windows
};

}  // namespace

void DomainSimulatorImpl::Run() {
  NS_LOG_FUNCTION(this);
  HEDDLE_INVARIANT(setup_ != nullptr,
                   "ns3::Simulator::Run() was called before domains were attached");
  report_ = {};
  EdgeClock clock(*setup_);
  PostOffice& post = *setup_->post_office;
  WindowExchange exchange(world_, &post, setup_->exchange);
  const auto cut = [&](bool last) {
    if (!setup_->on_cut) return;
    setup_->on_cut({now_, clock.seconds(), exchange.blocked_seconds(), exchange.messages_sent(),
                    exchange.memory(), last});
  };
  const CutOrders none;
  const CutOrders& orders = setup_->orders != nullptr ? *setup_->orders : none;
  stop_ = false;
  bool cut_due = false, is_level = true;
  for (;;) {
    const EdgeState edge =
        exchange.Exchange(MyState(world_.is_root() ? clock.Wish(report_.windows) : 0));
    if (setup_->profile != nullptr) setup_->profile->EndEdge(exchange.blocked_seconds());
    ++report_.windows;
    const Time next[2] = {Time{edge.next_time_ps[0]}, Time{edge.next_time_ps[1]}};
    const Time first = std::min({next[0], next[1], Time{edge.next_ns3_event_ps}});
    if (first == Time::Max()) break;
    report_.out_of_time = first >= kEndOfTime;
    if (report_.out_of_time) break;
    report_.stopped = first >= setup_->stop_at || edge.wants_report < -1;
    if (report_.stopped) break;
    now_ = std::max(now_, first);
    cut_due = cut_due || edge.wants_report != 0 || now_ >= orders.next_cut;
    if (cut_due && is_level) {
      clock.Report([&] { cut(/*last=*/false); });
      cut_due = false;
      if (orders.end) break;
    }
    if (Time{edge.next_ns3_event_ps} <= std::min(next[0], next[1])) {
      if (edge.next_ns3_event_ps == 0 && world_.Max(std::int64_t{stop_}) != 0) break;
      RunNs3Events(Time{edge.next_ns3_event_ps});
      continue;
    }
    // A cut needs a window of both sides.
    is_level = cut_due || !setup_->two_sides;
    WindowEnds ends = is_level ? WindowEnds::Level(next, setup_->lookahead)
                               : WindowEnds::OneSide(next, setup_->lookahead);
    ends.NotAfter(std::min({Time{edge.next_ns3_event_ps}, setup_->stop_at, kEndOfTime}));
    if (setup_->profile != nullptr && setup_->profile->BeginWindow(first, post.domains().size())) {
      RunDomainsMeasured(ends, exchange.blocked_seconds());
    } else {
      RunDomains(ends);
    }
  }
  if (!orders.end) cut(/*last=*/true);
  report_.blocked_seconds = exchange.blocked_seconds();
  report_.messages_sent = exchange.messages_sent();
  report_.wall_seconds = clock.seconds();
}

EdgeState DomainSimulatorImpl::MyState(std::int64_t wish) {
  PostOffice& post = *setup_->post_office;
  const PostOffice::SideTimes here = post.NextTimes(), sent = post.TakeEarliestSent();
  EdgeState mine;
  for (int side = 0; side < 2; ++side)
    mine.next_time_ps[side] = std::min(here.of[side], sent.of[side]).ps;
  mine.next_ns3_event_ps = stop_ ? 0 : NextNs3Event().ps;
  mine.wants_report =
      PendingSignal() != SignalRequest::kNone ? std::min<std::int64_t>(wish, -1) : wish;
  return mine;
}

void DomainSimulatorImpl::RunDomains(const WindowEnds& ends) {
  PostOffice& post = *setup_->post_office;
  const std::size_t count = post.domains().size();
  for (std::size_t i = 0; i < count; ++i) {
    const Time end = ends.of[post.side(i)];
    if (post.next_time(i) >= end) continue;
    if (i + 1 < count) post.PrefetchDomain(i + 1);
    post.RunDomain(i, end);
  }
  post.hastened().clear();
}

void DomainSimulatorImpl::RunDomainsMeasured(const WindowEnds& ends, double blocked_seconds) {
  PostOffice& post = *setup_->post_office;
  WindowProfile& profile = *setup_->profile;
  for (std::size_t i = 0; i < post.domains().size(); ++i) {
    const Time end = ends.of[post.side(i)];
    if (post.next_time(i) >= end) continue;
    const std::uint64_t before = post.domains()[i]->events();
    post.RunDomain(i, end);
    profile.AfterRun(i, post.domains()[i]->events() - before);
  }
  profile.EndWindow(blocked_seconds);
  post.hastened().clear();
}

Time DomainSimulatorImpl::NextNs3Event() const {
  if (!events_ || events_->IsEmpty()) return Time::Max();
  return Time{static_cast<std::int64_t>(events_->PeekNext().key.m_ts)};
}

void DomainSimulatorImpl::RunNs3Events(Time time) {
  now_ = time;
  while (!stop_ && NextNs3Event() <= time) {
    const ns3::Scheduler::Event next = events_->RemoveNext();
    PreEventHook(ns3::EventId(next.impl, next.key.m_ts, next.key.m_context, next.key.m_uid));
    context_ = next.key.m_context;
    current_uid_ = next.key.m_uid;
    ++event_count_;
    next.impl->Invoke();
    next.impl->Unref();
  }
}

ns3::EventId DomainSimulatorImpl::Insert(std::uint32_t context, const ns3::Time& delay,
                                         ns3::EventImpl* event) {
  ns3::Scheduler::Event record;
  record.impl = event;
  record.key.m_ts = static_cast<std::uint64_t>(now_.ps + delay.GetPicoSeconds());
  record.key.m_context = context;
  record.key.m_uid = uid_++;
  events_->Insert(record);
  return ns3::EventId(event, record.key.m_ts, record.key.m_context, record.key.m_uid);
}

ns3::EventId DomainSimulatorImpl::Schedule(const ns3::Time& delay, ns3::EventImpl* event) {
  return Insert(context_, delay, event);
}

void DomainSimulatorImpl::ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                                              ns3::EventImpl* event) {
  Insert(context, delay, event);
}

ns3::EventId DomainSimulatorImpl::ScheduleNow(ns3::EventImpl* event) {
  return Insert(context_, ns3::Time(0), event);
}

ns3::EventId DomainSimulatorImpl::ScheduleDestroy(ns3::EventImpl* event) {
  ns3::EventId id(ns3::Ptr<ns3::EventImpl>(event, false), static_cast<std::uint64_t>(now_.ps),
                  0xffffffff, ns3::EventId::UID::DESTROY);
  destroy_events_.push_back(id);
  return id;
}

void DomainSimulatorImpl::Remove(const ns3::EventId& id) {
  if (id.GetUid() == ns3::EventId::UID::DESTROY) {
    destroy_events_.remove(id);
    return;
  }
  if (IsExpired(id)) return;
  ns3::Scheduler::Event record;
  record.impl = id.PeekEventImpl();
  record.key.m_ts = id.GetTs();
  record.key.m_context = id.GetContext();
  record.key.m_uid = id.GetUid();
  events_->Remove(record);
  record.impl->Cancel();
  record.impl->Unref();
}

void DomainSimulatorImpl::Cancel(const ns3::EventId& id) {
  if (!IsExpired(id)) id.PeekEventImpl()->Cancel();
}

bool DomainSimulatorImpl::IsExpired(const ns3::EventId& id) const {
  if (id.PeekEventImpl() == nullptr || id.PeekEventImpl()->IsCancelled()) return true;
  if (id.GetUid() == ns3::EventId::UID::DESTROY) {
    return std::find(destroy_events_.begin(), destroy_events_.end(), id) == destroy_events_.end();
  }
  const auto now = static_cast<std::uint64_t>(now_.ps);
  return id.GetTs() < now || (id.GetTs() == now && id.GetUid() <= current_uid_);
}

bool DomainSimulatorImpl::IsFinished() const {
  return stop_ || (events_->IsEmpty() &&
                   (setup_ == nullptr || setup_->post_office->NextTime() == Time::Max()));
}

void DomainSimulatorImpl::Stop() { stop_ = true; }
void DomainSimulatorImpl::Stop(const ns3::Time& delay) {
  ns3::Simulator::Schedule(delay, &ns3::Simulator::Stop);
}

ns3::Time DomainSimulatorImpl::Now() const {
  return ns3::PicoSeconds(static_cast<std::uint64_t>(now_.ps));
}
ns3::Time DomainSimulatorImpl::GetDelayLeft(const ns3::EventId& id) const {
  if (IsExpired(id)) return ns3::Time(0);
  return ns3::PicoSeconds(id.GetTs()) - Now();
}
ns3::Time DomainSimulatorImpl::GetMaximumSimulationTime() const {
  return ns3::Time(Time::Max().ps);
}

void DomainSimulatorImpl::SetScheduler(ns3::ObjectFactory factory) {
  ns3::Ptr<ns3::Scheduler> scheduler = factory.Create<ns3::Scheduler>();
  while (events_ && !events_->IsEmpty()) scheduler->Insert(events_->RemoveNext());
  events_ = scheduler;
}

std::uint32_t DomainSimulatorImpl::GetSystemId() const { return world_.rank().value; }
std::uint32_t DomainSimulatorImpl::GetContext() const { return context_; }
std::uint64_t DomainSimulatorImpl::GetEventCount() const { return event_count_; }

void DomainSimulatorImpl::Destroy() {
  while (!destroy_events_.empty()) {
    const ns3::EventId id = destroy_events_.front();
    destroy_events_.pop_front();
    if (!id.PeekEventImpl()->IsCancelled()) id.PeekEventImpl()->Invoke();
  }
}

void DomainSimulatorImpl::DoDispose() {
  while (events_ && !events_->IsEmpty()) events_->RemoveNext().impl->Unref();
  events_ = nullptr;
  ns3::SimulatorImpl::DoDispose();
}

}  // namespace heddle
