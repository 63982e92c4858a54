// SPDX-License-Identifier: GPL-2.0-only
/// Times of the known schedules on ideal stages against the closed forms of the literature.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collectives/pipeline/ideal_times.h"
#include "tests/unit/collectives/pipeline/pipeline_test_util.h"

namespace heddle {
namespace {

constexpr double kTiny = 1e-9;
/// f 1, g 2 in two equal parts.
constexpr StageTimes kEqual{1, 1, 1, 0};

StageTimes WithMessages(double message) { return {1, 1, 1, message}; }

TEST(PipelineTime, ExamplesByHand) {
  EXPECT_NEAR(TotalOf(TableOf("1f1b", {4, 8}), kEqual), 33, kTiny);
  EXPECT_NEAR(TotalOf(TableOf("interleaved", {4, 8, 2}), kEqual), 28.5, kTiny);
  EXPECT_NEAR(TotalOf(TableOf("interleaved", {4, 8, 4}), kEqual), 26.25, kTiny);
  EXPECT_NEAR(TotalOf(TableOf("zb-h1", {4, 8}), kEqual), 27, kTiny);
  EXPECT_NEAR(TotalOf(TableOf("dualpipe", {8, 20}), kEqual), 66, kTiny);
  EXPECT_NEAR(TotalOf(TableOf("1f1b", {4, 8}), WithMessages(0.1)), 34.6, kTiny);
}

/// (m + p - 1)(f + g) + 2 c (p - 1 + floor((m - 1)(p - 1) / p)).
TEST(PipelineTime, OneForwardOneBackward) {
  for (const std::uint32_t p : {2U, 3U, 4U, 8U, 16U}) {
    for (const std::uint32_t m : {1U, 2U, 7U, 16U, 40U}) {
      for (const double c : {0.0, 0.1, 0.7, 3.0}) {
        const StageTimes times{1, 0.7, 1.1, c};
        const double added = 2 * c * (p - 1 + std::floor((m - 1.0) * (p - 1) / p));
        EXPECT_NEAR(TotalOf(TableOf("1f1b", {p, m}), times), (m + p - 1) * 2.8 + added, 1e-6)
            << p << ' ' << m << ' ' << c;
      }
    }
  }
}

/// (m + p - 1)(f + g) + 2 (p - 1) c.
TEST(PipelineTime, GPipe) {
  for (const std::uint32_t p : {2U, 5U, 16U}) {
    for (const std::uint32_t m : {1U, 8U, 33U}) {
      for (const double c : {0.0, 0.5, 9.0}) {
        EXPECT_NEAR(TotalOf(TableOf("gpipe", {p, m}), WithMessages(c)),
                    (m + p - 1) * 3.0 + 2 * (p - 1) * c, 1e-6);
      }
    }
  }
}

/// m (f + g) + (p - 1)(f + g) / v, and 2 c (p v - 1) while c <= min(f, g) / v.
TEST(PipelineTime, Interleaved) {
  for (const std::uint32_t p : {2U, 4U, 8U}) {
    for (const std::uint32_t v : {2U, 3U, 4U}) {
      for (const std::uint32_t m : {p, 2 * p, 5 * p}) {
        const double whole = 3.0 * m + (p - 1) * 3.0 / v;
        for (const double c : {0.0, 0.05, 1.0 / v}) {
          EXPECT_NEAR(TotalOf(TableOf("interleaved", {p, m, v}), WithMessages(c)),
                      whole + 2 * c * (p * v - 1), 1e-6)
              << p << ' ' << v << ' ' << m << ' ' << c;
        }
      }
    }
  }
}

/// Larger groups, and a last group that is not whole but has a micro-batch for each stage.
TEST(PipelineTime, InterleavedInLargerGroups) {
  for (const auto& [m, group] : {std::pair(14U, 5U), std::pair(15U, 5U), std::pair(18U, 7U)}) {
    EXPECT_NEAR(TotalOf(TableOf("interleaved", {4, m, 2, group}), kEqual), 3.0 * m + 4.5, kTiny);
  }
  // Three left of 13 are too few for four stages, and are refused; the order itself idles longer.
  EXPECT_NEAR(TotalOf(TableOf("interleaved", {4, 13, 2, 5}), kEqual), 3 * 13 + 5.5, kTiny);
}

/// m (f + b + w) + (p - 1)(f + b - w).
TEST(PipelineTime, ZeroBubbleH1) {
  for (const std::uint32_t p : {2U, 4U, 8U}) {
    for (const std::uint32_t m : {p, 2 * p, 4 * p + 1}) {
      for (const double b : {1.0, 1.25, 1.5}) {
        for (const double w : {0.5, 0.75, 1.0}) {
          EXPECT_NEAR(TotalOf(TableOf("zb-h1", {p, m}), {1, b, w, 0}),
                      m * (1 + b + w) + (p - 1) * (1 + b - w), 1e-6)
              << p << ' ' << m << ' ' << b << ' ' << w;
        }
      }
      // 2 c (2 p - 2), less 2 c with as many micro-batches as stages.
      const double c = 0.01;
      EXPECT_NEAR(TotalOf(TableOf("zb-h1", {p, m}), WithMessages(c)),
                  3 * m + (p - 1) + 2 * c * (2 * p - 2) - (m == p ? 2 * c : 0), 1e-6)
          << p << ' ' << m;
    }
  }
}

/// M (f + g) + (p / 2 - 1)(pair + g - 3 w), with f = b = w and pairs that take f + g. For other
/// ratios the published bubble is not that of the order.
TEST(PipelineTime, DualPipe) {
  for (const std::uint32_t p : {2U, 4U, 8U, 16U}) {
    for (const std::uint32_t m : {2 * p, 2 * p + 2, 5 * p}) {
      for (const double f : {0.4, 1.0}) {
        const double expected = 3 * f * m + (p / 2.0 - 1) * 2 * f;
        EXPECT_NEAR(TotalOf(TableOf("dualpipe", {p, m}), {f, f, f, 0}), expected, 1e-6)
            << p << ' ' << m << ' ' << f;
        // On half as many stages, with twice the layers in two chunks, half the micro-batches.
        EXPECT_NEAR(TotalOf(TableOf("dualpipev", {p / 2, m / 2}), {2 * f, 2 * f, 2 * f, 0}),
                    expected, 1e-6)
            << p << ' ' << m << ' ' << f;
      }
    }
  }
}

TEST(PipelineTime, MessagesOfDualPipe) {
  const double c = 0.05;
  const int added[3][3] = {{9, 15, 21}, {23, 37, 51}, {51, 81, 111}};
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t p = 4U << i;
    for (std::uint32_t j = 0; j < 3; ++j) {
      const PipelineTable table = TableOf("dualpipe", {p, 2 * (j + 1) * p});
      EXPECT_NEAR(TotalOf(table, WithMessages(c)) - TotalOf(table, kEqual), added[i][j] * c, 1e-6)
          << p << ' ' << j;
    }
  }
}

/// A pair that takes less than its parts: the bubble is the published one or somewhat longer.
TEST(PipelineTime, PairsThatOverlap) {
  const PipelineTable table = TableOf("dualpipe", {8, 20});
  PipelineTimes times = TimesOf(table, kEqual);
  times.pair_share = 2.5 / 3;
  const IdealRun run = RunIdeally(table, times);
  EXPECT_LT(run.total, 66);
  const double worst = *std::max_element(run.busy.begin(), run.busy.end());
  EXPECT_GE(run.total - worst, 3.5 - kTiny);
  EXPECT_LE(run.total - worst, 4.5 + kTiny);
}

TEST(PipelineTime, MessagesAreCounted) {
  const auto messages = [](const PipelineTable& table) {
    return RunIdeally(table, TimesOf(table, kEqual)).messages;
  };
  for (const std::uint32_t p : {2U, 4U, 6U}) {
    const std::uint64_t m = 4 * p;
    const auto size = static_cast<std::uint32_t>(m);
    EXPECT_EQ(messages(TableOf("1f1b", {p, size})), 2 * m * (p - 1));
    EXPECT_EQ(messages(TableOf("zb-h1", {p, size})), 2 * m * (p - 1));
    EXPECT_EQ(messages(TableOf("interleaved", {p, size, 3})), 2 * m * (3 * p - 1));
    EXPECT_EQ(messages(TableOf("dualpipe", {p, size})), 2 * m * (p - 1));
    EXPECT_EQ(messages(TableOf("dualpipev", {p, size})), 2 * m * (2 * p - 2))
        << "none in the middle of the V";
  }
  EXPECT_EQ(messages(TableOf("interleaved", {1, 4, 3})), 0u);
}

TEST(PipelineTime, BusyTimesAndHeldSenders) {
  const PipelineTable table = TableOf("1f1b", {2, 1});
  PipelineTimes times = TimesOf(table, {1, 1, 1, 0.5});
  times.held = 0.25;
  const IdealRun run = RunIdeally(table, times);
  // Stage 0 sends at 1, stage 1 works from 1.5 to 4.5, then the gradients go back.
  EXPECT_NEAR(run.total, 7, kTiny);
  EXPECT_NEAR(run.busy[0], 3, kTiny);
  EXPECT_NEAR(run.ends[1], 4.75, kTiny);
  const PipelineTable two = TableOf("1f1b", {2, 2});
  EXPECT_GT(RunIdeally(two, times).total, TotalOf(two, {1, 1, 1, 0.5}));
}

/// Both messages of a pair leave at once, so the stage is held once.
TEST(PipelineTime, ASenderOfTwoMessagesIsHeldOnce) {
  PipelineTable table = TableOf("dualpipe", {2, 4});
  const auto total = [&](double held) {
    PipelineTimes times = TimesOf(table, {1, 1, 1, 0.5});
    times.held = held;
    return RunIdeally(table, times).ends[0];
  };
  // Stage 0: F0 F2 F1 B2 F3+B0 B3 I1 W1; after what it sends, but for W1 and the last of a route.
  EXPECT_EQ(OrderText(table, 0), "F0.0 F2.1 F1.0 B2.1 F3.1+B0.0 B3.1 I1.0 W1.0");
  EXPECT_GT(total(0.25), total(0));
  EXPECT_LE(total(0.25) - total(0), 0.25 * 7 * 2);
}

TEST(PipelineTime, UnevenStagesWaitForTheSlowest) {
  const PipelineTable table = TableOf("1f1b", {3, 6});
  PipelineTimes times;
  times.task = [](std::uint32_t stage, const PipelineTask& task) {
    return (task.work == PipelineWork::kForward ? 1.0 : 2.0) * (stage == 1 ? 2 : 1);
  };
  // Six times the slowest stage; before it a forward of the first, behind it a backward, and one
  // forward of the slowest is too short for forward and backward of the last.
  EXPECT_NEAR(RunIdeally(table, times).total, 6 * 6 + 1 + 2 + (1 + 2 - 2), kTiny);
}

}  // namespace
}  // namespace heddle
