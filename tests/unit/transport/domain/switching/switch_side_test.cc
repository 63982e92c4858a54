// SPDX-License-Identifier: GPL-2.0-only
/// SwitchSide over the state of a domain that does nothing by itself: one switch, node 3, whose
/// port n leads to GPU n.
#include "transport/domain/switching/switch_side.h"

#include <gtest/gtest.h>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

constexpr std::uint32_t kSwitch = 3;
constexpr std::int64_t kSwitchedSize = 9052;

/// The link of GPU 1 goes down.
std::vector<LinkEvent> SwitchSideCutOff() {
  return {{MicroSeconds(20), LinkId(1), LinkEvent::Kind::kDown, {}}};
}

TransportOptions WithoutPfc() {
  TransportOptions options;
  options.pfc.enabled = false;
  options.buffer.buffer_mib = 1;
  return options;
}

class SwitchSideTest : public ::testing::Test {
 protected:
  /// Data from GPU 0 to `destination` that has arrived at the switch.
  std::uint32_t Data(std::uint32_t destination, int priority = 3) {
    Packet p{};
    p.source = NodeId(0);
    p.destination = NodeId(destination);
    p.size = kSwitchedSize;
    p.kind = PacketKind::kData;
    p.priority = static_cast<std::uint8_t>(priority) & 7;
    p.ingress = fabric_.PortAt(kSwitch, 0);
    p.next = DomainState::kNotRouted;
    return state_.StorePacket(p);
  }
  void Forward(std::uint32_t slot) {
    side_.Forward(state_, state_.ports()[fabric_.PortAt(kSwitch, 0)], slot);
  }
  void SendNext() { side_.SendNext(state_, state_.ports()[out_], out_); }
  /// The transmitter to GPU 1 is busy until `time`.
  void KeepBusy(Time time) { state_.ports()[out_].busy_until = time; }
  std::int64_t Held() const { return side_.buffers()[0].used(); }
  std::vector<DropRecord> drops() const { return state_.ledger().drops(); }

  testing::OneDomain fabric_{testing::LeafSpine{1, 3, 0}.Build(), WithoutPfc(), SwitchSideCutOff()};
  DomainState& state_ = fabric_.state();
  const std::uint32_t out_ = fabric_.PortAt(kSwitch, 1);
  SwitchSide& side_ = fabric_.parts().switch_side;
};

TEST_F(SwitchSideTest, AnEmptySwitchPassesOnAtOnce) {
  Forward(Data(1));
  EXPECT_EQ(Held(), 0);
  ASSERT_EQ(fabric_.OnLinks().size(), 1u);
  EXPECT_EQ(fabric_.OnLinks()[0].ingress, fabric_.PortAt(1, 0));
  // 9,052 bytes at 100 Gbps, and the cable.
  EXPECT_EQ(state_.NextTime(),
            MicroSeconds(10) + PicoSeconds(kSwitchedSize * 80) + NanoSeconds(500));
}

TEST_F(SwitchSideTest, WhatWaitsIsInTheBufferUntilItLeaves) {
  KeepBusy(MicroSeconds(11));
  Forward(Data(1));
  Forward(Data(1));
  EXPECT_EQ(Held(), 2 * kSwitchedSize);
  EXPECT_EQ(fabric_.Waiting(out_, 3).size(), 2u);
  EXPECT_TRUE(fabric_.OnLinks().empty());
  EXPECT_EQ(state_.ports()[out_].wake_at, MicroSeconds(11));
  EXPECT_NO_THROW(side_.Check(state_, fabric_.node(kSwitch)));
  state_.clock().now = MicroSeconds(11);
  SendNext();
  EXPECT_EQ(Held(), kSwitchedSize);
  EXPECT_EQ(fabric_.OnLinks().size(), 1u);
}

TEST_F(SwitchSideTest, PriorityZeroGoesFirstAndTheOthersTakeTurns) {
  KeepBusy(MicroSeconds(11));
  for (const int priority : {3, 3, 5, 0}) Forward(Data(1, priority));
  std::vector<int> order;
  while (state_.ports()[out_].waiting != 0) {
    state_.clock().now = state_.ports()[out_].busy_until;
    SendNext();
    order.push_back(fabric_.OnLinks().back().priority);
  }
  EXPECT_EQ(order, (std::vector<int>{0, 3, 5, 3}));
}

TEST_F(SwitchSideTest, APausedPriorityStays) {
  state_.ports()[out_].paused = 1U << 3;
  Forward(Data(1));
  SendNext();
  EXPECT_EQ(Held(), kSwitchedSize);
  EXPECT_TRUE(fabric_.OnLinks().empty());
}

TEST_F(SwitchSideTest, WithoutARouteOrALinkItIsDropped) {
  Forward(Data(1000));
  state_.ports()[out_].flags |= Port::kDown;
  Forward(Data(1));
  ASSERT_EQ(drops().size(), 2u);
  EXPECT_EQ(drops()[0].reason, DropReason::kNoRoute);
  EXPECT_EQ(drops()[0].port, PortId(0));  // where it came in
  EXPECT_EQ(drops()[1].reason, DropReason::kLinkDown);
  EXPECT_EQ(drops()[1].port, PortId(1));
  EXPECT_EQ(Held(), 0);
  EXPECT_EQ(state_.books().dropped_bytes, 2 * kSwitchedSize);
}

TEST_F(SwitchSideTest, AFullBufferDrops) {
  KeepBusy(MicroSeconds(11));
  std::int64_t packets = 0;
  for (; drops().empty(); ++packets) {
    ASSERT_LT(packets, 1048576 / kSwitchedSize);
    Forward(Data(1));
  }
  EXPECT_EQ(drops()[0].reason, DropReason::kBufferFull);
  EXPECT_EQ(Held(), (packets - 1) * kSwitchedSize);
}

TEST_F(SwitchSideTest, WhatIsDiscardedLeavesTheBuffer) {
  KeepBusy(MicroSeconds(11));
  Forward(Data(1));
  const Packet p = state_.packet(state_.Dequeue(state_.ports()[out_], 3));
  EXPECT_THROW(side_.Check(state_, fabric_.node(kSwitch)), UserError);  // more than in its queues
  side_.Discard(state_, state_.ports()[out_], 3, p);
  EXPECT_EQ(Held(), 0);
  EXPECT_NO_THROW(side_.Check(state_, fabric_.node(kSwitch)));
}

TEST_F(SwitchSideTest, AQueueAboveTheThresholdsMarks) {
  state_.ports()[out_].flags |= Port::kMarks;
  state_.ports()[out_].kmin = kSwitchedSize - 1;
  state_.extras()[out_].ecn = {kSwitchedSize - 1, kSwitchedSize - 1, 1.0};
  KeepBusy(MicroSeconds(11));
  Forward(Data(1));
  Forward(Data(1));
  std::vector<int> marks;
  while (state_.ports()[out_].waiting != 0) {
    state_.clock().now = state_.ports()[out_].busy_until;
    SendNext();
    marks.push_back(fabric_.OnLinks().back().marked);
  }
  EXPECT_EQ(marks, (std::vector<int>{1, 0}));  // the last leaves an empty queue behind
  EXPECT_EQ(state_.extras()[out_].marked, 1);
  EXPECT_EQ(state_.books().marked, 1);
}

TEST_F(SwitchSideTest, TablesFollowTheRoutes) {
  const auto egress = [&] {
    Packet p = state_.packet(Data(1));
    return side_.Egress(fabric_.node(kSwitch), p);
  };
  EXPECT_EQ(egress(), out_);
  side_.UseEpoch(state_, 1);
  EXPECT_EQ(side_.epoch(), 1u);
  EXPECT_EQ(egress(), DomainState::kNoRoute);
  side_.UseEpoch(state_, 0);
  EXPECT_EQ(egress(), out_);
}

/// Loads an epoch and leaves the buffers as they are.
struct EpochArchive {
  std::uint32_t epoch;
  EpochArchive& operator&(std::uint32_t& value) {
    value = epoch;
    return *this;
  }
  EpochArchive& operator&(SharedBuffer&) { return *this; }
  EpochArchive& operator&(PortChooser&) { return *this; }
  EpochArchive& operator&(LossyQueues&) { return *this; }
};

TEST_F(SwitchSideTest, RoutesThatNeverComeAreRefused) {
  EpochArchive archive{1};
  side_.serialize(archive, 0);
  EXPECT_NO_THROW(side_.Restore(state_));
  archive.epoch = 2;
  side_.serialize(archive, 0);
  EXPECT_THROW(side_.Restore(state_), UserError);
}

TEST_F(SwitchSideTest, ALinkOfAnotherSpeedIsRefused) {
  side_.SetRate(fabric_.node(kSwitch), PortId(2), BitRate{50'000'000'000});
  EXPECT_THROW(side_.Check(state_, fabric_.node(kSwitch)), UserError);
}

}  // namespace
}  // namespace heddle
