// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/window_profile.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// `windows` windows in which domain 0 runs 3 events and domain 1 runs 1.
WindowProfile Recorded(std::uint64_t windows) {
  WindowProfile profile;
  for (std::uint64_t window = 0; window < windows; ++window) {
    if (!profile.BeginWindow(Time{static_cast<std::int64_t>(window)}, 2)) continue;
    profile.AfterRun(0, 3);
    profile.AfterRun(1, 1);
    profile.EndWindow(0);
    profile.EndEdge(0);
  }
  return profile;
}

TEST(WindowProfile, SamplesStayFewAndEvenlySpread) {
  constexpr std::uint64_t kWindows = 10 * WindowProfile::kMostSamples;
  const WindowProfile profile = Recorded(kWindows);
  EXPECT_EQ(profile.windows(), kWindows);
  ASSERT_LE(profile.samples().size(), WindowProfile::kMostSamples);
  ASSERT_GE(profile.samples().size(), WindowProfile::kMostSamples / 2);
  const std::uint64_t stride = profile.samples()[1].window;
  EXPECT_EQ(stride, 16u);
  for (std::size_t i = 0; i < profile.samples().size(); ++i) {
    EXPECT_EQ(profile.samples()[i].window, i * stride);
    EXPECT_EQ(profile.samples()[i].start.ps, static_cast<std::int64_t>(i * stride));
    ASSERT_EQ(profile.samples()[i].runs.size(), 2u);
    EXPECT_EQ(profile.samples()[i].runs[0].events, 3u);
  }
}

TEST(WindowProfile, EstimatesStandForAllWindows) {
  constexpr double kWindows = 10 * WindowProfile::kMostSamples;
  const WindowProfile profile = Recorded(static_cast<std::uint64_t>(kWindows));
  EXPECT_NEAR(profile.totals()[0].measured_events, 3 * kWindows, 0.01 * kWindows);
  EXPECT_NEAR(profile.totals()[1].measured_events, kWindows, 0.01 * kWindows);
  EXPECT_GT(profile.totals()[0].measured_ns, 0);
  EXPECT_GT(profile.mean_edge_ns(), 0);
}

TEST(WindowProfile, WaitingForOthersIsNoWork) {
  WindowProfile profile;
  ASSERT_TRUE(profile.BeginWindow(Time{0}, 1));
  profile.AfterRun(0, 1);
  profile.EndWindow(2.0);
  profile.EndEdge(1000.0);  // blocked for longer than the measured time
  EXPECT_EQ(profile.mean_edge_ns(), 0);
}

}  // namespace
}  // namespace heddle
