// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/lockstep/stage_prices.h"

#include <algorithm>
#include <set>

#include "collectives/program/routed_experts.h"

namespace heddle {

StagePrices::StagePrices(const Job& job, ClosedPrices* prices) : job_(job), prices_(prices) {
  prices->ForgetGroups();
}

const std::vector<NodeId>& StagePrices::MembersOf(GroupType type, std::uint32_t group) {
  const auto [at, is_new] = members_.try_emplace({type, group});
  if (!is_new) return at->second;
  for (const std::uint32_t rank : job_.groups.Members(type, group))
    at->second.push_back(job_.gpus[rank]);
  return at->second;
}

CollectiveCall StagePrices::CallOf(const CollectiveSpec& spec, std::uint32_t group) {
  const std::vector<NodeId>& members = MembersOf(spec.group, group);
  CollectiveCall call;
  call.name.group = group;
  call.operation = spec.operation;
  call.group_type = spec.group;
  call.bytes = spec.bytes;
  call.members = members.data();
  call.ranks = static_cast<std::uint32_t>(members.size());
  call.root = spec.root;
  call.peer = spec.peer;
  call.sizes = spec.sizes;
  return call;
}

const StagePrices::Representatives& StagePrices::GroupsOf(GroupType type, std::uint32_t stage) {
  const auto [at, is_new] = groups_.try_emplace({type, stage});
  if (!is_new) return at->second;
  CollectiveSpec spec;
  spec.group = type;
  std::set<std::uint32_t> shapes;
  const bool all = type == GroupType::kPipeline;
  for (std::uint32_t group = 0; group < job_.groups.count(type); ++group) {
    const std::uint32_t first = job_.groups.Members(type, group).front();
    if (!all && job_.groups.StageOf(first) != stage) continue;
    if (shapes.insert(prices_->ShapeOf(CallOf(spec, group))).second) at->second.push_back(group);
  }
  return at->second;
}

Time StagePrices::TimeOf(const ProgramStep& step) {
  const RoutedExperts* const experts = job_.program.experts.get();
  if (experts == nullptr) return step.time;
  const std::uint32_t tokens = experts->computes[step.layer];
  if (tokens == RoutedExperts::kNone) return step.time;
  const auto time_on = [&](std::uint32_t rank) {
    return TimeOnRank(job_.program, step, job_.groups, rank);
  };
  const auto [at, is_new] = slowest_.try_emplace(tokens, 0);
  if (is_new) {  // all groups of experts have the same tokens
    for (const std::uint32_t rank : job_.groups.Members(GroupType::kExpert, 0)) {
      if (time_on(rank) > time_on(at->second)) at->second = rank;
    }
  }
  return time_on(at->second);
}

Time StagePrices::PriceOf(std::uint32_t op, std::uint32_t stage) {
  const CollectiveSpec& spec = job_.program.ops[op].spec;
  const std::uint32_t among = spec.group == GroupType::kPipeline ? 0 : stage;
  const auto [at, is_new] = known_.try_emplace({spec, among});
  if (!is_new) return at->second;
  for (const std::uint32_t group : GroupsOf(spec.group, among))
    at->second = std::max(at->second, prices_->PriceOf(CallOf(spec, group)));
  return at->second;
}

}  // namespace heddle
