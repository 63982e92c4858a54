// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/goal_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/app/run/traffic/waiting_gpus.h"
#include "core/base/check.h"
#include "core/mpi/gather_records.h"
#include "core/options/quantity_text.h"

namespace heddle {
namespace {

/// Throws UserError.
void CheckGoalRun(const RunInput& input, const Backend& backend) {
  if (backend.carries_collectives())
    throw UserError(
        "a schedule in GOAL beside workloads: closed forms have no messages. Expected: --backend "
        "packet");
  if (backend.measures())
    throw UserError(
        "--goal: real traffic follows no schedule in GOAL yet. Expected: --backend packet");
  if (input.transport.controller.enabled)
    throw UserError(
        "--goal: the central controller gives no paths to messages of a schedule. Expected: "
        "controller.enable=false");
}

/// Throws UserError for the first send between GPUs without a path.
void CheckPaths(const RunInput& input, const GoalJob& job, const Routes& routes) {
  const GoalSchedule& schedule = job.schedule;
  for (std::uint32_t rank = 0; rank < schedule.rank_count(); ++rank) {
    const std::vector<GoalOperation>& operations = schedule.Rank(rank).operations;
    std::set<std::uint32_t> checked = {rank};
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (!operations[i].is_send() || !checked.insert(operations[i].peer).second) continue;
      const NodeId from = job.gpus[rank], to = job.gpus[operations[i].peer];
      if (routes.Hops(from, to) != Routes::kUnreachable) continue;
      throw UserError(fmt::format(
          "{}: rank {} has {}, and the topology has no path from {} to {}. Expected: GPUs that "
          "reach each other",
          schedule.PlaceOf(rank, i), rank, Describe(operations[i]), Describe(*input.graph, from),
          Describe(*input.graph, to)));
    }
  }
}

/// How far the ranks are, all in order at the root.
std::vector<GoalDriver::Progress> ProgressOfRanks(const Communicator& world,
                                                  const GoalDriver& driver) {
  std::vector<GoalDriver::Progress> all = GatherRecords(world, driver.progress());
  std::sort(all.begin(), all.end(),
            [](const GoalDriver::Progress& a, const GoalDriver::Progress& b) {
              return std::tie(a.job, a.of.rank) < std::tie(b.job, b.of.rank);
            });
  return all;
}

/// When the first and the last rank of a schedule ended; empty if none has. `name`: " of FILE", or
/// nothing.
std::string DescribeEnds(const std::vector<GoalDriver::Progress>& all, std::uint32_t job,
                         const std::string& name) {
  const GoalMachine::Progress *first = nullptr, *last = nullptr;
  std::size_t ended = 0, ranks = 0;
  for (const GoalDriver::Progress& progress : all) {
    const GoalMachine::Progress& rank = progress.of;
    ranks += progress.job == job ? 1 : 0;
    if (progress.job != job || rank.open > 0) continue;
    ++ended;
    if (first == nullptr || rank.end < first->end) first = &rank;
    if (last == nullptr || last->end < rank.end) last = &rank;
  }
  if (first == nullptr) return "";
  return fmt::format(
      "ranks            {} of {}{} ended: the first is rank {} at {} us, the last rank {} at {} "
      "us\n",
      ended, ranks, name, first->rank, MicrosecondText(first->end), last->rank,
      MicrosecondText(last->end));
}

}  // namespace

GoalTraffic::GoalTraffic(const RunInput& input, const Backend& backend, const Recording& recording)
    : input_(input), driver_(input.schedules, input.transport.send_latency) {
  CheckGoalRun(input, backend);
  for (const GoalJob& job : input.schedules) CheckPaths(input, job, backend.routes());
  ForEachMessage([&](NodeId, NodeId, std::int64_t bytes, std::uint64_t count) {
    messages_ += static_cast<double>(count);
    plan_.payload.count += bytes;
  });
  const MessageSplit split = backend.split();
  plan_.flows = static_cast<std::int64_t>(messages_) * split.queue_pairs;
  plan_.may_be_fewer = true;  // a schedule that stalls has sends that never start
  plan_.kept_flows = recording.SampleOf(static_cast<std::uint64_t>(plan_.flows));
}

void GoalTraffic::ForEachMessage(const TrafficVisit& visit) {
  for (const GoalJob& job : input_.schedules) {
    for (std::uint32_t rank = 0; rank < job.schedule.rank_count(); ++rank) {
      for (const GoalOperation& op : job.schedule.Rank(rank).operations) {
        if (op.is_send() && op.peer != rank)
          visit(job.gpus[rank], job.gpus[op.peer], std::max<std::int64_t>(op.amount, 1), 1);
      }
    }
  }
}

std::uint64_t GoalTraffic::CountRanks() const {
  std::uint64_t ranks = 0;
  for (const GoalJob& job : input_.schedules) ranks += job.gpus.size();
  return ranks;
}

// How many sends are open at once depends on times; schedules of collectives have few.
std::optional<double> GoalTraffic::OpenMessages() {
  constexpr double kOpenOfRank = 64;
  return std::min(messages_, kOpenOfRank * static_cast<double>(CountRanks()));
}

TrafficProgress GoalTraffic::ProgressAt(const TrafficMeasure& measure) const {
  const std::int64_t expected = std::max<std::int64_t>(plan_.flows, 1);
  return {measure.goes_on ? std::min(measure.books.flows_finished, expected - 1) : expected,
          expected};
}

bool GoalTraffic::Unfinished(const Communicator& world, const DomainBooks& /*books*/) const {
  return world.Sum(static_cast<std::int64_t>(driver_.operations() - driver_.ended())) > 0;
}

Time GoalTraffic::EndOfWork(const Communicator& world, Time /*fabric*/) const {
  Time end;
  for (const GoalDriver::Progress& rank : driver_.progress()) end = std::max(end, rank.of.end);
  return Time{world.Max(end.ps)};
}

std::string GoalTraffic::Waiting(const Communicator& world) const {
  std::int64_t open = 0;
  for (const GoalDriver::Progress& rank : driver_.progress()) open += rank.of.open > 0 ? 1 : 0;
  open = world.Sum(open);
  if (open == 0) return "";
  const std::string head =
      fmt::format("{} rank{} of {} did not come to {} end:", open, open == 1 ? "" : "s",
                  CountRanks(), open == 1 ? "its" : "their");
  return head + GatherLines(world, driver_.Waiting(kMostWaiting), open);
}

std::string GoalTraffic::Summary(const Communicator& world) const {
  const std::vector<GoalDriver::Progress> all = ProgressOfRanks(world, driver_);
  const bool alone = input_.jobs.empty() && input_.schedules.size() == 1;
  std::string text;
  for (std::uint32_t job = 0; job < input_.schedules.size(); ++job)
    text += DescribeEnds(all, job, alone ? "" : " of " + input_.schedules[job].schedule.file);
  return text;
}

std::vector<Table> GoalTraffic::Tables(const Communicator& world) const {
  std::vector<std::uint32_t> jobs, ranks, gpus;
  std::vector<std::int64_t> operations, ends;
  const auto first = static_cast<std::uint32_t>(input_.jobs.size());
  for (const auto& [number, rank] : ProgressOfRanks(world, driver_)) {
    const GoalJob& job = input_.schedules[number];
    jobs.push_back(first + number);
    ranks.push_back(rank.rank);
    gpus.push_back(job.gpus[rank.rank].value);
    operations.push_back(job.schedule.CountOperations(rank.rank));
    ends.push_back(rank.open > 0 ? -1 : rank.end.ps);
  }
  Table table{"schedule/ranks", "one row a rank of a schedule", {}};
  table.columns.push_back({"job", "1", "job that is its schedule", std::move(jobs)});
  table.columns.push_back({"rank", "1", "rank of the schedule", std::move(ranks)});
  table.columns.push_back({"gpu", "1", "its GPU", std::move(gpus)});
  table.columns.push_back({"operations", "1", "number of its operations", std::move(operations)});
  table.columns.push_back(
      {"end_ps", "ps", "when its last operation ended; -1: not all did", std::move(ends)});
  return {std::move(table)};
}

}  // namespace heddle
