// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/expert_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"

namespace heddle {

ExpertDraw::ExpertDraw(std::vector<double> weights, std::uint32_t top_k, std::uint32_t groups,
                       std::uint32_t top_groups)
    : weights_(std::move(weights)), top_k_(top_k), groups_(groups), top_groups_(top_groups) {
  HEDDLE_EXPECT(groups > 0 && experts() % groups == 0 && top_groups > 0 && top_groups <= groups &&
                top_k <= experts() / groups * top_groups);
  ends_.resize(weights_.size());
  std::partial_sum(weights_.begin(), weights_.end(), ends_.begin());
  taken_.resize(weights_.size());
  Reset();
}

void ExpertDraw::Reset() {
  for (const std::uint32_t expert : order_) taken_[expert] = 0;
  order_.clear();
  left_ = ends_.back();
}

std::uint32_t ExpertDraw::DrawAmongLeft(RandomStream* random) const {
  double left = 0;
  for (std::uint32_t expert = 0; expert < experts(); ++expert) {
    if (taken_[expert] == 0) left += weights_[expert];
  }
  double rest = random->Uniform() * left;
  std::uint32_t last = experts();
  for (std::uint32_t expert = 0; expert < experts(); ++expert) {
    if (taken_[expert] != 0) continue;
    last = expert;
    rest -= weights_[expert];
    if (rest < 0) break;
  }
  return last;
}

std::uint32_t ExpertDraw::Take(RandomStream* random) {
  constexpr int kTries = 8;
  std::uint32_t expert = experts();
  for (int i = 0; i < kTries && (expert == experts() || taken_[expert] != 0); ++i) {
    const double at = random->Uniform() * ends_.back();
    const auto end = std::upper_bound(ends_.begin(), ends_.end() - 1, at);
    expert = static_cast<std::uint32_t>(end - ends_.begin());
  }
  if (taken_[expert] != 0) expert = DrawAmongLeft(random);
  taken_[expert] = 1;
  order_.push_back(expert);
  left_ -= weights_[expert];
  return expert;
}

void ExpertDraw::ChooseGroups(RandomStream* random) {
  const std::uint32_t size = experts() / groups_;
  std::vector<std::uint32_t> seen(groups_);
  std::vector<double> sums(groups_);
  double time = 0;
  for (std::uint32_t complete = 0; complete < groups_ && order_.size() < experts();) {
    time += -std::log(1 - random->Uniform()) / std::max(left_, 1e-12 * ends_.back());
    const std::uint32_t group = Take(random) / size;
    if (++seen[group] > 2) continue;
    sums[group] += -std::log(time);
    if (seen[group] == std::min(size, 2U)) ++complete;
  }
  std::vector<std::uint32_t> best(groups_);
  std::iota(best.begin(), best.end(), 0U);
  std::stable_sort(best.begin(), best.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return sums[a] > sums[b]; });
  allowed_.assign(groups_, 0);
  for (std::uint32_t i = 0; i < top_groups_; ++i) allowed_[best[i]] = 1;
}

void ExpertDraw::Draw(RandomStream* random, std::vector<std::uint32_t>* chosen) {
  chosen->clear();
  Reset();
  if (top_groups_ == groups_) {
    while (chosen->size() < top_k_) chosen->push_back(Take(random));
    return;
  }
  ChooseGroups(random);
  const std::uint32_t size = experts() / groups_;
  for (std::size_t i = 0; chosen->size() < top_k_; ++i) {
    const std::uint32_t expert = i < order_.size() ? order_[i] : Take(random);
    if (allowed_[expert / size] != 0) chosen->push_back(expert);
  }
}

}  // namespace heddle
