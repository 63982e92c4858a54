// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/goal_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/app/run/traffic/waiting_gpus.h"
#include "core/base/check.h"
#include "core/mpi/gather_records.h"
#include "core/options/quantity_text.h"

namespace heddle {
namespace {

/// Throws UserError.
void CheckGoalRun(const RunInput& input, const Backend& backend) {
  if (backend.measures())
    throw UserError(
        "--goal: real traffic follows no schedule in GOAL yet. Expected: --backend packet");
  if (input.transport.controller.enabled)
    throw UserError(
        "--goal: the central controller gives no paths to messages of a schedule. Expected: "
        "controller.enable=false");
}

/// Throws UserError for the first send between GPUs without a path.
void CheckPaths(const RunInput& input, const Routes& routes) {
  const GoalSchedule& schedule = *input.goal;
  for (std::uint32_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<GoalOperation>& operations = schedule.ranks[rank].operations;
    std::set<std::uint32_t> checked = {rank};
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (!operations[i].is_send() || !checked.insert(operations[i].peer).second) continue;
      const NodeId from = input.goal_gpus[rank], to = input.goal_gpus[operations[i].peer];
      if (routes.Hops(from, to) != Routes::kUnreachable) continue;
      throw UserError(fmt::format(
          "{}: rank {} has {}, and the topology has no path from {} to {}. Expected: GPUs that "
          "reach each other",
          schedule.PlaceOf(rank, i), rank, Describe(operations[i]), Describe(*input.graph, from),
          Describe(*input.graph, to)));
    }
  }
}

/// When the ranks ended, all in order at the root.
std::vector<GoalMachine::Progress> EndsOfRanks(const Communicator& world,
                                               const GoalDriver& driver) {
  std::vector<GoalMachine::Progress> all = GatherRecords(world, driver.progress());
  std::sort(all.begin(), all.end(),
            [](const GoalMachine::Progress& a, const GoalMachine::Progress& b) {
              return a.rank < b.rank;
            });
  return all;
}

}  // namespace

GoalTraffic::GoalTraffic(const RunInput& input, const Backend& backend, const Recording& recording)
    : input_(input), driver_(*input.goal, input.goal_gpus, input.transport.send_latency) {
  CheckGoalRun(input, backend);
  CheckPaths(input, backend.routes());
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
  const std::vector<GoalRank>& ranks = input_.goal->ranks;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    for (const GoalOperation& op : ranks[rank].operations) {
      if (op.is_send() && op.peer != rank)
        visit(input_.goal_gpus[rank], input_.goal_gpus[op.peer],
              std::max<std::int64_t>(op.amount, 1), 1);
    }
  }
}

// How many sends are open at once depends on times; schedules of collectives have few.
std::optional<double> GoalTraffic::OpenMessages() {
  constexpr double kOpenOfRank = 64;
  return std::min(messages_, kOpenOfRank * static_cast<double>(input_.goal->ranks.size()));
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
  for (const GoalMachine::Progress& rank : driver_.progress()) end = std::max(end, rank.end);
  return Time{world.Max(end.ps)};
}

std::string GoalTraffic::Waiting(const Communicator& world) const {
  std::int64_t open = 0;
  for (const GoalMachine::Progress& rank : driver_.progress()) open += rank.open > 0 ? 1 : 0;
  open = world.Sum(open);
  const std::string head =
      fmt::format("{} rank{} of {} did not come to {} end:", open, open == 1 ? "" : "s",
                  input_.goal->ranks.size(), open == 1 ? "its" : "their");
  return head + GatherLines(world, driver_.Waiting(kMostWaiting), open);
}

std::string GoalTraffic::Summary(const Communicator& world) const {
  const std::vector<GoalMachine::Progress> all = EndsOfRanks(world, driver_);
  const GoalMachine::Progress *first = nullptr, *last = nullptr;
  std::size_t ended = 0;
  for (const GoalMachine::Progress& rank : all) {
    if (rank.open > 0) continue;
    ++ended;
    if (first == nullptr || rank.end < first->end) first = &rank;
    if (last == nullptr || last->end < rank.end) last = &rank;
  }
  if (first == nullptr) return "";
  return fmt::format(
      "ranks            {} of {} ended: the first is rank {} at {} us, the last rank {} at {} us\n",
      ended, all.size(), first->rank, MicrosecondText(first->end), last->rank,
      MicrosecondText(last->end));
}

std::vector<Table> GoalTraffic::Tables(const Communicator& world) const {
  std::vector<std::uint32_t> ranks, gpus;
  std::vector<std::int64_t> operations, ends;
  for (const GoalMachine::Progress& rank : EndsOfRanks(world, driver_)) {
    ranks.push_back(rank.rank);
    gpus.push_back(input_.goal_gpus[rank.rank].value);
    operations.push_back(
        static_cast<std::int64_t>(input_.goal->ranks[rank.rank].operations.size()));
    ends.push_back(rank.open > 0 ? -1 : rank.end.ps);
  }
  Table table{"schedule/ranks", "one row a rank of a schedule", {}};
  table.columns.push_back({"rank", "1", "rank of the schedule", std::move(ranks)});
  table.columns.push_back({"gpu", "1", "its GPU", std::move(gpus)});
  table.columns.push_back({"operations", "1", "number of its operations", std::move(operations)});
  table.columns.push_back(
      {"end_ps", "ps", "when its last operation ended; -1: not all did", std::move(ends)});
  return {std::move(table)};
}

}  // namespace heddle
