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
  static ns3::TypeId GetTypeId();
  DomainSimulatorImpl();
  ~DomainSimulatorImpl() override;

  /// Sets what Run() executes. Must be called before ns3::Simulator::Run(); `setup` must stay valid
  /// until that returns.
  void Attach(const Communicator& world, const EngineSetup* setup);
  const EngineReport& report() const { return report_; }

  void Destroy() override;
  bool IsFinished() const override;
  void Stop() override;
  void Stop(const ns3::Time& delay) override;
  ns3::EventId Schedule(const ns3::Time& delay, ns3::EventImpl* event) override;
  void ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                           ns3::EventImpl* event) override;
  ns3::EventId ScheduleNow(ns3::EventImpl* event) override;
  ns3::EventId ScheduleDestroy(ns3::EventImpl* event) override;
  void Remove(const ns3::EventId& id) override;
  void Cancel(const ns3::EventId& id) override;
  bool IsExpired(const ns3::EventId& id) const override;
  void Run() override;
  ns3::Time Now() const override;
  ns3::Time GetDelayLeft(const ns3::EventId& id) const override;
  ns3::Time GetMaximumSimulationTime() const override;
  void SetScheduler(ns3::ObjectFactory factory) override;
  std::uint32_t GetSystemId() const override;
  std::uint32_t GetContext() const override;
  std::uint64_t GetEventCount() const override;

 private:
  void DoDispose() override;
  ns3::EventId Insert(std::uint32_t context, const ns3::Time& delay, ns3::EventImpl* event);
  Time NextNs3Event() const;
  /// Runs ns-3's own events that are due at `time`.
  void RunNs3Events(Time time);
  /// This rank's state at an edge, without the number of partners. `wish`: EdgeState::wants_report
  /// without signals.
  EdgeState MyState(std::int64_t wish);
  /// Runs the domains of each side that have events before the side's end.
  void RunDomains(const WindowEnds& ends);
  /// The same, with measurements for the profile.
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
