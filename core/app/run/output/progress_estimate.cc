// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/progress_estimate.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr double kWindow = 30;            // s
constexpr double kWindowShare = 1.0 / 3;  // of the run so far
constexpr double kSpacing = 200;          // points in a window, at most
constexpr double kLeastSpan = 3;          // s
constexpr double kLeastGain = 1e-3;
constexpr double kMostLeft = 100 * 86400.0;

}  // namespace

void ProgressEstimate::Add(double wall_seconds, double share) {
  share = std::min(share, 1.0);
  if (!points_.empty() && (wall_seconds < points_.back().wall || share < points_.back().share))
    return;
  const double window = std::max(kWindow, wall_seconds * kWindowShare);
  const Point now{wall_seconds, share};
  // The last point moves until it is far enough from the one before: few points are kept, and
  // always the newest.
  const bool is_close =
      points_.size() > 1 && wall_seconds - points_[points_.size() - 2].wall < window / kSpacing;
  if (is_close) {
    points_.back() = now;
  } else {
    points_.push_back(now);
  }
  while (points_.size() > 2 && points_[1].wall <= wall_seconds - window) points_.pop_front();
}

std::optional<double> ProgressEstimate::Left() const {
  if (points_.empty()) return std::nullopt;
  const double span = points_.back().wall - points_.front().wall;
  const double gain = points_.back().share - points_.front().share;
  if (span < kLeastSpan || gain < kLeastGain) return std::nullopt;
  const double left = (1 - points_.back().share) * span / gain;
  if (left > kMostLeft) return std::nullopt;
  return left;
}

}  // namespace heddle
