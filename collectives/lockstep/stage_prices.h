// SPDX-License-Identifier: GPL-2.0-only
/// Prices of a job's operations in one pipeline stage, and times of its steps: those of the slowest
/// group and of the slowest rank.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collectives/closed_form/closed_prices.h"
#include "collectives/job/job.h"

namespace heddle {

class StagePrices {
 public:
  /// Both must outlive it.
  StagePrices(const Job& job, ClosedPrices* prices);

  /// Returns the price of an operation of the program among the groups of a stage; of a message
  /// between stages, among all groups.
  Time PriceOf(std::uint32_t op, std::uint32_t stage);
  /// Returns how long a step of the program computes on the rank whose experts have most tokens.
  Time TimeOf(const ProgramStep& step);

 private:
  /// Groups of one type in a stage that differ in their shapes: one of each.
  using Representatives = std::vector<std::uint32_t>;
  const Representatives& GroupsOf(GroupType type, std::uint32_t stage);
  /// Returns a call of the group's first rank.
  CollectiveCall CallOf(const CollectiveSpec& spec, std::uint32_t group);
  /// Returns the GPUs of a group's ranks. Valid as long as this object.
  const std::vector<NodeId>& MembersOf(GroupType type, std::uint32_t group);

  const Job& job_;
  ClosedPrices* prices_;
  std::map<std::pair<GroupType, std::uint32_t>, Representatives> groups_;
  std::map<std::pair<GroupType, std::uint32_t>, std::vector<NodeId>> members_;
  std::map<std::pair<CollectiveSpec, std::uint32_t>, Time> known_;
  std::map<std::uint32_t, std::uint32_t> slowest_;  ///< by tokens of routed experts: a rank
};

}  // namespace heddle
