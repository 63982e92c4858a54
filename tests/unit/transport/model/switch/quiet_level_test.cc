// SPDX-License-Identifier: GPL-2.0-only
/// The quiet level of a switch's buffer: below it no packet is refused or causes a pause, however
/// the bytes are distributed.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/transport/model/switch/small_buffers.h"

namespace heddle {
namespace {

TEST(QuietLevel, ByHand) {
  // P = 6000, s = 1, headroom 0, reserve 521,288: one packet is refused beyond P / 2 = 3000; a
  // pause comes at r + 6001 / 3 = 523,288 only.
  EXPECT_EQ(TwoPorts(WithPool(6000, 1)).quiet_level(), 3000);
  EXPECT_EQ(TwoPorts(WithPool(6000, 3)).quiet_level(), 750);
  // The default: P = 33,471,240, s = 3, r = 4096, so a pause comes at 4096 + 33,471,241 / 9 =
  // 3,723,122.
  EXPECT_EQ(TwoPorts(BufferOptions{}).quiet_level(), 3'723'121);
  // P < 2^s: the threshold is 0 and the first packet asks for a pause.
  EXPECT_EQ(TwoPorts(WithPool(6, 3)).quiet_level(), 0);
}

TEST(QuietLevel, NoneWhileSomethingIsPausedOrInHeadroom) {
  SharedBuffer buffer = TwoPorts(BufferOptions{});
  const std::int64_t level = buffer.quiet_level();
  buffer.SetPaused(1, 3, true);
  buffer.SetPaused(1, 4, true);
  buffer.SetPaused(1, 4, true);
  EXPECT_EQ(buffer.quiet_level(), -1);
  buffer.SetPaused(1, 3, false);
  EXPECT_EQ(buffer.quiet_level(), -1);
  buffer.SetPaused(1, 4, false);
  EXPECT_EQ(buffer.quiet_level(), level);
  while (buffer.headroom_used(0, 3) == 0) buffer.Add(0, 3, 9000);
  EXPECT_EQ(buffer.quiet_level(), -1);
  buffer.Remove(0, 3, 9000);
  EXPECT_EQ(buffer.quiet_level(), level);
  buffer.SetRate(0, {50'000'000'000});
  EXPECT_NE(buffer.quiet_level(), level);
}

/// Fills the tiny buffer below with packets of 1 to 7 bytes in every possible way, by depth-first
/// search: below the level nothing happens, and at the level plus one something can.
class Exhaustive {
 public:
  explicit Exhaustive(const SharedBuffer& buffer) { Visit(buffer, 0); }
  std::int64_t first_trouble = INT64_MAX;  ///< smallest used + size with a pause or refusal

 private:
  void Visit(const SharedBuffer& buffer, int depth) {
    for (std::uint32_t port = 0; port < 2; ++port) {
      for (const std::int64_t size : {1, 3, 7}) {
        const std::int64_t level = buffer.used() + size;
        if (level >= first_trouble || depth > 40) continue;
        SharedBuffer next = buffer;
        const bool refused = !next.Admits(port, 3, size);
        if (!refused) next.Add(port, 3, size);
        if (refused || next.headroom_used(port, 3) > 0 || next.ShouldPause(port, 3)) {
          first_trouble = level;
        } else if (seen_.insert({next.ingress(0, 3), next.ingress(1, 3)}).second) {
          Visit(next, depth + 1);
        }
      }
    }
  }
  std::set<std::pair<std::int64_t, std::int64_t>> seen_;
};

TEST(QuietLevel, IsTheLargestOne) {
  // Headroom leaves a pool of a few bytes: 1 MiB - 2 x 174,760 x 3 - 2 x 4 = 8 bytes, less 3 a byte
  // of delay.
  for (const std::int64_t shift : {0, 1, 2}) {
    for (const std::int64_t less : {0, 1, 2, 5, 9}) {
      BufferOptions options;
      options.buffer_mib = 1;
      options.reserve = 4;
      options.threshold_shift = shift;
      const SharedBuffer buffer = TwoPorts(options, PicoSeconds((174'760 - less) * 80));
      EXPECT_EQ(Exhaustive(buffer).first_trouble, buffer.quiet_level() + 1)
          << "shift " << shift << " less " << less;
    }
  }
}

TEST(QuietLevel, HoldsForRandomDistributions) {
  RandomStream random(11, 0, RandomPurpose::kPartition);
  for (int trial = 0; trial < 2000; ++trial) {
    BufferOptions options;
    options.buffer_mib = 1 + static_cast<std::int64_t>(random.Below(8));
    options.reserve = static_cast<std::int64_t>(random.Below(9000));
    options.threshold_shift = static_cast<std::int64_t>(random.Below(5));
    std::vector<SharedBuffer::PortLimits> ports;
    for (std::uint64_t i = 1 + random.Below(8); i > 0; --i) {
      ports.push_back({{25'000'000'000LL << random.Below(5)},
                       NanoSeconds(static_cast<std::int64_t>(random.Below(500)))});
    }
    SharedBuffer buffer(options, ports, k100G, "switch 12");
    const std::int64_t level = buffer.quiet_level();
    // A few accounts hold nearly all bytes.
    const std::uint64_t favourites = 1 + random.Below(ports.size());
    const std::uint64_t priorities = 1 + random.Below(8);
    const std::int64_t largest = 1 + static_cast<std::int64_t>(random.Below(60'000));
    while (true) {
      const auto port = static_cast<std::uint32_t>(random.Below(favourites));
      const int priority = static_cast<int>(random.Below(priorities));
      const std::int64_t bytes =
          1 + static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(largest)));
      if (buffer.used() + bytes > level) break;
      ASSERT_TRUE(buffer.Admits(port, priority, bytes));
      buffer.Add(port, priority, bytes);
      ASSERT_EQ(buffer.headroom_used(port, priority), 0);
      ASSERT_FALSE(buffer.ShouldPause(port, priority));
      ASSERT_EQ(buffer.quiet_level(), level);
    }
  }
}

}  // namespace
}  // namespace heddle
