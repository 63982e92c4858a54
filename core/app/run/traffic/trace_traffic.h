// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of a run whose flows are known before it.
#pragma once

#include "core/app/run/arguments/recording.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"
#include "core/traffic/trace_driver.h"

namespace heddle {

/// Its progress is the payload that has arrived, its end that of the fabric's work.
class TraceTraffic final : public RunTraffic {
 public:
  /// Arguments and errors as MakeTraffic's (make_traffic.h).
  TraceTraffic(const RunInput& input, const Backend& backend, const Recording& recording);

  FlowDriver* driver() override { return &driver_; }        ///< posts the input's flows
  void ForEachMessage(const TrafficVisit& visit) override;  ///< one for each flow
  /// Counts received bytes, at most 99.9 % of the expected ones before the end.
  TrafficProgress ProgressAt(const TrafficMeasure& measure) const override;
  /// Whether flows are left; with requests, messages not begun or flows that began and did not end.
  bool Unfinished(const Communicator& world, const DomainBooks& books) const override;
  Time EndOfWork(const Communicator& /*world*/, Time fabric) const override { return fabric; }
  void AddMemory(MemoryAccount* account) const override { driver_.AddMemory(account); }

 private:
  const RunInput& input_;
  const Backend& backend_;
  TraceDriver driver_;
};

}  // namespace heddle
