// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_rank_builder.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

/// Number of waits of each operation that are left when all that can run have run.
std::vector<std::uint32_t> WaitsLeft(const GoalRank& rank) {
  std::vector<std::uint32_t> left, ready;
  for (const GoalOperation& operation : rank.operations) left.push_back(operation.waits);
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    if (left[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const GoalOperation& done = rank.operations[ready.back()];
    ready.pop_back();
    for (std::uint32_t k = 0; k < done.after_end + done.after_start; ++k) {
      const std::uint32_t next = rank.followers[done.first_follower + k];
      if (--left[next] == 0) ready.push_back(next);
    }
  }
  return left;
}

/// Sets only_of_key of all sends.
void MarkOnlySends(std::vector<GoalOperation>* operations) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sends;  // by peer and tag
  for (std::uint32_t i = 0; i < operations->size(); ++i) {
    const GoalOperation& op = (*operations)[i];
    if (op.is_send()) sends.emplace_back(std::uint64_t{op.peer} << 32 | op.tag, i);
  }
  if (!std::is_sorted(sends.begin(), sends.end())) std::sort(sends.begin(), sends.end());
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const bool again = (i > 0 && sends[i - 1].first == sends[i].first) ||
                       (i + 1 < sends.size() && sends[i + 1].first == sends[i].first);
    (*operations)[sends[i].second].only_of_key = !again;
  }
}

}  // namespace

std::uint32_t GoalRankBuilder::Add(const GoalOperation& operation) {
  rank_.operations.push_back(operation);
  return size() - 1;
}

void GoalRankBuilder::Follow(std::uint32_t later, std::uint32_t earlier, bool start) {
  GoalOperation& before = rank_.operations[earlier];
  ++rank_.operations[later].waits;
  ++(start ? before.after_start : before.after_end);
  (start ? starts_ : ends_).push_back({earlier, later});
}

GoalRank GoalRankBuilder::Take() {
  std::vector<std::uint32_t> next_end, next_start;
  std::uint32_t first = 0;
  for (GoalOperation& operation : rank_.operations) {
    operation.first_follower = first;
    next_end.push_back(first);
    next_start.push_back(first + operation.after_end);
    first += operation.after_end + operation.after_start;
  }
  rank_.followers.resize(first);
  Place(ends_, &next_end);
  Place(starts_, &next_start);
  for (const GoalOperation& operation : rank_.operations) {
    const auto begin = rank_.followers.begin() + operation.first_follower;
    std::sort(begin, begin + operation.after_end);
    std::sort(begin + operation.after_end, begin + operation.after_end + operation.after_start);
  }
  ends_.clear();
  starts_.clear();
  MarkOnlySends(&rank_.operations);
  rank_.operations.shrink_to_fit();
  return std::exchange(rank_, GoalRank());
}

void GoalRankBuilder::Place(const std::vector<Pair>& pairs, std::vector<std::uint32_t>* next) {
  for (const Pair& pair : pairs) rank_.followers[(*next)[pair.earlier]++] = pair.later;
}

std::vector<std::uint32_t> FindCycle(const GoalRank& rank) {
  const std::vector<std::uint32_t> left = WaitsLeft(rank);
  constexpr std::uint32_t kNone = ~0U;
  // Whoever waits for ever waits for one that does: going back ends in a ring.
  std::vector<std::uint32_t> before(left.size(), kNone);
  std::uint32_t stuck = kNone;
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    if (left[i] == 0) continue;
    stuck = std::min(stuck, i);
    const GoalOperation& operation = rank.operations[i];
    for (std::uint32_t k = 0; k < operation.after_end + operation.after_start; ++k)
      before[rank.followers[operation.first_follower + k]] = i;
  }
  if (stuck == kNone) return {};
  for (std::size_t step = 0; step < left.size(); ++step) stuck = before[stuck];
  std::vector<std::uint32_t> cycle;
  for (std::uint32_t at = stuck; cycle.empty() || at != stuck; at = before[at]) cycle.push_back(at);
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

}  // namespace heddle
