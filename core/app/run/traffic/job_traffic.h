// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of a run of jobs: the collectives of programs of GPUs.
#pragma once

#include <string>

#include "collectives/execution/flow_coordinator.h"
#include "core/app/run/arguments/recording.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/run_traffic.h"

namespace heddle {

/// Its progress is the packet-hops of the estimate, its end that of the last program.
class JobTraffic final : public RunTraffic {
 public:
  /// Arguments and errors as MakeTraffic's (make_traffic.h).
  JobTraffic(const RunInput& input, const Backend& backend, const Recording& recording,
             bool has_result);

  FlowDriver* driver() override { return &coordinator_; }
  void ForEachMessage(const TrafficVisit& visit) override;
  std::optional<double> OpenMessages() override;
  TrafficProgress ProgressAt(const TrafficMeasure& measure) const override;
  bool Unfinished(const Communicator& world, const DomainBooks& books) const override;
  Time EndOfWork(const Communicator& world, Time fabric) const override;
  void AddMemory(MemoryAccount* account) const override { coordinator_.AddMemory(account); }
  void SavePiece(PieceWriter* to, RankId here) const override { coordinator_.SavePiece(to, here); }
  void LoadPieces(CheckpointPieces* from, const Communicator& world) override {
    coordinator_.LoadPieces(from, world);
  }
  std::string Waiting(const Communicator& world) const override;
  std::string Summary(const Communicator& world) const override;
  NameOfOperation Names() const override;
  ExecutionContext* programs() override { return &coordinator_.context(); }

 private:
  FlowCoordinator coordinator_;
};

}  // namespace heddle
