// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_activities.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace heddle {
namespace {

auto OrderOfEnds(const Activity& a) {
  return std::make_tuple(a.gpu, a.end_ps, a.computes(), a.start_ps, a.operation);
}

auto OrderOfParts(const Activity& a) { return std::make_tuple(a.operation, a.group, a.gpu); }

}  // namespace

StepActivities::StepActivities(const Table& steps, std::uint32_t job,
                               std::vector<std::string> group_types)
    : group_types_(std::move(group_types)) {
  const auto& of_job = GetColumn<std::uint32_t>(steps, "job");
  const auto& gpu = GetColumn<std::uint32_t>(steps, "gpu");
  const auto& layer = GetColumn<std::uint32_t>(steps, "layer");
  const auto& phase = GetColumn<std::string>(steps, "phase");
  const auto& operation = GetColumn<std::int64_t>(steps, "operation");
  const auto& group = GetColumn<std::int64_t>(steps, "group");
  const auto& start = GetColumn<std::int64_t>(steps, "start_ps");
  const auto& end = GetColumn<std::int64_t>(steps, "end_ps");
  for (std::size_t i = 0; i < of_job.size(); ++i) {
    if (of_job[i] != job || end[i] <= start[i]) continue;
    activities_.push_back({start[i], end[i], operation[i], group[i], gpu[i], layer[i], phase[i]});
  }
  std::sort(activities_.begin(), activities_.end(),
            [](const Activity& a, const Activity& b) { return OrderOfEnds(a) < OrderOfEnds(b); });
  for (std::size_t i = 0; i < activities_.size(); ++i) {
    auto& range = of_gpu_.try_emplace(activities_[i].gpu, i, i).first->second;
    range.second = i + 1;
    if (!activities_[i].computes()) parts_.push_back(i);
  }
  std::sort(parts_.begin(), parts_.end(), [&](std::size_t a, std::size_t b) {
    return OrderOfParts(activities_[a]) < OrderOfParts(activities_[b]);
  });
}

const Activity* StepActivities::LastUntil(std::uint32_t gpu, std::int64_t time) const {
  const auto range = of_gpu_.find(gpu);
  if (range == of_gpu_.end()) return nullptr;
  const auto first = activities_.begin() + static_cast<std::ptrdiff_t>(range->second.first);
  const auto last = activities_.begin() + static_cast<std::ptrdiff_t>(range->second.second);
  const auto after = std::upper_bound(
      first, last, time, [](std::int64_t t, const Activity& a) { return t < a.end_ps; });
  return after == first ? nullptr : &*(after - 1);
}

const Activity* StepActivities::PartOf(std::uint32_t gpu, std::int64_t operation) const {
  auto at = std::lower_bound(
      parts_.begin(), parts_.end(), operation,
      [&](std::size_t part, std::int64_t wanted) { return activities_[part].operation < wanted; });
  for (; at != parts_.end() && activities_[*at].operation == operation; ++at) {
    if (activities_[*at].gpu == gpu) return &activities_[*at];
  }
  return nullptr;
}

bool StepActivities::SameCommunicator(const Activity& a, const Activity& b) const {
  return a.group == b.group && TypeOf(a) == TypeOf(b);
}

std::string StepActivities::TypeOf(const Activity& part) const {
  if (group_types_.empty()) return "";
  return group_types_[static_cast<std::size_t>(part.operation) % group_types_.size()];
}

bool StepActivities::IsBetweenStages(const Activity& part) const { return TypeOf(part) == "PP"; }

const Activity* StepActivities::Before(const Activity& part, std::int64_t from,
                                       std::int64_t to) const {
  const auto range = of_gpu_.find(part.gpu);
  if (range == of_gpu_.end()) return nullptr;
  for (std::size_t i = range->second.second; i > range->second.first; --i) {
    const Activity& other = activities_[i - 1];
    if (other.end_ps <= from) break;
    if (other.end_ps > to || other.computes() || other.operation >= part.operation) continue;
    if (SameCommunicator(other, part)) return &other;
  }
  return nullptr;
}

StepActivities::Joins StepActivities::JoinsOf(std::int64_t operation, std::int64_t group) const {
  Joins joins;
  const auto wanted = std::make_tuple(operation, group, std::uint32_t{0});
  auto at = std::lower_bound(
      parts_.begin(), parts_.end(), wanted,
      [&](std::size_t part, const auto& name) { return OrderOfParts(activities_[part]) < name; });
  for (; at != parts_.end(); ++at) {
    const Activity& part = activities_[*at];
    if (part.operation != operation || part.group != group) break;
    if (part.start_ps > joins.last_ps) {
      joins.second_ps = joins.last_ps;
      joins.last_ps = part.start_ps;
      joins.last_gpu = part.gpu;
    } else {
      joins.second_ps = std::max(joins.second_ps, part.start_ps);
    }
  }
  return joins;
}

}  // namespace heddle
