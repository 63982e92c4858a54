// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/joint_traffic.h"

#include <algorithm>
#include <utility>

namespace heddle {

JointTraffic::JointTraffic(std::unique_ptr<JobTraffic> jobs, std::unique_ptr<RunTraffic> messages,
                           JointDriver::IsOfSecond is_of_messages, const Recording& recording)
    : jobs_(std::move(jobs)),
      messages_(std::move(messages)),
      driver_(jobs_->driver(), messages_->driver(), is_of_messages) {
  plan_ = jobs_->plan();
  const TrafficPlan& more = messages_->plan();
  plan_.flows += more.flows;
  plan_.may_be_fewer = plan_.may_be_fewer || more.may_be_fewer;
  plan_.kept_flows = recording.SampleOf(static_cast<std::uint64_t>(plan_.flows));
}

void JointTraffic::ForEachMessage(const TrafficVisit& visit) {
  jobs_->ForEachMessage(visit);
  messages_->ForEachMessage(visit);
}

std::optional<double> JointTraffic::OpenMessages() {
  return *jobs_->OpenMessages() + *messages_->OpenMessages();
}

TrafficProgress JointTraffic::ProgressAt(const TrafficMeasure& measure) const {
  if (measure.packet_hops > 0) return jobs_->ProgressAt(measure);
  return {measure.books.flows_finished, plan_.flows};
}

bool JointTraffic::Unfinished(const Communicator& world, const DomainBooks& books) const {
  const bool jobs = jobs_->Unfinished(world, books);  // both are collective
  return messages_->Unfinished(world, books) || jobs;
}

Time JointTraffic::EndOfWork(const Communicator& world, Time fabric) const {
  const Time jobs = jobs_->EndOfWork(world, fabric);
  return std::max(jobs, messages_->EndOfWork(world, fabric));
}

void JointTraffic::AddMemory(MemoryAccount* account) const {
  jobs_->AddMemory(account);
  messages_->AddMemory(account);
}

std::string JointTraffic::Waiting(const Communicator& world) const {
  const bool waits = jobs_->Unfinished(world, {});
  const std::string jobs = waits ? jobs_->Waiting(world) : "";
  return jobs + messages_->Waiting(world);
}

std::string JointTraffic::Summary(const Communicator& world) const {
  const std::string jobs = jobs_->Summary(world);
  return jobs + messages_->Summary(world);
}

std::string JointTraffic::FiguresJson(const Communicator& world) const {
  return messages_->FiguresJson(world);
}

std::vector<Table> JointTraffic::Tables(const Communicator& world) const {
  std::vector<Table> all = jobs_->Tables(world);
  for (Table& table : messages_->Tables(world)) all.push_back(std::move(table));
  return all;
}

}  // namespace heddle
