// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/nic.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::int64_t kAckInterval = 1;

/// A node with two ports; the first has a NIC with queue pairs that always have data.
class NicsTest : public ::testing::Test {
 protected:
  NicsTest() { nics_.AddTo(&port_); }
  static DomainPorts TwoPorts() {
    DomainPorts ports;
    ports.nodes().emplace_back();
    ports.nodes()[0].ports = 2;
    ports.ports().resize(2);
    return ports;
  }
  std::uint32_t Join(int priority = 3) {
    const std::uint32_t slot = pairs_.Allocate();
    QueuePair& pair = pairs_[slot];
    pair = QueuePair();
    pair.priority = static_cast<std::uint8_t>(priority);
    pair.size = 100;
    pair.port = 0;
    nics_.Join(&port_, slot, &pair, true);
    return slot;
  }
  void Leave(std::uint32_t slot) {
    nics_.Leave(port_, slot, &pairs_);
    pairs_.Free(slot);
  }
  std::uint32_t Pick() { return nics_.Pick(&port_, pairs_, options_, Time{0}, &earliest_); }
  void Check() { nics_.Check(ports_, pairs_, kAckInterval); }

  DomainPorts ports_ = TwoPorts();
  Port& port_ = ports_.ports().front();
  Nics::QueuePairs pairs_;
  NicOptions options_;
  Nics nics_;
  Time earliest_ = Time::Max();
};

TEST_F(NicsTest, QueuePairsTakeTurns) {
  const std::uint32_t a = Join(), b = Join();
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(Pick(), a);
    EXPECT_EQ(Pick(), b);
  }
}

TEST_F(NicsTest, AHeavyPrioritySendsSeveralPacketsInItsTurn) {
  options_.weights[5] = 3;
  const std::uint32_t heavy = Join(5), light = Join(3);
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 5; ++i) order.push_back(Pick());
  EXPECT_EQ(order, (std::vector<std::uint32_t>{heavy, heavy, heavy, light, heavy}));
}

TEST_F(NicsTest, APausedPriorityWaits) {
  Join(3);
  const std::uint32_t other = Join(4);
  port_.paused = 1U << 3;
  EXPECT_EQ(Pick(), other);
  EXPECT_EQ(Pick(), other);
  port_.paused |= 1U << 4;
  EXPECT_EQ(Pick(), Nics::kNone);
  EXPECT_EQ(earliest_, Time::Max());  // no time brings them back
}

TEST_F(NicsTest, APacedQueuePairSaysWhenItMaySend) {
  pairs_[Join()].next_send = MicroSeconds(7);
  pairs_[Join()].next_send = MicroSeconds(5);
  EXPECT_EQ(Pick(), Nics::kNone);
  EXPECT_EQ(earliest_, MicroSeconds(5));
}

TEST_F(NicsTest, OneThatIsNotReadyIsPassedOver) {
  const std::uint32_t a = Join(), b = Join();
  nics_.SetReady(port_, pairs_[a], false);
  EXPECT_EQ(Pick(), b);
  nics_.SetReady(port_, pairs_[b], false);
  EXPECT_FALSE(nics_.any_ready(port_));
  EXPECT_EQ(Pick(), Nics::kNone);
}

TEST_F(NicsTest, WhoeverRemainsKnowsItsPosition) {
  std::vector<std::uint32_t> slots;
  for (int i = 0; i < 40; ++i) slots.push_back(Join());
  for (int i = 0; i < 38; ++i) Leave(slots[static_cast<std::size_t>(i)]);
  EXPECT_NO_THROW(Check());
  EXPECT_LT(pairs_[slots[39]].position, 39u);
  EXPECT_EQ(Pick(), slots[38]);
  EXPECT_EQ(Pick(), slots[39]);
  std::vector<std::uint32_t> left;
  nics_.ForEach(port_, [&](std::uint32_t slot) { left.push_back(slot); });
  EXPECT_EQ(left, (std::vector<std::uint32_t>{slots[38], slots[39]}));
}

TEST_F(NicsTest, APortGetsANicWithItsFirstQueuePair) {
  Port& second = ports_.ports()[1];
  nics_.ForEach(second, [](std::uint32_t) { FAIL(); });
  const std::uint32_t slot = pairs_.Allocate();
  pairs_[slot].size = 100;
  pairs_[slot].port = 1;
  nics_.Join(&second, slot, &pairs_[slot], true);
  EXPECT_EQ(second.nic, 1u);
  EXPECT_EQ(nics_.size(), 2u);
  EXPECT_NO_THROW(Check());
}

TEST_F(NicsTest, WhatContradictsTheQueuePairsIsRefused) {
  const std::uint32_t slot = Join();
  nics_.SetReady(port_, pairs_[slot], false);
  EXPECT_THROW(Check(), UserError);
  nics_.SetReady(port_, pairs_[slot], true);
  pairs_[slot].port = 1;
  EXPECT_THROW(Check(), UserError);
  pairs_[slot].port = 0;
  pairs_[slot].position = 1;
  EXPECT_THROW(Check(), UserError);
  pairs_[slot].position = 0;
  EXPECT_NO_THROW(Check());
  ports_.ports()[1].nic = 0;
  EXPECT_THROW(Check(), UserError);  // of two ports
  ports_.ports()[1].nic = DomainPorts::kNone;
  pairs_.Free(slot);
  EXPECT_THROW(Check(), UserError);
}

}  // namespace
}  // namespace heddle
