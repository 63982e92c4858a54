// SPDX-License-Identifier: GPL-2.0-only
/// A switch's buffer: traces computed by hand from the definitions, and its sums under random
/// traffic. quiet_level_test.cc has the rest.
#include "transport/model/switch/shared_buffer.h"

#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/options/options.h"
#include "tests/unit/transport/model/switch/small_buffers.h"

namespace heddle {
namespace {

TEST(SharedBuffer, HeadroomAndThresholdByHand) {
  const SharedBuffer buffer = TwoPorts(BufferOptions{});
  EXPECT_EQ(buffer.headroom(0), 37'500);  // 1e11 x 1e-6 / 8 x 3
  // (33,554,432 - 2 x 37,500 - 2 x 4096) / 8 = 33,471,240 / 8
  EXPECT_EQ(buffer.threshold(0), 4'183'905);
  EXPECT_EQ(buffer.used(), 0);
}

TEST(SharedBuffer, HeadroomRoundsBeforeTheFactor) {
  BufferOptions options;
  // 1e11 x 0.5e-9 s / 8 = 6.25 -> 6, x 3 = 18, as SimAI's integers do.
  EXPECT_EQ(TwoPorts(options, PicoSeconds(500)).headroom(1), 18);
  options.headroom_factor = 5;
  EXPECT_EQ(TwoPorts(options, PicoSeconds(500)).headroom(1), 30);
}

TEST(SharedBuffer, FasterPortsMayUseMore) {
  const std::vector<SharedBuffer::PortLimits> ports{{k100G, {}},
                                                    {k200G, {}},
                                                    {k400G, {}},
                                                    {{800'000'000'000}, {}},
                                                    {{6'400'000'000'000}, {}},
                                                    {{50'000'000'000}, {}}};
  const SharedBuffer buffer(BufferOptions{}, ports, k100G, "switch 12");
  const int expected[] = {3, 2, 1, 0, 0, 3};  // one less a doubling beyond 100 Gbps, never below 0
  for (std::uint32_t port = 0; port < 6; ++port)
    EXPECT_EQ(buffer.shift(port), expected[port]) << port;
  const SharedBuffer nvlink(BufferOptions{}, ports, {2'880'000'000'000}, "switch 12");
  EXPECT_EQ(nvlink.shift(2), 3);
  EXPECT_EQ(nvlink.shift(4), 1);  // 6.4 T -> 3.2 T -> 1.6 T: two halvings
}

TEST(SharedBuffer, ReserveThenPoolThenHeadroomAndBack) {
  BufferOptions options = WithPool(6000, 1);
  options.headroom_factor = 3;
  options.reserve = 1000;
  // Choose a headroom that leaves a pool of 6000: per port (1,048,576 - 2000 - 6000) / 2 = 520,288
  // = 3 x 173,429.33, so each port gets 173,429 x 3 = 520,287: pool 6002.
  const Time delay = PicoSeconds(173'429 * 80);  // 80 ps a byte at 100 Gbps
  SharedBuffer buffer = TwoPorts(options, delay);
  ASSERT_EQ(buffer.headroom(0), 520'287);
  EXPECT_EQ(buffer.threshold(0), 3001);

  buffer.Add(0, 3, 800);  // within the reserve
  EXPECT_EQ(buffer.shared_used(), 0);
  EXPECT_FALSE(buffer.ShouldPause(0, 3));
  buffer.Add(0, 3, 700);  // 1500: 500 beyond the reserve, of which all are this packet's
  EXPECT_EQ(buffer.shared_used(), 500);
  EXPECT_EQ(buffer.threshold(0), 2751);  // (6002 - 500) / 2
  buffer.Add(0, 3, 1500);                // 2000 <= 2751
  EXPECT_EQ(buffer.shared_used(), 2000);
  EXPECT_EQ(buffer.threshold(0), 2001);
  EXPECT_FALSE(buffer.ShouldPause(0, 3));  // 2000 < 2001
  EXPECT_FALSE(buffer.ShouldPause(0, 4));
  buffer.Add(0, 3, 2);  // 2002 > 2001: to the headroom
  EXPECT_EQ(buffer.shared_used(), 2000);
  EXPECT_EQ(buffer.ingress(0, 3), 3000);
  EXPECT_EQ(buffer.headroom_used(0, 3), 2);
  EXPECT_EQ(buffer.used(), 3002);
  EXPECT_TRUE(buffer.ShouldPause(0, 3));
  EXPECT_FALSE(buffer.ShouldPause(1, 3));
  buffer.SetPaused(0, 3, true);
  EXPECT_TRUE(buffer.paused(0, 3));
  EXPECT_FALSE(buffer.ShouldPause(0, 3));   // once is enough
  EXPECT_FALSE(buffer.ShouldResume(0, 3));  // headroom in use

  buffer.Remove(0, 3, 1002);  // 2 from the headroom, 1000 from the pool
  EXPECT_EQ(buffer.headroom_used(0, 3), 0);
  EXPECT_EQ(buffer.shared_used(), 1000);
  EXPECT_EQ(buffer.ingress(0, 3), 2000);
  EXPECT_FALSE(buffer.ShouldResume(0, 3));  // 1000 + 3072 > 2501
  buffer.Remove(0, 3, 1500);                // 1000 from the pool, 500 from the reserve
  EXPECT_EQ(buffer.shared_used(), 0);
  EXPECT_EQ(buffer.ingress(0, 3), 500);
  EXPECT_TRUE(buffer.ShouldResume(0, 3));  // nothing of the pool in use
  buffer.SetPaused(0, 3, false);
  EXPECT_FALSE(buffer.ShouldResume(0, 3));
  buffer.Remove(0, 3, 500);
  EXPECT_EQ(buffer.used(), 0);
}

TEST(SharedBuffer, ResumeOffsetIsTheHysteresis) {
  BufferOptions options = WithPool(6000, 1);
  options.resume_offset = 300;
  SharedBuffer buffer = TwoPorts(options);
  buffer.Add(0, 5, options.reserve + 2000);  // (6000 - 2000) / 2 = 2000: reached
  EXPECT_TRUE(buffer.ShouldPause(0, 5));
  buffer.SetPaused(0, 5, true);
  buffer.Remove(0, 5, 199);  // shared 1801, threshold 2099: 1801 + 300 = 2101 > 2099
  EXPECT_FALSE(buffer.ShouldResume(0, 5));
  buffer.Remove(0, 5, 1);  // 1800 + 300 = 2100 <= 2100
  EXPECT_TRUE(buffer.ShouldResume(0, 5));
}

TEST(SharedBuffer, APacketIsRefusedWhenNeitherPoolNorHeadroomTakesIt) {
  BufferOptions options = WithPool(6000, 1);
  SharedBuffer buffer = TwoPorts(options);  // headroom 0
  EXPECT_TRUE(buffer.Admits(0, 3, 3000));
  EXPECT_FALSE(buffer.Admits(0, 3, 3001));
  buffer.Add(1, 3, options.reserve + 1000);  // threshold (6000 - 1000) / 2 = 2500
  EXPECT_TRUE(buffer.Admits(0, 3, 2500));
  EXPECT_FALSE(buffer.Admits(0, 3, 2501));
  EXPECT_TRUE(buffer.Admits(1, 3, 1500));
  EXPECT_FALSE(buffer.Admits(1, 3, 1501));
  options.headroom_factor = 3;
  // 100 Gbps x 4 ns = 50 bytes, x 3 = 150 of headroom: the pool is the same.
  options.reserve -= 150;
  SharedBuffer roomy = TwoPorts(options, NanoSeconds(4));
  roomy.Add(0, 3, options.reserve + 3000);
  EXPECT_EQ(roomy.threshold(0), 1500);
  EXPECT_TRUE(roomy.Admits(0, 3, 150));
  EXPECT_FALSE(roomy.Admits(0, 3, 151));
  roomy.Add(0, 3, 100);
  EXPECT_EQ(roomy.headroom_used(0, 3), 100);
  EXPECT_TRUE(roomy.Admits(0, 3, 50));
  EXPECT_FALSE(roomy.Admits(0, 3, 51));
}

TEST(SharedBuffer, PriorityZeroIsAccountedAndNeverPaused) {
  const BufferOptions options = WithPool(6000, 1);
  SharedBuffer buffer = TwoPorts(options);
  buffer.Add(0, 0, options.reserve + 2000);
  EXPECT_EQ(buffer.shared_used(), 2000);
  EXPECT_FALSE(buffer.ShouldPause(0, 0));
  EXPECT_FALSE(buffer.Admits(0, 0, 1));
  buffer.Add(1, 1, options.reserve + 2000);  // the same in another priority pauses
  EXPECT_TRUE(buffer.ShouldPause(1, 1));
}

TEST(SharedBuffer, ThresholdIsNeverNegative) {
  SharedBuffer buffer(WithPool(6000, 0), {{k100G, {}}, {k200G, {}}}, k400G, "switch 12");
  const std::int64_t reserve = WithPool(6000, 0).reserve;
  buffer.Add(0, 3, reserve + 6000);
  EXPECT_EQ(buffer.threshold(1), 0);
  buffer.Add(0, 4, reserve);  // a second reserve, which the pool does not set aside
  EXPECT_EQ(buffer.threshold(1), 0);
  EXPECT_TRUE(buffer.ShouldPause(1, 3));
}

TEST(SharedBuffer, TooSmallABufferIsRefusedWithFiguresAndRemedy) {
  BufferOptions options;
  options.buffer_mib = 1;
  try {
    // 400 Gbps x 5 us / 8 x 3 = 750,000 bytes a port
    SharedBuffer(options, {{k400G, MicroSeconds(5)}, {k400G, MicroSeconds(5)}}, k100G, "switch 12");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    const std::string text = error.what();
    // 1,500,000 + 8192 = 1,508,192 bytes are more than 1 MiB and less than 2.
    for (const char* part : {"switch 12", "2 ports", "1500000 bytes", "8192 bytes", "1048576 bytes",
                             "BUFFER_SIZE", "at least 2 MiB"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
    }
  }
  options.buffer_mib = 2;
  SharedBuffer(options, {{k400G, MicroSeconds(5)}, {k400G, MicroSeconds(5)}}, k100G, "switch 12");
  // Unreasonable rates and delays must not overflow.
  try {
    SharedBuffer(options, {{{INT64_MAX}, Time::Max()}}, k100G, "switch 12");
    FAIL() << "accepted";
  } catch (const UserError& error) {  // no advice that cannot be followed
    EXPECT_NE(std::string(error.what()).find("above the most that switch.buffer"),
              std::string::npos)
        << error.what();
  }
}

TEST(SharedBuffer, ADegradedLinkGetsItsShare) {
  SharedBuffer buffer(BufferOptions{}, {{k400G, MicroSeconds(1)}, {k100G, MicroSeconds(1)}}, k100G,
                      "switch 12");
  EXPECT_EQ(buffer.headroom(0), 150'000);
  EXPECT_EQ(buffer.shift(0), 1);
  const std::int64_t before = buffer.threshold(1);
  buffer.SetRate(0, k200G);
  EXPECT_EQ(buffer.headroom(0), 75'000);
  EXPECT_EQ(buffer.shift(0), 2);
  // (33,358,740 + 75,000) / 8; the remainders do not carry.
  EXPECT_EQ(buffer.threshold(1), before + 75'000 / 8);
  buffer.SetRate(0, k400G);
  EXPECT_EQ(buffer.threshold(1), before);
}

/// 100 Gbps, 500 ns: SimAI's 3 * 6250 = 18,750 bytes hold two jumbo packets; 2 * 6250 on the wire,
/// 3 packets of 9052 and the frame of 43 bytes have to fit: 39,699.
TEST(SharedBuffer, HeadroomIsEnoughForPfcToBeLossless) {
  BufferOptions options;
  EXPECT_EQ(TwoPorts(options, NanoSeconds(500)).headroom(0), 18'750);
  options.packet = 9052;
  EXPECT_EQ(TwoPorts(options, NanoSeconds(500)).headroom(0), 39'699);
  EXPECT_EQ(TwoPorts(options, MicroSeconds(5)).headroom(0), 187'500);  // 3 * 62,500 > 152,199
  options.simai_headroom = true;
  EXPECT_EQ(TwoPorts(options, NanoSeconds(500)).headroom(0), 18'750);
  options.simai_headroom = false;
  options.headroom_factor = 0;
  EXPECT_EQ(TwoPorts(options, NanoSeconds(500)).headroom(0), 0);
}

/// A port that holds a GiB leaves each other port its own 2 GiB; no pause, no headroom.
TEST(SharedBuffer, ALosslessOneRefusesAndPausesNothing) {
  BufferOptions options;
  options.buffer_mib = 1;
  options.lossless = true;
  SharedBuffer buffer = TwoPorts(options);
  constexpr std::int64_t kPacket = 8 << 20;
  for (std::int64_t held = 0; held < std::int64_t{1} << 30; held += kPacket) {
    for (const std::uint32_t port : {0U, 1U}) {
      ASSERT_TRUE(buffer.Admits(port, 3, kPacket)) << held;
      buffer.Add(port, 3, kPacket);
      ASSERT_FALSE(buffer.ShouldPause(port, 3)) << held;
    }
  }
  EXPECT_EQ(buffer.used(), std::int64_t{2} << 30);
  EXPECT_EQ(buffer.headroom_used(0, 3), 0);
  EXPECT_TRUE(buffer.Admits(0, 3, (std::int64_t{1} << 30) - kPacket));
  EXPECT_FALSE(buffer.Admits(0, 3, std::int64_t{2} << 30)) << "an account fits 32 bits";
}

TEST(BufferOptions, KeysAndRanges) {
  BufferOptions options;
  OptionSet set;
  options.Declare(&set);
  set.Set("BUFFER_SIZE", "4095");
  set.Set("switch.reserve", "0");
  set.Set("switch.headroom_factor", "1");
  set.Set("switch.alpha_shift", "0");
  set.Set("pfc.resume_offset", "1");
  set.Set("compat.nvlink_alpha", "true");
  EXPECT_EQ(options.buffer_mib, 4095);
  EXPECT_TRUE(options.nvlink_alpha);
  EXPECT_THROW(set.Set("BUFFER_SIZE", "4096"), UserError);
  EXPECT_THROW(set.Set("BUFFER_SIZE", "0"), UserError);
  const SharedBuffer buffer = TwoPorts(options);
  EXPECT_EQ(buffer.headroom(0), 12'500);
  EXPECT_EQ(buffer.threshold(0), 4095 * kMiB - 25'000);
}

/// Packets in a buffer: its sums must follow from the accounts alone.
struct Sums {
  std::int64_t shared = 0, used = 0, headroom = 0;
  Sums(const SharedBuffer& buffer, std::uint32_t ports, std::int64_t reserve) {
    for (std::uint32_t port = 0; port < ports; ++port) {
      for (int q = 0; q < kPriorities; ++q) {
        shared += std::max<std::int64_t>(0, buffer.ingress(port, q) - reserve);
        headroom += buffer.headroom_used(port, q);
        used += buffer.ingress(port, q) + buffer.headroom_used(port, q);
      }
    }
  }
};

struct Held {
  std::uint32_t port;
  int priority;
  std::int64_t bytes;
};

TEST(SharedBuffer, SumsHoldUnderRandomTraffic) {
  constexpr std::uint32_t kPorts = 4;
  BufferOptions options;
  options.buffer_mib = 1;
  SharedBuffer buffer(options,
                      std::vector<SharedBuffer::PortLimits>(kPorts, {k100G, NanoSeconds(800)}),
                      k100G, "switch 12");
  RandomStream random(5, 0, RandomPurpose::kPartition);
  std::vector<Held> held;
  std::int64_t bytes_held = 0;
  int refused = 0, pauses = 0, resumes = 0, in_headroom = 0;
  for (int step = 0; step < 200'000; ++step) {
    const bool filling = (step / 2000) % 2 == 0;
    if (held.empty() || random.Below(10) < (filling ? 7U : 3U)) {
      // Mostly one priority: else the accounts' reserves alone hold the traffic.
      const Held packet{static_cast<std::uint32_t>(random.Below(kPorts)),
                        random.Below(4) == 0 ? static_cast<int>(random.Below(8)) : 3,
                        static_cast<std::int64_t>(60 + random.Below(8993))};
      if (!buffer.Admits(packet.port, packet.priority, packet.bytes)) {
        ++refused;
        continue;
      }
      buffer.Add(packet.port, packet.priority, packet.bytes);
      held.push_back(packet);
      bytes_held += packet.bytes;
      if (buffer.headroom_used(packet.port, packet.priority) > 0) {
        ++in_headroom;
        ASSERT_TRUE(packet.priority == 0 || buffer.paused(packet.port, packet.priority) ||
                    buffer.ShouldPause(packet.port, packet.priority));
      }
      if (buffer.ShouldPause(packet.port, packet.priority)) {
        ASSERT_NE(packet.priority, 0);
        buffer.SetPaused(packet.port, packet.priority, true);
        ++pauses;
      }
    } else {
      const std::size_t i = random.Below(held.size());
      const Held packet = held[i];
      held[i] = held.back();
      held.pop_back();
      buffer.Remove(packet.port, packet.priority, packet.bytes);
      bytes_held -= packet.bytes;
      if (buffer.ShouldResume(packet.port, packet.priority)) {
        buffer.SetPaused(packet.port, packet.priority, false);
        ++resumes;
      }
    }
    const Sums sums(buffer, kPorts, options.reserve);
    ASSERT_EQ(buffer.used(), bytes_held) << "step " << step;
    ASSERT_EQ(sums.used, bytes_held) << "step " << step;
    ASSERT_EQ(buffer.shared_used(), sums.shared) << "step " << step;
    ASSERT_GE(buffer.threshold(0), 0);
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      ASSERT_LE(buffer.headroom_used(port, 3), buffer.headroom(port));
    }
  }
  for (const Held& packet : held) buffer.Remove(packet.port, packet.priority, packet.bytes);
  EXPECT_EQ(buffer.used(), 0);
  EXPECT_EQ(buffer.shared_used(), 0);
  // The traffic has covered all cases.
  EXPECT_GT(refused, 100);
  EXPECT_GT(pauses, 100);
  EXPECT_GT(resumes, 100);
  EXPECT_GT(in_headroom, 100);
}

TEST(SharedBuffer, ArchiveKeepsAccountsPausesAndRates) {
  SharedBuffer buffer = TwoPorts(BufferOptions{});
  buffer.SetRate(1, k400G);
  buffer.Add(0, 0, 5000);
  while (buffer.headroom_used(1, 3) == 0) buffer.Add(1, 3, 9000);
  buffer.SetPaused(1, 3, true);
  std::stringstream text;
  boost::archive::text_oarchive(text) << const_cast<const SharedBuffer&>(buffer);
  SharedBuffer copy = TwoPorts(BufferOptions{});
  boost::archive::text_iarchive(text) >> copy;
  for (std::uint32_t port = 0; port < 2; ++port) {
    EXPECT_EQ(copy.threshold(port), buffer.threshold(port));
    EXPECT_EQ(copy.headroom(port), buffer.headroom(port));
    EXPECT_EQ(copy.shift(port), buffer.shift(port));
    EXPECT_EQ(copy.ingress(port, 3), buffer.ingress(port, 3));
    EXPECT_EQ(copy.headroom_used(port, 3), buffer.headroom_used(port, 3));
  }
  EXPECT_EQ(copy.ingress(0, 0), 5000);
  EXPECT_EQ(copy.used(), buffer.used());
  EXPECT_TRUE(copy.paused(1, 3));
  EXPECT_EQ(copy.quiet_level(), -1);
  copy.Remove(1, 3, 9000);
  copy.SetPaused(1, 3, false);
  EXPECT_GT(copy.quiet_level(), 0);
}

}  // namespace
}  // namespace heddle
