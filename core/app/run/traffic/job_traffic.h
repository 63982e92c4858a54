// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of a run of jobs: the collectives of programs of GPUs.
#pragma once

#include <string>

#include "collectives/coordinator/flow_coordinator.h"
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

  FlowDriver* driver() override { return &coordinator_; }  ///< programs of GPUs
  void ForEachMessage(const TrafficVisit& visit) override;
  /// Counts the messages that the jobs' collectives can have open at once.
  std::optional<double> OpenMessages() override;
  /// Counts packet-hops, at most 99.9 % before the end; flows if their number is unknown.
  TrafficProgress ProgressAt(const TrafficMeasure& measure) const override;
  /// Whether a GPU's program has not ended.
  bool Unfinished(const Communicator& world, const DomainBooks& books) const override;
  Time EndOfWork(const Communicator& world, Time fabric) const override;  ///< the last program's
  void AddMemory(MemoryAccount* account) const override { coordinator_.AddMemory(account); }
  void SavePiece(PieceWriter* to, RankId here) const override { coordinator_.SavePiece(to, here); }
  void LoadPieces(CheckpointPieces* from, const Communicator& world) override {
    coordinator_.LoadPieces(from, world);
  }
  std::string Waiting(const Communicator& world) const override;  ///< names GPUs
  /// Names the first and last rank of jobs that follow traces to end; empty for other jobs.
  std::string Summary(const Communicator& world) const override;
  NameOfOperation Names() const override;  ///< "job 0, ..."
  ExecutionContext* programs() override { return &coordinator_.context(); }

 private:
  FlowCoordinator coordinator_;
};

}  // namespace heddle
