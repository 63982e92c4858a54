// SPDX-License-Identifier: GPL-2.0-only
/// PauseControl over the bare state of a domain: what frames do where they arrive, and when a
/// switch pauses. What is sent then is tested with whole fabrics.
#include "transport/switching/pause_control.h"

#include <gtest/gtest.h>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/switch/small_buffers.h"

namespace heddle {
namespace {

/// One switch, node 2, with two ports.
class BareDomain final : public DomainState {
 public:
  BareDomain(const FabricContext* context, PostOffice* post_office)
      : DomainState(DomainId(0), context, post_office) {
    Node node;
    node.id = NodeId(2);
    node.kind = NodeKind::kSwitch;
    node.forwards = 0;
    node.pauses = true;
    node.ports = 2;
    nodes_.push_back(node);
    for (std::uint32_t port = 0; port < 2; ++port) {
      ports_.emplace_back();
      extras_.emplace_back(1, node.id, PortId(port));
    }
  }
  void RunUntil(Time) override {}
};

class PauseControlTest : public ::testing::Test {
 protected:
  PauseControlTest() {
    context_.graph = &graph_;
    state_.now_ = MicroSeconds(10);
  }
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

  Graph graph_ = testing::LeafSpine{1, 2, 0}.Build();
  FabricContext context_{TransportOptions()};
  PostOffice post_office_{{RankId(0)}, RankId(0), 1};
  BareDomain state_{&context_, &post_office_};
  PauseControl pause_;
};

TEST_F(PauseControlTest, AFramePausesItsPriorityAndLastsInTheSums) {
  pause_.Receive(state_, 1, Frame(3, true));
  EXPECT_EQ(state_.ports_[1].paused, 1U << 3);
  EXPECT_EQ(state_.ports_[0].paused, 0);
  EXPECT_EQ(state_.books_.pauses, 1);
  EXPECT_EQ(state_.books_.received_bytes, 43);
  state_.now_ = MicroSeconds(12);
  pause_.Receive(state_, 1, Frame(3, true));  // a renewal: the pause began before
  EXPECT_EQ(state_.books_.pauses, 1);
  EXPECT_EQ(pause_.PausedTime(state_, 1, MicroSeconds(15)), MicroSeconds(5));
  const std::vector<PauseCauseRecord> causes = pause_.Causes(state_, MicroSeconds(15));
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].node, NodeId(0));
  EXPECT_EQ(causes[0].port, PortId(6));
  EXPECT_EQ(causes[0].paused, MicroSeconds(5));
  EXPECT_EQ(causes[0].longest_chain, 2u);
  EXPECT_TRUE(state_.ledger_.pause_causes().records().empty());  // it has not ended
}

TEST_F(PauseControlTest, OnlyALinkThatLosesFramesGetsATimer) {
  pause_.Receive(state_, 0, Frame(3, true));
  EXPECT_TRUE(state_.idle());
  state_.ports_[1].flags |= Port::kFaulty;
  state_.extras_[1].error_rate = 0.1;
  pause_.Receive(state_, 1, Frame(3, true));
  const Time expiry = MicroSeconds(10) + context_.options.pfc.pause_time;
  ASSERT_FALSE(state_.idle());
  EXPECT_EQ(state_.NextTime(), expiry);
  const std::uint32_t argument = 1U << 4 | 3U << 1;
  EXPECT_EQ(PauseControl::PortOfTimer(argument), 1u);
  EXPECT_FALSE(PauseControl::Renews(argument));
  EXPECT_TRUE(pause_.TimerIsDue(state_, nullptr, argument, expiry));
  state_.now_ = MicroSeconds(11);
  pause_.Receive(state_, 1, Frame(3, true));
  EXPECT_FALSE(pause_.TimerIsDue(state_, nullptr, argument, expiry));  // it was renewed
}

TEST_F(PauseControlTest, ASwitchPausesOnceAnAccountIsAboveItsThreshold) {
  SharedBuffer buffer = TwoPorts(WithPool(100'000, 3));
  state_.ports_[0].flags |= Port::kDown;  // the frame itself has no way out
  const DomainState::Node& node = state_.nodes_[0];
  pause_.CheckPause(state_, node, &buffer, 0, 3, 1);
  EXPECT_FALSE(buffer.paused(0, 3));
  while (!buffer.ShouldPause(0, 3)) buffer.Add(0, 3, 1000);
  pause_.CheckPause(state_, node, &buffer, 0, 3, 1);
  EXPECT_TRUE(buffer.paused(0, 3));
  EXPECT_FALSE(buffer.paused(1, 3));
  pause_.CheckResume(state_, node, &buffer, 0, 3);
  EXPECT_TRUE(buffer.paused(0, 3));
  while (!buffer.ShouldResume(0, 3)) buffer.Remove(0, 3, 1000);
  pause_.CheckResume(state_, node, &buffer, 0, 3);
  EXPECT_FALSE(buffer.paused(0, 3));
}

TEST_F(PauseControlTest, APauseThatNobodyKnowsOfIsRefused) {
  EXPECT_NO_THROW(pause_.Check(state_, 0));
  state_.ports_[0].paused = 1;
  EXPECT_THROW(pause_.Check(state_, 0), UserError);
  pause_.Receive(state_, 1, Frame(3, true));
  EXPECT_NO_THROW(pause_.Check(state_, 1));
  Packet stray = Frame(4, true);
  stray.queue_pair = 1000;  // no such node
  pause_.Receive(state_, 1, stray);
  EXPECT_THROW(pause_.Check(state_, 1), UserError);
}

}  // namespace
}  // namespace heddle
