// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/joint_traffic.h"

#include <algorithm>
#include <utility>

namespace heddle {

JointTraffic::JointTraffic(const RunInput& input, const Backend& backend,
                           const Recording& recording, bool has_result)
    : jobs_(input, backend, recording, has_result),
      schedules_(input, backend, recording),
      driver_(jobs_.driver(), schedules_.driver(), &GoalDriver::Owns) {
  plan_ = jobs_.plan();
  const TrafficPlan& more = schedules_.plan();
  plan_.flows += more.flows;
  plan_.may_be_fewer = plan_.may_be_fewer || more.may_be_fewer;
  plan_.kept_flows = recording.SampleOf(static_cast<std::uint64_t>(plan_.flows));
}

void JointTraffic::ForEachMessage(const TrafficVisit& visit) {
  jobs_.ForEachMessage(visit);
  schedules_.ForEachMessage(visit);
}

std::optional<double> JointTraffic::OpenMessages() {
  return *jobs_.OpenMessages() + *schedules_.OpenMessages();
}

TrafficProgress JointTraffic::ProgressAt(const TrafficMeasure& measure) const {
  if (measure.packet_hops > 0) return jobs_.ProgressAt(measure);
  return {measure.books.flows_finished, plan_.flows};
}

bool JointTraffic::Unfinished(const Communicator& world, const DomainBooks& books) const {
  const bool jobs = jobs_.Unfinished(world, books);  // both are collective
  return schedules_.Unfinished(world, books) || jobs;
}

Time JointTraffic::EndOfWork(const Communicator& world, Time fabric) const {
  const Time jobs = jobs_.EndOfWork(world, fabric);
  return std::max(jobs, schedules_.EndOfWork(world, fabric));
}

void JointTraffic::AddMemory(MemoryAccount* account) const {
  jobs_.AddMemory(account);
  schedules_.AddMemory(account);
}

std::string JointTraffic::Waiting(const Communicator& world) const {
  const bool waits = jobs_.Unfinished(world, {});
  const std::string jobs = waits ? jobs_.Waiting(world) : "";
  return jobs + schedules_.Waiting(world);
}

std::string JointTraffic::Summary(const Communicator& world) const {
  const std::string jobs = jobs_.Summary(world);
  return jobs + schedules_.Summary(world);
}

std::vector<Table> JointTraffic::Tables(const Communicator& world) const {
  std::vector<Table> all = jobs_.Tables(world);
  for (Table& table : schedules_.Tables(world)) all.push_back(std::move(table));
  return all;
}

}  // namespace heddle
