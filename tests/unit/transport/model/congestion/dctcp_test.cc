// SPDX-License-Identifier: GPL-2.0-only
/// DCTCP against traces computed by hand, with g = 1/2 so that the numbers are short.
#include "transport/model/congestion/dctcp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/transport/model/congestion/pace_test_util.h"

namespace heddle::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

class DctcpSender : public PacedSender<Dctcp> {
 public:
  explicit DctcpSender(const Settings& settings = {{"EWMA_GAIN", "0.5"}})
      : PacedSender(Congestion(settings)) {}
  void Packet(std::int64_t acknowledged, std::int64_t next, bool marked) {
    AckSignals signals;
    signals.acknowledged = acknowledged;
    signals.next = next;
    signals.congestion = marked;
    Ack(signals);
  }
  double gbps() const { return static_cast<double>(rate()) / 1e9; }
};

TEST(Dctcp, Trace) {
  DctcpSender sender;
  // The first ACK starts a batch of floor(27000 / 9000) + 1 = 4 packets; marked with alpha = 1: R
  // halves, CWR to 27000.
  sender.Packet(9000, 27000, true);
  EXPECT_EQ(sender.gbps(), 50);
  EXPECT_EQ(sender.state.batch, 4);
  sender.Packet(18000, 36000, true);  // in CWR: no second cut
  sender.Packet(27000, 45000, false);
  EXPECT_EQ(sender.gbps(), 50);
  // 36000 > 27000: batch over, 2 marks (the first ACK's is among them) of 4: alpha = 0.5 + 0.5 *
  // 0.5 = 0.75. CWR over: + 1. The next batch: floor((54000 - 36000) / 9000) + 1 = 3.
  sender.Packet(36000, 54000, false);
  EXPECT_EQ(sender.state.alpha, 0.75);
  EXPECT_EQ(sender.gbps(), 51);
  EXPECT_EQ(sender.state.batch, 3);
  // Marked in the middle of the batch: R = 51 (1 - 0.375) = 31.875, CWR until after 63000.
  sender.Packet(45000, 63000, true);
  EXPECT_EQ(sender.gbps(), 31.875);
  sender.Packet(54000, 72000, false);
  // Batch over at 63000 > 54000: alpha = 0.375 + 0.5 / 3; still in CWR (63000 is not after it): no
  // increase.
  sender.Packet(63000, 81000, false);
  EXPECT_EQ(sender.state.alpha, 0.5 * 0.75 + 0.5 * (1.0 / 3.0));
  EXPECT_EQ(sender.gbps(), 31.875);
  sender.Packet(72000, 90000, false);  // CWR is over, but no batch is
  EXPECT_EQ(sender.gbps(), 31.875);
  sender.Packet(90000, 99000, false);  // batch over
  EXPECT_EQ(sender.gbps(), 32.875);
}

TEST(Dctcp, AlphaDecaysAndConverges) {
  // Without marks alpha is (1 - g)^n after n batches; with every packet marked it returns to 1,
  // never above.
  DctcpSender sender(Settings{{"EWMA_GAIN", "0.0625"}});
  std::int64_t next = 9000;
  sender.Packet(1, next, false);
  const auto batch = [&](bool marked) {
    sender.Packet(next + 1, next + 90000, marked);
    next += 90000;
    for (int i = 0; i < 30; ++i)
      sender.Packet(next - 1, next, marked);  // more marks than the batch counts
  };
  for (int i = 0; i < 40; ++i) batch(false);
  EXPECT_NEAR(sender.state.alpha, std::pow(1 - 0.0625, 40), 1e-12);
  const double low = sender.state.alpha;
  batch(true);  // the first mark falls into the batch that it ends: 1 of 10
  EXPECT_NEAR(sender.state.alpha, 0.9375 * low + 0.0625 / 10, 1e-12);
  for (int i = 0; i < 200; ++i) batch(true);
  EXPECT_GT(sender.state.alpha, 0.9999);
  EXPECT_LE(sender.state.alpha, 1.0);
}

TEST(Dctcp, BoundsAndKnobs) {
  DctcpSender fast;
  for (int i = 1; i < 5; ++i) fast.Packet(i * 10000, i * 10000, false);
  EXPECT_EQ(fast.gbps(), 100);  // never above the line rate
  DctcpSender slow(Settings{{"MIN_RATE", "60Gbps"}});
  slow.Packet(9000, 27000, true);
  EXPECT_EQ(slow.gbps(), 60);
  DctcpSender steep(Settings{{"DCTCP_RATE_AI", "7Gbps"}, {"EWMA_GAIN", "0.5"}});
  steep.Packet(9000, 27000, true);
  steep.Packet(36000, 54000, false);
  EXPECT_EQ(steep.gbps(), 57);
  EXPECT_NE(
      CongestionError("DCTCP_RATE_AI", "0bps").find("dctcp.additive_increase (DCTCP_RATE_AI)"),
      std::string::npos);
}

TEST(Dctcp, PayloadSetsTheBatch) {
  CongestionOptions options;
  options.rates.payload = 1000;
  PacedSender<Dctcp> sender(options);
  AckSignals signals;
  signals.acknowledged = 1000;
  signals.next = 27000;
  sender.Ack(signals);
  EXPECT_EQ(sender.state.batch, 28);
}

}  // namespace
}  // namespace heddle::testing
