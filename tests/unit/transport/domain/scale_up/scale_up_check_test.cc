// SPDX-License-Identifier: GPL-2.0-only
// Numbers of scale-up links that somebody forged in a checkpoint: each is refused before it leads
// anywhere.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/scale_up_fabric.h"
#include "tests/unit/transport/domain/fabric_domain/forged_domain.h"
#include "transport/domain/scale_up/scale_up_side.h"

namespace heddle::testing {
namespace {

struct SavedQueue {
  std::uint32_t first = 0, last = 0, head = 0, tail = 0;
  std::uint8_t own_next = 0, next_channel = 0;
};

struct SavedSide {
  explicit SavedSide(std::size_t ports) : lanes(ports) {}

  SlotPool<ScaleUpFlow> flows;
  FlatMap index;
  SlotPool<ScaleUpArriving> arriving;
  std::vector<std::uint32_t> credits;
  std::vector<SavedQueue> lanes;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    StateCount count(credits.size());
    archive& flows& index& arriving& count;
    credits.resize(count);
    for (std::uint32_t& free : credits) archive& free;
    for (SavedQueue& lane : lanes)
      archive& lane.first& lane.last& lane.head& lane.tail& lane.own_next& lane.next_channel;
  }
};

constexpr std::uint32_t kNone = ScaleUpSide::kNone, kFar = 1'000'000;

Graph Narrow() {
  NetworkDimension narrow = Loop(3, 1, 1);
  narrow.level.virtual_channels = 2;
  narrow.level.buffer_flits = 6;
  return ScaleUpFabric({Loop(2, 2), narrow});
}

/// Stopped while flows wait at their ports, and packets before their second link.
class ForgedScaleUp : public ::testing::Test {
 protected:
  ForgedScaleUp() : run_(Narrow(), {}, Bytes{20'000}), saved_(run_.domain().ports().size()) {}

  void SetUp() override {
    for (; now_ < MicroSeconds(100) && lane_ == kNone; now_ += NanoSeconds(100)) {
      run_.RunUntil(now_);
      ForgedDomain::Read(run_.parts().scale_up, &saved_);
      if (HasFatalFailure()) return;
      for (std::uint32_t lane = 0; lane < saved_.lanes.size(); ++lane) {
        const SavedQueue& queue = saved_.lanes[lane];
        if (queue.first != kNone && queue.head != kNone) lane_ = lane;
      }
    }
    ASSERT_NE(lane_, kNone);
    ASSERT_EQ(run_.Refusal(), "");
  }

  SavedQueue& lane() { return saved_.lanes[lane_]; }
  ScaleUpFlow& flow() { return saved_.flows[lane().first]; }
  std::string RefusalAfter(const std::function<void()>& forge) {
    forge();
    ForgedDomain::Write(saved_, &run_.parts().scale_up);
    return run_.Refusal();
  }
  /// The refusal after a change of the packet in this slot.
  std::string RefusalOf(std::uint32_t slot, const std::function<void(ScaleUpPacket*)>& forge) {
    auto packet = run_.CargoAt<ScaleUpPacket>(slot);
    forge(&packet);
    run_.PutCargo(slot, packet);
    return run_.Refusal();
  }
  /// Another port that is not of the same node.
  std::uint32_t PortElsewhere(std::uint32_t port) {
    std::uint32_t other = 0;
    while (run_.domain().ports()[other].node == run_.domain().ports()[port].node) ++other;
    return other;
  }
  static std::string Says(const char* what) { return std::string("the saved state has ") + what; }

  ForgedDomain run_;
  SavedSide saved_;
  Time now_ = NanoSeconds(100);
  std::uint32_t lane_ = kNone;
};

TEST_F(ForgedScaleUp, LaneOfAFlow) {
  EXPECT_EQ(RefusalAfter([&] { flow().lane = 60'000; }),
            Says("a flow on a lane that there is not"));
}

TEST_F(ForgedScaleUp, PriorityOfAFlow) {
  EXPECT_EQ(RefusalAfter([&] { flow().priority = 200; }),
            Says("a flow on a lane that there is not"));
}

TEST_F(ForgedScaleUp, PortOfAFlow) {
  EXPECT_EQ(RefusalAfter([&] { flow().port = kFar; }), Says("a flow between no hosts"));
}

TEST_F(ForgedScaleUp, FlowBehindAFlow) {
  EXPECT_EQ(RefusalAfter([&] { flow().next = kFar; }), Says("a flow that waits nowhere"));
}

TEST_F(ForgedScaleUp, LastPacketOfAQueue) {
  EXPECT_EQ(RefusalAfter([&] { lane().tail = kFar; }), Says("a queue of packets without an end"));
}

TEST_F(ForgedScaleUp, FirstPacketOfAQueue) {
  EXPECT_EQ(RefusalAfter([&] { lane().head = kFar; }),
            Says("a packet that does not exist, or is in two places"));
}

TEST_F(ForgedScaleUp, NextChannel) {
  EXPECT_EQ(RefusalAfter([&] { lane().next_channel = 200; }),
            Says("a virtual channel that there is not"));
}

TEST_F(ForgedScaleUp, PortOfAPacketThatWaits) {
  const std::uint32_t slot = lane().head;
  const std::uint32_t elsewhere = PortElsewhere(run_.CargoAt<ScaleUpPacket>(slot).ingress);
  EXPECT_EQ(RefusalOf(slot, [&](ScaleUpPacket* p) { p->ingress = elsewhere; }),
            Says("a scale-up packet that came in at another node"));
}

TEST_F(ForgedScaleUp, LaneOfAPacket) {
  EXPECT_EQ(RefusalOf(lane().head, [](ScaleUpPacket* p) { p->lane = 60'000; }),
            Says("a scale-up packet that cannot go on"));
  EXPECT_EQ(RefusalOf(lane().head, [](ScaleUpPacket* p) { p->lane = FlowPost::kAnyLane; }), "");
  const std::vector<std::uint32_t> on_links = run_.CargoOf(FabricEvent::kScaleUp);
  ASSERT_FALSE(on_links.empty());
  EXPECT_EQ(RefusalOf(on_links[0], [](ScaleUpPacket* p) { p->lane = 60'000; }),
            Says("a scale-up packet that cannot go on"));
}

TEST_F(ForgedScaleUp, ChannelAndSizeOfACredit) {
  std::uint32_t credit = kNone;
  for (const std::uint32_t slot : run_.CargoOf(FabricEvent::kScaleUpQuiet)) {
    if (run_.CargoAt<ScaleUpPacket>(slot).kind == ScaleUpKind::kCredit) credit = slot;
  }
  ASSERT_NE(credit, kNone);
  const std::int64_t bytes = run_.CargoAt<ScaleUpPacket>(credit).bytes;
  EXPECT_EQ(RefusalOf(credit, [](ScaleUpPacket* p) { p->bytes = 1'000'000; }),
            Says("a credit of no link"));
  EXPECT_EQ(RefusalOf(credit,
                      [&](ScaleUpPacket* p) {
                        p->bytes = bytes;
                        p->channel = 200;
                      }),
            Says("a credit of no link"));
}

/// A report for this flow is under way.
TEST_F(ForgedScaleUp, FlowOfAReport) {
  std::uint32_t report = kNone;
  for (; report == kNone && now_ < MicroSeconds(100); now_ += NanoSeconds(50)) {
    run_.RunUntil(now_);
    for (const std::uint32_t slot : run_.CargoOf(FabricEvent::kScaleUpQuiet)) {
      if (run_.CargoAt<ScaleUpPacket>(slot).kind == ScaleUpKind::kArrived) report = slot;
    }
  }
  ASSERT_NE(report, kNone);
  ASSERT_EQ(run_.Refusal(), "");
  const std::uint32_t right = run_.CargoAt<ScaleUpPacket>(report).flow_slot;
  EXPECT_EQ(RefusalOf(report, [](ScaleUpPacket* p) { p->flow_slot = kFar; }),
            Says("a report of a flow that there is not"));
  EXPECT_EQ(RefusalOf(report,
                      [&](ScaleUpPacket* p) {
                        p->flow_slot = right;
                        ++p->flow_number;
                      }),
            Says("a report of a flow that there is not"));
  // From another domain, whose checkpoint nobody here could check.
  EXPECT_THROW(run_.parts().scale_up.Learn(run_.domain(), report), InvariantError);
}

TEST_F(ForgedScaleUp, QueueOfEthernetAtItsPort) {
  run_.domain().ports()[0].waiting = 1;
  EXPECT_EQ(run_.Refusal(), Says("a packet before a scale-up link in a queue of Ethernet"));
}

TEST_F(ForgedScaleUp, LaneOfAPost) {
  const DomainState::Node& node = run_.domain().nodes()[0];
  FlowPost post;
  post.source = node.id;
  post.destination = NodeId(3);
  post.size = 1;
  post.numbers.number = 0;
  EXPECT_NO_THROW(run_.parts().desk.CheckPost(run_.domain(), post, node));
  post.lane = 3;
  EXPECT_NO_THROW(run_.parts().desk.CheckPost(run_.domain(), post, node));
  post.lane = 4;  // two of each dimension
  EXPECT_THROW(run_.parts().desk.CheckPost(run_.domain(), post, node), UserError);
}

}  // namespace
}  // namespace heddle::testing
