// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_summary.h"

#include <algorithm>
#include <vector>

namespace heddle {
namespace {

/// GoalSummary::longest_chain_ns of one rank, whose waits have no cycle.
double LongestChain(const GoalRank& rank) {
  const std::size_t count = rank.operations.size();
  std::vector<std::uint32_t> left(count), ready;
  std::vector<double> start(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    left[i] = rank.operations[i].waits;
    if (left[i] == 0) ready.push_back(i);
  }
  double longest = 0;
  while (!ready.empty()) {
    const std::uint32_t at = ready.back();
    ready.pop_back();
    const GoalOperation& op = rank.operations[at];
    const bool calc = op.kind == GoalOperation::Kind::kCalc;
    const double end = start[at] + (calc ? static_cast<double>(op.amount) : 0);
    longest = std::max(longest, end);
    for (std::uint32_t k = 0; k < op.after_end + op.after_start; ++k) {
      const std::uint32_t next = rank.followers[op.first_follower + k];
      start[next] = std::max(start[next], k < op.after_end ? end : start[at]);
      if (--left[next] == 0) ready.push_back(next);
    }
  }
  return longest;
}

void Add(const GoalOperation& op, std::uint32_t rank, GoalSummary* sum) {
  sum->highest_cpu = std::max<std::uint32_t>(sum->highest_cpu, op.cpu);
  sum->highest_nic = std::max<std::uint32_t>(sum->highest_nic, op.nic);
  sum->dependencies += op.waits;
  switch (op.kind) {
    case GoalOperation::Kind::kCalc:
      ++sum->calcs;
      sum->calc_ns += static_cast<double>(op.amount);
      break;
    case GoalOperation::Kind::kReceive:
      ++sum->receives;
      if (op.peer == GoalOperation::kAny || op.tag == GoalOperation::kAny) ++sum->any_receives;
      break;
    case GoalOperation::Kind::kSend:
      ++sum->sends;
      if (op.peer == rank) ++sum->own_sends;
      sum->sent_bytes += static_cast<double>(op.amount);
      sum->largest_message = std::max(sum->largest_message, op.amount);
      break;
  }
}

}  // namespace

GoalSummary Summarize(const GoalSchedule& schedule) {
  GoalSummary sum;
  sum.ranks = schedule.rank_count();
  for (std::uint32_t rank = 0; rank < schedule.rank_count(); ++rank) {
    const GoalRank& all = schedule.Rank(rank);
    if (all.operations.empty()) ++sum.idle_ranks;
    for (const GoalOperation& op : all.operations) Add(op, rank, &sum);
    const double chain = LongestChain(all);
    if (chain <= sum.longest_chain_ns) continue;
    sum.longest_chain_ns = chain;
    sum.longest_chain_rank = rank;
  }
  sum.messages = MatchGoalMessages(schedule);
  return sum;
}

}  // namespace heddle
