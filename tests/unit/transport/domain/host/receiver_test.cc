// SPDX-License-Identifier: GPL-2.0-only
/// Receiver over the state of a domain that does nothing by itself but send what waits at ports:
/// GPU 0 sends to GPU 1 through switch 3. Packets have 9,000 bytes of payload.
#include "transport/domain/host/receiver.h"

#include <gtest/gtest.h>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

constexpr std::int64_t kPayload = 9000, kReceiverAckInterval = 2 * kPayload;
constexpr FlowId kFlow{NodeId(0), 5};

std::vector<LinkEvent> ReceiverCutOff() {
  return {{MicroSeconds(20), LinkId(0), LinkEvent::Kind::kDown, {}}};
}

TransportOptions Options(bool selective) {
  TransportOptions options;
  options.reliability.ack_interval = kReceiverAckInterval;
  options.reliability.selective_repeat = selective;
  options.reliability.nack_interval = MicroSeconds(5);
  return options;
}

class ReceiverTest : public ::testing::Test {
 protected:
  explicit ReceiverTest(const TransportOptions& options = Options(false))
      : fabric_(testing::LeafSpine{1, 3, 0}.Build(), options, ReceiverCutOff()) {}

  /// Packet `number` of the flow.
  Packet Data(std::int64_t number, bool last = false) const {
    Packet p{};
    p.source = kFlow.source;
    p.flow_number = kFlow.number;
    p.destination = NodeId(1);
    p.queue_pair = 7;
    p.source_port = 10000;
    p.destination_port = 100;
    p.size = kPayload + kHeaderBytes;
    p.kind = PacketKind::kData;
    p.priority = 3;
    p.sequence = static_cast<std::uint64_t>(number * kPayload) & 0xff'ffff'ffff;
    p.last = last ? 1 : 0;
    return p;
  }
  void Receive(const Packet& data) {
    receiver_.ReceiveData(state_, fabric_.node(1), data, nullptr);
    state_.clock().now = state_.now() + MicroSeconds(1);  // so that the next ACK finds a free port
  }
  std::vector<Packet> Acks() const { return fabric_.OnLinks(); }

  testing::OneDomain fabric_;
  DomainState& state_ = fabric_.state();
  NicRouting& routing_ = fabric_.parts().nic_routing;
  Receiver& receiver_ = fabric_.parts().receiver;
};

TEST_F(ReceiverTest, AnAckCoversSeveralPackets) {
  Receive(Data(0));
  EXPECT_TRUE(Acks().empty());
  Receive(Data(1));
  ASSERT_EQ(Acks().size(), 1u);
  const Packet ack = Acks()[0];
  EXPECT_EQ(ack.kind, PacketKind::kAck);
  EXPECT_EQ(ack.source, NodeId(1));
  EXPECT_EQ(ack.destination, NodeId(0));
  EXPECT_EQ(ack.flow_number, kFlow.number);
  EXPECT_EQ(ack.queue_pair, 7u);
  EXPECT_EQ(ack.source_port, 100);
  EXPECT_EQ(ack.destination_port, 10000);
  EXPECT_EQ(ack.size, kAckBytes);
  EXPECT_EQ(ack.sequence, static_cast<std::uint64_t>(2 * kPayload));
}

TEST_F(ReceiverTest, ThePacketMayAskForItsAck) {
  Packet data = Data(0);
  data.ack_request = 1;
  Receive(data);
  EXPECT_EQ(Acks().size(), 1u);
}

TEST_F(ReceiverTest, TheLastByteEndsTheFlow) {
  Receive(Data(0));
  ASSERT_NE(receiver_.Find(kFlow), nullptr);
  EXPECT_NO_THROW(receiver_.Check(state_));
  const Time there = state_.now();
  Receive(Data(1, true));
  EXPECT_EQ(receiver_.Find(kFlow), nullptr);
  EXPECT_NO_THROW(receiver_.Check(state_));
  ASSERT_EQ(state_.ledger().arrivals().size(), 1u);
  EXPECT_EQ(state_.ledger().arrivals()[0].flow, kFlow);
  EXPECT_EQ(state_.ledger().arrivals()[0].time, there);
  EXPECT_EQ(Acks().size(), 1u);
}

TEST_F(ReceiverTest, AGapIsReportedOnceAnInterval) {
  Receive(Data(1));
  Receive(Data(2));
  EXPECT_EQ(state_.books().out_of_order, 2);
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].kind, PacketKind::kNack);
  EXPECT_EQ(Acks()[0].sequence, 0u);
  state_.clock().now = state_.now() + MicroSeconds(5);
  Receive(Data(3));
  EXPECT_EQ(Acks().size(), 2u);
  EXPECT_EQ(state_.books().nacks, 2);
}

TEST_F(ReceiverTest, WhatItHasIsAcknowledgedAgain) {
  Receive(Data(0));
  Receive(Data(0));
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].sequence, static_cast<std::uint64_t>(kPayload));
  EXPECT_EQ(state_.books().duplicates, 1);
}

TEST_F(ReceiverTest, AMarkIsEchoedByTheNextAck) {
  Packet marked = Data(0);
  marked.marked = 1;
  Receive(marked);
  for (int packet = 1; packet < 4; ++packet) Receive(Data(packet));
  ASSERT_EQ(Acks().size(), 2u);
  EXPECT_EQ(Acks()[0].echo, 1);
  EXPECT_EQ(Acks()[1].echo, 0);
}

TEST_F(ReceiverTest, AFlowThatIsForgottenIsAcknowledgedFromItsPackets) {
  Packet late = Data(3);
  late.answered = 1;  // so it was known here
  Receive(late);
  EXPECT_EQ(receiver_.Find(kFlow), nullptr);
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].sequence, static_cast<std::uint64_t>(4 * kPayload));
  EXPECT_EQ(state_.books().duplicates, 1);
}

TEST_F(ReceiverTest, WithoutAWayBackNothingIsSaid) {
  Receive(Data(0));
  routing_.UseEpoch(fabric_.context(), 1);
  const auto none = [](NodeId, NodeId) { return false; };
  const auto all = [](NodeId, NodeId) { return true; };
  receiver_.Reroute(state_, none);
  EXPECT_EQ(receiver_.Find(kFlow)->ack_port, fabric_.PortAt(1, 0));
  receiver_.Reroute(state_, all);
  EXPECT_EQ(receiver_.Find(kFlow)->ack_port, QueuePair::kParked);
  EXPECT_NO_THROW(receiver_.Check(state_));
  Receive(Data(1));
  EXPECT_TRUE(Acks().empty());
  EXPECT_EQ(receiver_.Find(kFlow)->expected, 2 * kPayload);
}

/// Keeps up to two packets behind a missing one.
class ReorderTest : public ReceiverTest {
 protected:
  explicit ReorderTest(bool selective = false) : ReceiverTest(Two(selective)) {}
  static TransportOptions Two(bool selective) {
    TransportOptions options = Options(selective);
    options.reliability.reorder = 2;
    return options;
  }
};
class SelectiveReorderTest : public ReorderTest {
 protected:
  SelectiveReorderTest() : ReorderTest(true) {}
};

TEST_F(ReorderTest, WhatIsNearIsKeptWithoutAWord) {
  Receive(Data(1));
  Receive(Data(2));
  EXPECT_TRUE(Acks().empty());
  EXPECT_EQ(state_.books().out_of_order, 2);
  EXPECT_EQ(state_.books().most_held, 2);
  EXPECT_EQ(state_.books().furthest_ahead, 2);
  Receive(Data(0));
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].sequence, static_cast<std::uint64_t>(3 * kPayload));
  EXPECT_EQ(state_.books().nacks, 0);
  EXPECT_NO_THROW(receiver_.Check(state_));
}

TEST_F(ReorderTest, WhatIsFurtherIsDroppedAndReported) {
  Receive(Data(3));
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].kind, PacketKind::kNack);
  EXPECT_EQ(state_.books().most_held, 0);
  for (const int packet : {0, 1, 2}) Receive(Data(packet));
  EXPECT_EQ(receiver_.Find(kFlow)->expected, 3 * kPayload);  // not 4: it was not kept
}

TEST_F(ReorderTest, AKeptPacketThatAsksIsAnsweredWhenTheGapIsFilled) {
  Receive(Data(0));
  Packet asks = Data(2);
  asks.ack_request = 1;
  Receive(asks);
  EXPECT_TRUE(Acks().empty());
  Receive(Data(1));
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].sequence, static_cast<std::uint64_t>(3 * kPayload));
  Receive(Data(3));
  EXPECT_EQ(Acks().size(), 1u);  // once only
}

TEST_F(ReorderTest, TheFlowEndsByItsLastGap) {
  Receive(Data(1, true));
  ASSERT_NE(receiver_.Find(kFlow), nullptr);
  Receive(Data(0));
  EXPECT_EQ(receiver_.Find(kFlow), nullptr);
  EXPECT_EQ(Acks().size(), 1u);
}

TEST_F(SelectiveReorderTest, WhatIsFurtherIsKeptAndReported) {
  Receive(Data(2));
  EXPECT_TRUE(Acks().empty());
  Receive(Data(3));
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].kind, PacketKind::kNack);
  EXPECT_EQ(Acks()[0].note, 3u);
  Receive(Data(0));
  Receive(Data(1));
  EXPECT_EQ(receiver_.Find(kFlow)->expected, 4 * kPayload);
}

/// compat.simai_acks, with an interval of 100,000 bytes and chunks of 4,000.
class SimAiAcksTest : public ReceiverTest {
 protected:
  SimAiAcksTest() : ReceiverTest(SimAi()) {}
  static TransportOptions SimAi() {
    TransportOptions options = Options(false);
    options.reliability.simai_acks = true;
    options.reliability.ack_interval = 100'000;
    return options;
  }
  /// Packets whose ACKs have been sent, counted from 1.
  std::vector<std::uint64_t> Acknowledged() const {
    std::vector<std::uint64_t> packets;
    for (const Packet& ack : Acks()) packets.push_back(ack.sequence / kPayload);
    return packets;
  }
};

TEST_F(SimAiAcksTest, EveryPacketAfterTheFirstInterval) {
  // 36,000 and 72,000 are multiples of 4,000; the twelfth packet is the first beyond 100,000.
  for (int packet = 0; packet < 16; ++packet) Receive(Data(packet));
  EXPECT_EQ(Acknowledged(), (std::vector<std::uint64_t>{4, 8, 12, 13, 14, 15, 16}));
}

TEST_F(SimAiAcksTest, TheLastByteEndsTheFlowAllTheSame) {
  Receive(Data(0));
  Receive(Data(1, true));  // 18,000 bytes: where SimAI's sender waits for ever
  EXPECT_EQ(receiver_.Find(kFlow), nullptr);
  EXPECT_EQ(Acknowledged(), std::vector<std::uint64_t>{2});
}

TEST_F(SimAiAcksTest, AMarkWithoutAnAckOfItsOwnIsLost) {
  for (int packet = 0; packet < 9; ++packet) {
    Packet data = Data(packet);
    data.marked = packet == 1 || packet == 7 ? 1 : 0;
    Receive(data);
  }
  ASSERT_EQ(Acknowledged(), (std::vector<std::uint64_t>{4, 8}));
  EXPECT_EQ(Acks()[0].echo, 0);
  EXPECT_EQ(Acks()[1].echo, 1);
}

TEST_F(SimAiAcksTest, AGapDoesNotStartTheIntervalAgain) {
  for (int packet = 0; packet < 11; ++packet) Receive(Data(packet));
  Receive(Data(12));
  ASSERT_EQ(Acknowledged(), (std::vector<std::uint64_t>{4, 8, 11}));
  EXPECT_EQ(Acks()[2].kind, PacketKind::kNack);
  Receive(Data(11));
  Receive(Data(12));
  EXPECT_EQ(Acknowledged(), (std::vector<std::uint64_t>{4, 8, 11, 12, 13}));
}

class SimAiEdgeTest : public ReceiverTest {
 protected:
  SimAiEdgeTest() : ReceiverTest(SimAi()) {}
  static TransportOptions SimAi() {
    TransportOptions options = Options(false);  // an interval of two packets
    options.reliability.simai_acks = true;
    options.reliability.chunk = 7'000;  // no multiple of it before 63,000
    return options;
  }
};

TEST_F(SimAiEdgeTest, ThePacketThatReachesTheIntervalIsAcknowledged) {
  Receive(Data(0));
  EXPECT_TRUE(Acks().empty());
  Receive(Data(1));
  Receive(Data(2));
  ASSERT_EQ(Acks().size(), 2u);
  EXPECT_EQ(Acks()[0].sequence, static_cast<std::uint64_t>(2 * kPayload));
  EXPECT_EQ(Acks()[1].sequence, static_cast<std::uint64_t>(3 * kPayload));
}

class SelectiveReceiverTest : public ReceiverTest {
 protected:
  SelectiveReceiverTest() : ReceiverTest(Options(true)) {}
};

TEST_F(SelectiveReceiverTest, WhatIsBeyondAGapIsKept) {
  Receive(Data(0));
  Receive(Data(2, true));
  ASSERT_EQ(Acks().size(), 1u);
  EXPECT_EQ(Acks()[0].kind, PacketKind::kNack);
  EXPECT_EQ(Acks()[0].sequence, static_cast<std::uint64_t>(kPayload));
  EXPECT_EQ(Acks()[0].note, 1u);  // packet 2 is one beyond the first missing
  EXPECT_NO_THROW(receiver_.Check(state_));
  Receive(Data(1));
  EXPECT_EQ(receiver_.Find(kFlow), nullptr);
  ASSERT_EQ(Acks().size(), 2u);
  EXPECT_EQ(Acks()[1].kind, PacketKind::kAck);
  EXPECT_EQ(Acks()[1].sequence, static_cast<std::uint64_t>(3 * kPayload));
  EXPECT_EQ(state_.ledger().arrivals().size(), 1u);
}

}  // namespace
}  // namespace heddle
