// SPDX-License-Identifier: GPL-2.0-only
/// The curve compared with plain sums over all transmissions, at and beside each of their times.
#include "transport/model/replay/load_curve.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"

namespace heddle {
namespace {

struct Sent {
  std::int64_t after;
  std::uint32_t bytes;
};

/// Some at the same time, some more than 4.3 ms, the most that a step can wait, after the last one.
std::vector<Sent> RandomTransmissions(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  std::vector<Sent> sent;
  std::int64_t after = 0;
  for (std::size_t i = 0; i < count; ++i) {
    switch (random.Below(5)) {
      case 0:
        break;
      case 1:
        after += static_cast<std::int64_t>(random.Below(20'000'000'000));
        break;
      default:
        after += static_cast<std::int64_t>(random.Below(100'000));
    }
    sent.push_back({after, 1 + static_cast<std::uint32_t>(random.Below(9000))});
  }
  return sent;
}

std::int64_t SumBefore(const std::vector<Sent>& sent, std::int64_t after) {
  std::int64_t sum = 0;
  for (const Sent& s : sent) sum += s.after < after ? s.bytes : 0;
  return sum;
}

std::int64_t FirstFrom(const std::vector<Sent>& sent, std::int64_t after) {
  for (const Sent& s : sent) {
    if (s.after >= after) return s.after;
  }
  return -1;
}

TEST(LoadCurve, CountsWhatWasSentBeforeAnyTime) {
  for (const std::size_t count : {1U, 63U, 64U, 65U, 500U}) {
    const std::vector<Sent> sent = RandomTransmissions(count, count);
    LoadCurve curve;
    for (const Sent& s : sent) curve.Append(s.after, s.bytes);
    EXPECT_EQ(curve.total(), SumBefore(sent, sent.back().after + 1));
    for (const Sent& s : sent) {
      for (const std::int64_t beside : {-1, 0, 1}) {
        const std::int64_t at = s.after + beside;
        EXPECT_EQ(curve.Before(at), SumBefore(sent, at)) << count << " at " << at;
        EXPECT_EQ(curve.Next(at), FirstFrom(sent, at)) << count << " at " << at;
      }
    }
  }
}

TEST(LoadCurve, IsEmptyAtFirst) {
  const LoadCurve curve;
  EXPECT_EQ(curve.total(), 0);
  EXPECT_EQ(curve.Before(1'000'000), 0);
  EXPECT_EQ(curve.Next(0), -1);
}

/// Cycles of several lengths, and what comes behind them.
TEST(LoadCurve, KeepsACycleOnce) {
  for (const std::size_t period : {1U, 2U, 3U, 7U, 56U, 500U}) {
    const std::vector<Sent> cycle = RandomTransmissions(period, 1000 + period);
    const std::size_t times = 10 + 200 / period;
    std::vector<Sent> sent;
    std::int64_t begin = 5'000'000;
    for (std::size_t i = 0; i < times; ++i) {
      for (const Sent& s : cycle) sent.push_back({begin + s.after, s.bytes});
      begin = sent.back().after + 777;
    }
    for (const Sent& s : RandomTransmissions(40, period))
      sent.push_back({begin + s.after, s.bytes});
    LoadCurve curve;
    for (const Sent& s : sent) curve.Append(s.after, s.bytes);
    curve.Close();
    EXPECT_LT(curve.memory(), (period * 6 + 150) * 16) << period;
    for (std::size_t i = 0; i < sent.size(); i += 1 + period / 50) {
      for (const std::int64_t beside : {-1, 0, 1}) {
        const std::int64_t at = sent[i].after + beside;
        ASSERT_EQ(curve.Before(at), SumBefore(sent, at)) << period << " at " << at;
        ASSERT_EQ(curve.Next(at), FirstFrom(sent, at)) << period << " at " << at;
      }
    }
  }
}

TEST(LoadCurve, TakesLittleMemory) {
  LoadCurve even, uneven;
  for (std::int64_t i = 0; i < 1 << 16; ++i) {
    even.Append(i * 1000, 9000);
    uneven.Append(i * 1000 + i * i * i % 997, 9000);
  }
  even.Close();
  uneven.Close();
  EXPECT_LT(even.memory(), 2000U);
  EXPECT_LT(uneven.memory(), std::size_t{10} << 16);
}

TEST(LoadCurve, RepeatsACycleAndTakesItBack) {
  LoadCurve curve;
  std::vector<Sent> sent;
  std::int64_t after = 5;
  const auto add = [&](int steps, bool to_curve) {
    for (int i = 0; i < steps; ++i) {
      after += sent.size() % 3 == 0 ? 100 : 7;
      sent.push_back({after, sent.size() % 3 == 1 ? 60U : 9000U});
      if (to_curve) curve.Append(after, sent.back().bytes);
    }
  };
  bool found = false;
  while (!found) {
    add(1, false);
    found = curve.Append(after, sent.back().bytes);
    ASSERT_LT(sent.size(), 1000U);
  }
  ASSERT_TRUE(curve.repeats());
  EXPECT_EQ(curve.cycle_time(), 114);
  EXPECT_EQ(curve.cycle_bytes(), 18060);
  curve.Repeat(1'000'000);
  curve.Repeat(-999'960);
  add(3 * 40, false);
  add(200, true);
  EXPECT_EQ(curve.total(), SumBefore(sent, after + 1));
  for (const Sent& s : sent) {
    ASSERT_EQ(curve.Before(s.after), SumBefore(sent, s.after));
    ASSERT_EQ(curve.Next(s.after - 1), FirstFrom(sent, s.after - 1));
  }
}

// Who skips cycles must know how far back the load repeats: before that it may have the same rate.
TEST(LoadCurve, SaysSinceWhenACycleRepeats) {
  LoadCurve curve;
  for (const std::int64_t after : {0, 100, 230, 300, 380, 500}) curve.Append(after, 5);
  constexpr std::int64_t kLast = 500 + 300 * 100;
  for (std::int64_t after = 600; after <= kLast; after += 100) curve.Append(after, 5);
  ASSERT_TRUE(curve.repeats());
  EXPECT_EQ(curve.cycle_time() * 5, curve.cycle_bytes() * 100);
  EXPECT_GE(curve.repeats_after(), 500) << "380 to 500 is no part of it";
  EXPECT_LT(curve.repeats_after(), kLast - 200 * 100);
}

}  // namespace
}  // namespace heddle
