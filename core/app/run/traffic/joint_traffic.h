// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of a run of jobs of collectives beside schedules in GOAL, or beside requests to a
/// language model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/app/run/traffic/job_traffic.h"
#include "core/traffic/joint_driver.h"

namespace heddle {

/// Its progress is in packet-hops or flows, as that of jobs; its end is that of whichever ends
/// last.
class JointTraffic final : public RunTraffic {
 public:
  /// `is_of_messages`: whether a cookie is of `messages`, whose driver posts only messages.
  JointTraffic(std::unique_ptr<JobTraffic> jobs, std::unique_ptr<RunTraffic> messages,
               JointDriver::IsOfSecond is_of_messages, const Recording& recording);

  FlowDriver* driver() override { return &driver_; }  ///< of both
  void ForEachMessage(const TrafficVisit& visit) override;
  std::optional<double> OpenMessages() override;  ///< the sum of both
  TrafficProgress ProgressAt(const TrafficMeasure& measure) const override;
  /// Whether a program or an operation has not ended.
  bool Unfinished(const Communicator& world, const DomainBooks& books) const override;
  Time EndOfWork(const Communicator& world, Time fabric) const override;  ///< the later one
  void AddMemory(MemoryAccount* account) const override;
  void SavePiece(PieceWriter* to, RankId here) const override { jobs_->SavePiece(to, here); }
  void LoadPieces(CheckpointPieces* from, const Communicator& world) override {
    jobs_->LoadPieces(from, world);
  }
  std::string Waiting(const Communicator& world) const override;        ///< names GPUs and ranks
  std::string Summary(const Communicator& world) const override;        ///< of both
  std::string FiguresJson(const Communicator& world) const override;    ///< of the messages
  std::vector<Table> Tables(const Communicator& world) const override;  ///< of both
  NameOfOperation Names() const override { return jobs_->Names(); }     ///< of collectives
  ExecutionContext* programs() override { return jobs_->programs(); }

 private:
  std::unique_ptr<JobTraffic> jobs_;
  std::unique_ptr<RunTraffic> messages_;
  JointDriver driver_;
};

}  // namespace heddle
