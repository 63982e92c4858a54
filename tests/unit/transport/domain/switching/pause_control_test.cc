// SPDX-License-Identifier: GPL-2.0-only
/// PauseControl over the parts of a domain without events: what frames do where they arrive, when
/// a switch pauses, and what it sends then. GPUs 0 and 1 are at switch 2.
#include "transport/domain/switching/pause_control.h"

#include <gtest/gtest.h>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"
#include "tests/unit/transport/model/switch/small_buffers.h"

namespace heddle {
namespace {

class PauseControlTest : public ::testing::Test {
 protected:
  static Packet Frame(int priority, bool pause) {
    Packet frame{};
    frame.source = NodeId(1);
    frame.kind = PacketKind::kPause;
    frame.size = 43;
    frame.priority = static_cast<std::uint8_t>(priority) & 7;
    frame.last = pause ? 1 : 0;
    frame.flow_number = 5;
    frame.queue_pair = 0;
    frame.source_port = 6;
    frame.note = 2;
    return frame;
  }

  /// A packet from GPU 0 waits at the switch's port to GPU 1.
  void Queue(SharedBuffer* buffer) {
    Packet p{};
    p.size = 1000;
    p.priority = 3;
    p.ingress = in_;
    state_.Enqueue(state_.ports()[out_], 3, state_.StorePacket(p));
    buffer->Add(0, 3, p.size);
  }
  void Unqueue(SharedBuffer* buffer) {
    state_.cargo().Free(state_.Dequeue(state_.ports()[out_], 3));
    buffer->Remove(0, 3, 1000);
  }

  testing::OneDomain fabric_{testing::LeafSpine{1, 2, 0}.Build()};
  DomainState& state_ = fabric_.state();
  const std::uint32_t in_ = fabric_.PortAt(2, 0), out_ = fabric_.PortAt(2, 1);
  PauseControl& pause_ = fabric_.parts().pause;
};

TEST_F(PauseControlTest, AFramePausesItsPriorityAndLastsInTheSums) {
  pause_.Receive(state_, out_, Frame(3, true));
  EXPECT_EQ(state_.ports()[out_].paused, 1U << 3);
  EXPECT_EQ(state_.ports()[in_].paused, 0);
  EXPECT_EQ(state_.books().pauses, 1);
  EXPECT_EQ(state_.books().received_bytes, 43);
  state_.clock().now = MicroSeconds(12);
  pause_.Receive(state_, out_, Frame(3, true));  // a renewal: the pause began before
  EXPECT_EQ(state_.books().pauses, 1);
  EXPECT_EQ(pause_.PausedTime(state_, out_, MicroSeconds(15)), MicroSeconds(5));
  const std::vector<PauseCauseRecord> causes = pause_.Causes(state_, MicroSeconds(15));
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].node, NodeId(0));
  EXPECT_EQ(causes[0].port, PortId(6));
  EXPECT_EQ(causes[0].paused, MicroSeconds(5));
  EXPECT_EQ(causes[0].longest_chain, 2u);
  EXPECT_TRUE(state_.ledger().pause_causes().records().empty());  // it has not ended
}

TEST_F(PauseControlTest, OnlyALinkThatLosesFramesGetsATimer) {
  pause_.Receive(state_, in_, Frame(3, true));
  EXPECT_TRUE(state_.idle());
  state_.ports()[out_].flags |= Port::kFaulty;
  state_.extras()[out_].error_rate = 0.1;
  pause_.Receive(state_, out_, Frame(3, true));
  const Time expiry = MicroSeconds(10) + fabric_.context().options.pfc.pause_time;
  ASSERT_FALSE(state_.idle());
  EXPECT_EQ(state_.NextTime(), expiry);
  const std::uint32_t argument = out_ << 4 | 3U << 1;
  EXPECT_EQ(PauseControl::PortOfTimer(argument), out_);
  EXPECT_FALSE(PauseControl::Renews(argument));
  EXPECT_TRUE(pause_.TimerIsDue(state_, nullptr, argument, expiry));
  state_.clock().now = MicroSeconds(11);
  pause_.Receive(state_, out_, Frame(3, true));
  EXPECT_FALSE(pause_.TimerIsDue(state_, nullptr, argument, expiry));  // it was renewed
}

TEST_F(PauseControlTest, ASwitchPausesOnceAnAccountIsAboveItsThreshold) {
  SharedBuffer buffer = TwoPorts(WithPool(100'000, 3));
  const DomainState::Node& node = fabric_.node(2);
  pause_.CheckPause(state_, node, &buffer, in_, 3, out_);
  EXPECT_FALSE(buffer.paused(0, 3));
  while (!buffer.ShouldPause(0, 3)) Queue(&buffer);
  pause_.CheckPause(state_, node, &buffer, in_, 3, out_);
  EXPECT_TRUE(buffer.paused(0, 3));
  EXPECT_FALSE(buffer.paused(1, 3));
  pause_.CheckResume(state_, node, &buffer, in_, 3);
  EXPECT_TRUE(buffer.paused(0, 3));
  while (!buffer.ShouldResume(0, 3)) Unqueue(&buffer);
  pause_.CheckResume(state_, node, &buffer, in_, 3);
  EXPECT_FALSE(buffer.paused(0, 3));
}

TEST_F(PauseControlTest, TheFrameLeavesByThePortOfTheAccountAndNamesTheFullestEgress) {
  SharedBuffer buffer = TwoPorts(WithPool(100'000, 3));
  const DomainState::Node& node = fabric_.node(2);
  while (!buffer.ShouldPause(0, 3)) Queue(&buffer);
  pause_.CheckPause(state_, node, &buffer, in_, 3, in_);
  ASSERT_EQ(fabric_.OnLinks().size(), 1u);
  const Packet frame = fabric_.OnLinks()[0];
  EXPECT_EQ(frame.kind, PacketKind::kPause);
  EXPECT_EQ(frame.ingress, fabric_.PortAt(0, 0));  // where it comes in
  EXPECT_EQ(frame.last, 1);
  EXPECT_EQ(frame.priority, 3);
  EXPECT_EQ(frame.source, NodeId(2));
  EXPECT_EQ(frame.flow_number, 1u);  // the egress to GPU 1
  EXPECT_EQ(state_.books().injected_bytes, kPauseBytes);
  pause_.CheckPause(state_, node, &buffer, in_, 3, out_);  // it is paused already
  EXPECT_EQ(fabric_.OnLinks().size(), 1u);
  while (!buffer.ShouldResume(0, 3)) Unqueue(&buffer);
  state_.clock().now = MicroSeconds(20);
  pause_.CheckResume(state_, node, &buffer, in_, 3);
  ASSERT_EQ(fabric_.OnLinks().size(), 2u);
  EXPECT_EQ(fabric_.OnLinks()[1].last, 0);
}

TEST_F(PauseControlTest, APauseNamesTheSwitchWhereTheChainBegan) {
  SharedBuffer buffer = TwoPorts(WithPool(100'000, 3));
  pause_.Receive(state_, out_,
                 Frame(3, true));  // from node 1, for port 6 of node 0, two switches on
  while (!buffer.ShouldPause(0, 3)) Queue(&buffer);
  pause_.CheckPause(state_, fabric_.node(2), &buffer, in_, 3, out_);
  const Packet frame = fabric_.OnLinks().at(0);
  EXPECT_EQ(frame.queue_pair, 0u);
  EXPECT_EQ(frame.source_port, 6);
  EXPECT_EQ(frame.note, 3u);
}

TEST_F(PauseControlTest, TheEndOfAPauseLetsThePortSend) {
  SharedBuffer& buffer = *fabric_.parts().switch_side.BufferOf(state_, state_.ports()[out_]);
  pause_.Receive(state_, out_, Frame(3, true));
  Queue(&buffer);
  Send(state_, state_.ports()[out_], out_);
  EXPECT_TRUE(fabric_.OnLinks().empty());
  pause_.Receive(state_, out_, Frame(3, false));
  ASSERT_EQ(fabric_.OnLinks().size(), 1u);
  EXPECT_EQ(fabric_.OnLinks()[0].priority, 3);
  EXPECT_EQ(buffer.used(), 0);
}

TEST_F(PauseControlTest, APauseThatNobodyKnowsOfIsRefused) {
  EXPECT_NO_THROW(pause_.Check(state_, in_));
  state_.ports()[in_].paused = 1;
  EXPECT_THROW(pause_.Check(state_, in_), UserError);
  pause_.Receive(state_, out_, Frame(3, true));
  EXPECT_NO_THROW(pause_.Check(state_, out_));
  Packet stray = Frame(4, true);
  stray.queue_pair = 1000;  // no such node
  pause_.Receive(state_, out_, stray);
  EXPECT_THROW(pause_.Check(state_, out_), UserError);
}

}  // namespace
}  // namespace heddle
