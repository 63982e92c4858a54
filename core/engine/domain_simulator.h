// SPDX-License-Identifier: GPL-2.0-only
/// heddle's engine as an ns-3 simulator implementation: executes windows over the domains of this
/// rank (window_ends.h).
///
/// Select it by ns-3's global value SimulatorImplementationType = "heddle::DomainSimulatorImpl".
/// Events scheduled with ns-3 (Simulator::Schedule) run at a consistent cut, when all domains have
/// processed all earlier events.
#pragma once

#include <ns3/event-id.h>
#include <ns3/object-factory.h>
#include <ns3/ptr.h>
#include <ns3/scheduler.h>
#include <ns3/simulator-impl.h>

#include <list>

#include "core/engine/engine.h"
#include "core/engine/window_ends.h"
#include "core/exchange/edge_state.h"

namespace heddle {

class DomainSimulatorImpl final : public ns3::SimulatorImpl {
 public:
  /// Returns the type under which ns-3's global value finds this class.
  static ns3::TypeId GetTypeId();
  /// Starts at time 0 without a queue for ns-3's events; ns-3 calls SetScheduler() next.
  DomainSimulatorImpl();
  ~DomainSimulatorImpl() override;

  /// Sets what Run() executes. Must be called before ns3::Simulator::Run(); `setup` must stay valid
  /// until that returns.
  void Attach(const Communicator& world, const EngineSetup* setup);
  /// Returns the report of the last Run().
  const EngineReport& report() const { return report_; }

  /// Invokes the ScheduleDestroy() events that are not cancelled, in their order.
  void Destroy() override;
  /// Whether this rank has no event left, ns-3's and its domains', or was stopped.
  bool IsFinished() const override;
  /// Ends Run() at the next edge, on all ranks.
  void Stop() override;
  /// Schedules a Stop() `delay` after now.
  void Stop(const ns3::Time& delay) override;
  /// Schedules an ns-3 event of this rank in the present context.
  ns3::EventId Schedule(const ns3::Time& delay, ns3::EventImpl* event) override;
  /// Schedules one that runs in context `context`, in ns-3 the id of a node.
  void ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                           ns3::EventImpl* event) override;
  /// Schedules one at the present time, after the events that are due then.
  ns3::EventId ScheduleNow(ns3::EventImpl* event) override;
  /// Keeps one for Destroy().
  ns3::EventId ScheduleDestroy(ns3::EventImpl* event) override;
  /// Takes an ns-3 event out of the queue and releases it; ignores one that has expired.
  void Remove(const ns3::EventId& id) override;
  /// Marks an ns-3 event, which stays in the queue and does nothing.
  void Cancel(const ns3::EventId& id) override;
  /// Whether an ns-3 event has run, was cancelled or never existed.
  bool IsExpired(const ns3::EventId& id) const override;
  /// Runs windows until no rank has an event, or the setup says to stop. Collective. Throws
  /// InvariantError without Attach().
  void Run() override;
  /// Returns the start of the present window, or the time of the ns-3 event that runs.
  ns3::Time Now() const override;
  /// Returns the time until an ns-3 event; 0 if it has expired.
  ns3::Time GetDelayLeft(const ns3::EventId& id) const override;
  /// Returns Time::Max() in ns-3's units.
  ns3::Time GetMaximumSimulationTime() const override;
  /// Replaces the queue of ns-3's events; those scheduled move over.
  void SetScheduler(ns3::ObjectFactory factory) override;
  /// Returns the rank, once attached; 0 before.
  std::uint32_t GetSystemId() const override;
  /// Returns the node id of the ns-3 event that ran last; 0xffffffff before the first.
  std::uint32_t GetContext() const override;
  /// Returns the number of ns-3 events run on this rank; domains' events do not count.
  std::uint64_t GetEventCount() const override;

 private:
  /// Releases the ns-3 events that have not run.
  void DoDispose() override;
  /// Puts an ns-3 event into the queue, `delay` after now, with the next uid.
  ns3::EventId Insert(std::uint32_t context, const ns3::Time& delay, ns3::EventImpl* event);
  /// Returns the time of the first ns-3 event; Time::Max() if there is none.
  Time NextNs3Event() const;
  /// Runs ns-3's own events that are due at `time`.
  void RunNs3Events(Time time);
  /// Returns this rank's state at an edge, without the number of partners. `wish`:
  /// EdgeState::wants_report without signals.
  EdgeState MyState(std::int64_t wish);
  /// Runs the domains of each side that have events before the side's end.
  void RunDomains(const WindowEnds& ends);
  /// Runs them likewise, with measurements for the profile.
  void RunDomainsMeasured(const WindowEnds& ends, double blocked_seconds);

  Communicator world_ = Communicator::Serial();
  const EngineSetup* setup_ = nullptr;
  EngineReport report_;

  ns3::Ptr<ns3::Scheduler> events_;  ///< ns-3's own events
  std::list<ns3::EventId> destroy_events_;
  Time now_;
  bool stop_ = false;
  std::uint32_t uid_ = 4;  ///< ns-3 reserves the lower ones
  std::uint32_t current_uid_ = 0;
  std::uint32_t context_ = 0xffffffff;
  std::uint64_t event_count_ = 0;
};

}  // namespace heddle
