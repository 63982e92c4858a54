// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of a run that serves requests to a language model.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/recording.h"
#include "core/app/run/serving/serving_outcome.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"
#include "core/serving/fabric/serving_driver.h"

namespace heddle {

/// Its progress is in flows, its end that of the last step.
class ServingTraffic final : public RunTraffic {
 public:
  /// Takes arguments as MakeTraffic() (make_traffic.h). Throws UserError for what instances do not
  /// have: a central controller, real traffic, whole collectives.
  ServingTraffic(const RunInput& input, const Backend& backend, const Recording& recording);

  FlowDriver* driver() override { return &driver_; }        ///< instances and their messages
  void ForEachMessage(const TrafficVisit& visit) override;  ///< of KV, and of steps as predicted
  std::optional<double> OpenMessages() override;  ///< assumes 16 requests on their way an instance
  /// Counts flows, all but one at most before the end.
  TrafficProgress ProgressAt(const TrafficMeasure& measure) const override;
  /// Whether requests are left.
  bool Unfinished(const Communicator& world, const DomainBooks& books) const override;
  Time EndOfWork(const Communicator& world, Time fabric) const override;  ///< the last step's
  void AddMemory(MemoryAccount* account) const override { driver_.AddMemory(account); }
  std::string Waiting(const Communicator& world) const override;        ///< names instances
  std::string Summary(const Communicator& world) const override;        ///< latencies
  std::string FiguresJson(const Communicator& world) const override;    ///< latencies
  std::vector<Table> Tables(const Communicator& world) const override;  ///< "serving/..."

 private:
  /// What all ranks recorded, at the root; empty records elsewhere. Collective.
  ServingRecords Gather(const Communicator& world) const;

  const RunInput& input_;
  ServingDriver driver_;
  /// What instances do if all messages are alone, if some of their steps send messages: for
  /// estimates.
  std::vector<InstanceTotals> predicted_;
  double messages_ = 0;
};

}  // namespace heddle
