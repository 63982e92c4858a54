// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/job_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/app/run/setup/job_setup.h"
#include "core/app/run/traffic/waiting_gpus.h"
#include "core/mpi/gather_records.h"
#include "core/options/quantity_text.h"

namespace heddle {

JobTraffic::JobTraffic(const RunInput& input, const Backend& backend, const Recording& recording,
                       bool has_result)
    : coordinator_(*input.graph, input.jobs, input.collectives,
                   has_result && recording.KeepsTimeLine(CountSteps(input.jobs)), input.failures,
                   backend.shapes_take_equal_times()) {
  if (backend.measures() && input.physical.contents)
    coordinator_.KeepContents(input.physical.check);
  const std::uint64_t messages = coordinator_.CountFlows();
  const std::int64_t queue_pairs = backend.split().queue_pairs;
  plan_.flows =
      backend.carries_collectives() ? 0 : static_cast<std::int64_t>(messages) * queue_pairs;
  // A message smaller than its number of queue pairs has fewer of them.
  plan_.may_be_fewer = queue_pairs > 1;
  plan_.kept_flows = recording.SampleOf(messages);
  plan_.trees = coordinator_.DescribeTrees();
  plan_.stand_ins = coordinator_.DescribeStandIns();
  plan_.operations = CountCollectives(input.jobs);
  plan_.kept_operations = recording.SampleOfCollectives(plan_.operations);
}

void JobTraffic::ForEachMessage(const TrafficVisit& visit) {
  coordinator_.ForEachTraffic(
      [&](const PlacedJob::Traffic& t) { visit(t.source, t.destination, t.bytes, t.count); });
}

std::optional<double> JobTraffic::OpenMessages() {
  return static_cast<double>(coordinator_.CountOpenMessages());
}

TrafficProgress JobTraffic::ProgressAt(const TrafficMeasure& measure) const {
  if (measure.packet_hops <= 0) return {measure.books.flows_finished, plan_.flows};
  const auto expected = static_cast<std::int64_t>(measure.packet_hops);
  if (!measure.goes_on) return {expected, expected};
  // What is sent again may exceed the estimate.
  constexpr double kMostBeforeEnd = 0.999;
  const auto most = static_cast<std::int64_t>(measure.packet_hops * kMostBeforeEnd);
  return {std::min(measure.books.link_packets, most), expected};
}

bool JobTraffic::Unfinished(const Communicator& world, const DomainBooks& /*books*/) const {
  return world.Sum(coordinator_.finished()) < world.Sum(coordinator_.gpus());
}

Time JobTraffic::EndOfWork(const Communicator& world, Time /*fabric*/) const {
  return Time{world.Max(coordinator_.end().ps)};
}

std::string JobTraffic::Waiting(const Communicator& world) const {
  return GatherWaiting(world, coordinator_);
}

/// When the first and the last rank of each trace ended.
std::string JobTraffic::Summary(const Communicator& world) const {
  const auto& jobs = coordinator_.context().jobs;
  const bool traces = std::any_of(jobs.begin(), jobs.end(), [](const auto& job) {
    return job->job().program.graph != nullptr;
  });
  if (!traces) return "";
  std::vector<FinishRecord> all = GatherRecords(world, coordinator_.context().finishes);
  std::sort(all.begin(), all.end(), [](const FinishRecord& a, const FinishRecord& b) {
    return std::tie(a.job, a.end, a.rank) < std::tie(b.job, b.end, b.rank);
  });
  std::string text;
  for (auto from = all.begin(); from != all.end();) {
    const auto to = std::find_if(from, all.end(),
                                 [&](const FinishRecord& other) { return other.job != from->job; });
    const Job& job = jobs[from->job]->job();
    if (job.program.graph != nullptr)
      text += fmt::format(
          "ranks            {} of {} of job {} ended: the first is rank {} at {} us, the last rank "
          "{} at {} us\n",
          to - from, job.gpus.size(), from->job, from->rank, MicrosecondText(from->end),
          (to - 1)->rank, MicrosecondText((to - 1)->end));
    from = to;
  }
  return text;
}

RunTraffic::NameOfOperation JobTraffic::Names() const {
  return [this](std::uint32_t job, std::uint32_t operation) {
    return fmt::format("job {}, {}", job, coordinator_.context().jobs[job]->NameOf(operation));
  };
}

}  // namespace heddle
