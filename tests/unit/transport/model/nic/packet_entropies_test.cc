// SPDX-License-Identifier: GPL-2.0-only
/// With scheme mrc and two entropies, of which one may be retired: which ones are in use shows what
/// was charged.
#include "transport/model/nic/packet_entropies.h"

#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <set>
#include <sstream>

namespace heddle {
namespace {

constexpr Time kInterval = MicroSeconds(100);
constexpr std::uint32_t kSlot = 3;

EntropyOptions TwoPaths() {
  EntropyOptions options;
  options.scheme = EntropyOptions::Scheme::kMrc;
  options.paths = 2;
  options.mrc_probes = 2;
  options.mrc_probe_interval = kInterval;
  return options;
}

class PacketEntropiesTest : public ::testing::Test {
 protected:
  PacketEntropiesTest() {
    own_.Start(chooser_, kSlot, 1, FlowId{NodeId(0), 5}, 10000, MicroSeconds(10));
  }
  std::uint16_t Next(std::int64_t packet) { return own_.Next(chooser_, kSlot, packet, now_); }
  void Lost(std::int64_t packet) { own_.Lost(chooser_, kSlot, packet, now_); }
  /// The entropies of the packets from this one on.
  std::set<std::uint16_t> InUse(std::int64_t packet) {
    std::set<std::uint16_t> used;
    for (int i = 0; i < 8; ++i) used.insert(Next(packet + i));
    return used;
  }
  bool Probe(std::uint16_t* entropy) {
    now_ = now_ + kInterval;
    return own_.ProbeDue(chooser_, kSlot, now_, entropy);
  }

  EntropyChooser chooser_{TwoPaths()};
  PacketEntropies own_;
  Time now_{0};
};

TEST_F(PacketEntropiesTest, ALossIsChargedToThePacketsEntropy) {
  const std::uint16_t first = Next(0);
  EXPECT_EQ(InUse(1).size(), 2u);
  Lost(0);
  const std::set<std::uint16_t> left = InUse(9);
  EXPECT_EQ(left.size(), 1u);
  EXPECT_EQ(left.count(first), 0u);
}

TEST_F(PacketEntropiesTest, OrToTheOneWithWhichItWasSentAgain) {
  const std::uint16_t first = Next(0);
  Next(1);
  std::uint16_t again = first;
  while (again == first) again = Next(0);
  Lost(0);
  EXPECT_EQ(InUse(2), std::set<std::uint16_t>{first});
}

TEST_F(PacketEntropiesTest, WhatArrivedIsForgotten) {
  for (int packet = 0; packet < 4; ++packet) Next(packet);
  own_.Forget(kSlot, 3);
  for (int packet = -1; packet < 3; ++packet) Lost(packet);
  Lost(4);
  EXPECT_EQ(InUse(4).size(), 2u);
  Lost(3);
  EXPECT_EQ(InUse(12).size(), 1u);
}

TEST_F(PacketEntropiesTest, BeginsAnewElsewhere) {
  Next(10);
  Next(11);
  const std::uint16_t back = Next(2);
  Lost(10);
  EXPECT_EQ(InUse(3).size(), 2u);
  Lost(2);
  EXPECT_EQ(InUse(11).count(back), 0u);
  own_.Forget(kSlot, 100);
  Lost(100);
  EXPECT_NO_THROW(own_.Check(chooser_, kSlot, 100));
}

TEST_F(PacketEntropiesTest, MarksRest) {
  const std::uint16_t first = Next(0);
  own_.Arrived(chooser_, kSlot, first, false, now_);
  EXPECT_EQ(InUse(1).size(), 2u);
  own_.Arrived(chooser_, kSlot, first, true, now_);
  EXPECT_EQ(InUse(9).count(first), 0u);
  now_ = now_ + MicroSeconds(10);  // a base round trip
  EXPECT_EQ(InUse(17).count(first), 1u);
}

TEST_F(PacketEntropiesTest, ProbesInARowBringAnEntropyBack) {
  const std::uint16_t first = Next(0);
  std::uint16_t probed = 0;
  EXPECT_FALSE(Probe(&probed));
  Lost(0);
  EXPECT_FALSE(own_.ProbeDue(chooser_, kSlot, now_ + kInterval - PicoSeconds(1), &probed));
  ASSERT_TRUE(Probe(&probed));
  EXPECT_EQ(probed, first);
  EXPECT_FALSE(own_.ProbeDue(chooser_, kSlot, now_, &probed));
  own_.ProbeArrived(chooser_, kSlot, first, now_);
  own_.ProbeArrived(chooser_, kSlot, first, now_);  // the second answer is to no probe
  EXPECT_EQ(InUse(1).size(), 1u);
  ASSERT_TRUE(Probe(&probed));   // has no answer
  EXPECT_FALSE(Probe(&probed));  // no packet has left since
  Next(9);
  ASSERT_TRUE(Probe(&probed));
  own_.ProbeArrived(chooser_, kSlot, first, now_);
  EXPECT_EQ(InUse(10).size(), 1u);
  ASSERT_TRUE(Probe(&probed));
  own_.ProbeArrived(chooser_, kSlot, first, now_);
  EXPECT_EQ(InUse(18).size(), 2u);
  EXPECT_FALSE(Probe(&probed));
}

TEST_F(PacketEntropiesTest, IsSaved) {
  for (int packet = 0; packet < 5; ++packet) Next(packet);
  own_.Forget(kSlot, 2);
  std::stringstream text;
  boost::archive::text_oarchive(text) << std::as_const(own_);
  PacketEntropies copy;
  boost::archive::text_iarchive(text) >> copy;
  EXPECT_NO_THROW(copy.Check(chooser_, kSlot, 5));
  Lost(4);
  copy.Lost(chooser_, kSlot, 4, now_);
  for (int packet = 5; packet < 20; ++packet)
    EXPECT_EQ(copy.Next(chooser_, kSlot, packet, now_), Next(packet));
}

TEST_F(PacketEntropiesTest, WhatNoFlowCanHaveIsRefused) {
  for (int packet = 0; packet < 5; ++packet) Next(packet);
  EXPECT_NO_THROW(own_.Check(chooser_, kSlot, 5));
  EXPECT_THROW(own_.Check(chooser_, kSlot, 4), UserError);
  EXPECT_THROW(own_.Check(chooser_, 1000, 5), UserError);
  EXPECT_THROW(own_.Check(chooser_, 0, 5), UserError);  // never started
  EntropyOptions other = TwoPaths();
  other.scheme = EntropyOptions::Scheme::kReps;
  EXPECT_THROW(own_.Check(EntropyChooser(other), kSlot, 5), UserError);
  own_.End(kSlot);
  own_.End(1000);
  EXPECT_THROW(own_.Check(chooser_, kSlot, 5), UserError);
}

}  // namespace
}  // namespace heddle
