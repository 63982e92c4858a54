// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of schedules in GOAL: of a whole run, or beside jobs of collectives.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/recording.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"
#include "core/goal/goal_driver.h"

namespace heddle {

/// Its progress is in flows, its end that of the last operation.
class GoalTraffic final : public RunTraffic {
 public:
  /// Takes arguments as MakeTraffic() (make_traffic.h). Throws UserError for ranks without a path
  /// between them, and for what schedules do not have: a central controller, real traffic, closed
  /// forms.
  GoalTraffic(const RunInput& input, const Backend& backend, const Recording& recording);

  FlowDriver* driver() override { return &driver_; }        ///< ranks that follow the schedule
  void ForEachMessage(const TrafficVisit& visit) override;  ///< sends to other ranks
  std::optional<double> OpenMessages() override;  ///< assumes at most 64 open sends a rank
  /// Counts flows, all but one at most before the end.
  TrafficProgress ProgressAt(const TrafficMeasure& measure) const override;
  /// Whether operations are left.
  bool Unfinished(const Communicator& world, const DomainBooks& books) const override;
  Time EndOfWork(const Communicator& world, Time fabric) const override;  ///< the last operation's
  void AddMemory(MemoryAccount* account) const override { driver_.AddMemory(account); }
  std::string Waiting(const Communicator& world) const override;  ///< names ranks; empty: none wait
  std::string Summary(const Communicator& world) const override;  ///< first and last rank to end
  std::vector<Table> Tables(const Communicator& world) const override;  ///< "schedule/ranks"

 private:
  /// Counts the ranks of all schedules.
  std::uint64_t CountRanks() const;

  const RunInput& input_;
  GoalDriver driver_;
  double messages_ = 0;  ///< sends to other ranks
};

}  // namespace heddle
