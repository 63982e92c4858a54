// SPDX-License-Identifier: GPL-2.0-only
/// Sender over the parts of a domain without events: GPU 0 sends to GPU 1 through switch 3, as soon
/// as it may. Packets have 9,000 bytes of payload; the flow has three.
#include "transport/domain/sending/sender.h"

#include <gtest/gtest.h>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

constexpr std::int64_t kSenderPayload = 9000, kSize = 20000;
constexpr FlowId kSenderFlow{NodeId(0), 5};
constexpr Time kTimeout = MicroSeconds(50);

/// The link of GPU 1 goes down.
std::vector<LinkEvent> SenderCutOff() {
  return {{MicroSeconds(20), LinkId(1), LinkEvent::Kind::kDown, {}}};
}

TransportOptions SenderOptions(bool selective) {
  TransportOptions options;
  options.congestion.mode = 0;
  options.reliability.ack_interval = 100 * kSenderPayload;
  options.reliability.selective_repeat = selective;
  options.reliability.timeout = kTimeout;
  options.reliability.retry_limit = 1;
  return options;
}

/// Knows all messages and does nothing.
class Idle final : public FlowAgent {
 public:
  void Begin(FlowPoster*) override {}
  void Sent(const FlowCookie&, Time) override {}
  void Received(const FlowCookie&, Time) override {}
  void Save(StateWriter*) const override {}
  void Load(StateReader*) override {}
};

class SenderTest : public ::testing::Test {
 protected:
  explicit SenderTest(const TransportOptions& options = SenderOptions(false))
      : fabric_(testing::LeafSpine{1, 3, 0}.Build(), options, SenderCutOff()) {
    desk_.Attach(fabric_.context(), 3, &agent_);
  }
  static QueuePair Flow(std::int64_t window = 0) {
    QueuePair pair;
    pair.flow = kSenderFlow;
    pair.destination = NodeId(1);
    pair.source_port = 10000;
    pair.destination_port = 100;
    pair.size = kSize;
    pair.pace.window = window;
    return pair;
  }
  void Start(const QueuePair& pair = Flow()) { sender_.life().Start(state_, 0, pair); }
  Port& port() { return state_.ports()[out_]; }
  /// The packets that have left since the last call; if there is none, those that leave when the
  /// port is free.
  std::vector<Packet> Send() {
    if (fabric_.OnLinks().size() == seen_) {
      state_.clock().now = std::max(state_.now(), port().busy_until);
      sender_.nic().SendNext(state_, port(), out_);
    }
    std::vector<Packet> all = fabric_.OnLinks();
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(seen_));
    seen_ += all.size();
    return all;
  }
  /// Offsets of the packets that leave until nothing may.
  std::vector<std::int64_t> SendAll() {
    std::vector<std::int64_t> offsets;
    for (std::vector<Packet> sent = Send(); !sent.empty(); sent = Send())
      offsets.push_back(static_cast<std::int64_t>(sent[0].sequence));
    return offsets;
  }
  void Answer(std::int64_t sequence, PacketKind kind = PacketKind::kAck, std::uint32_t note = 0) {
    Packet ack{};
    ack.source = NodeId(1);
    ack.destination = NodeId(0);
    ack.flow_number = kSenderFlow.number;
    ack.queue_pair = 0;
    ack.kind = kind;
    ack.sequence = static_cast<std::uint64_t>(sequence) & 0xff'ffff'ffff;
    ack.note = note & 0xff'ffff;
    sender_.answers().Ack(state_, ack, nullptr);
  }
  /// Runs the host's timeout at this time; whether it was due.
  bool TimeoutAt(Time time) {
    if (!sender_.timeouts().IsDue(state_, 0, time)) return false;
    state_.clock().now = time;
    sender_.timeouts().Run(state_, 0);
    return true;
  }
  FlowState StateOfFlow() {
    std::vector<FlowRecord> open;
    sender_.life().AddOpen(state_, &open);
    return open.at(0).state;
  }
  void Check() {
    MessageDesk::Claims messages(desk_, state_);
    PathClient::Claims grants(paths_);
    sender_.Check(state_, &messages, &grants);
  }

  testing::OneDomain fabric_;
  DomainState& state_ = fabric_.state();
  const std::uint32_t out_ = fabric_.PortAt(0, 0);
  std::size_t seen_ = 0;  ///< packets on links
  Idle agent_;
  NicRouting& routing_ = fabric_.parts().nic_routing;
  PathClient& paths_ = fabric_.parts().paths;
  MessageDesk& desk_ = fabric_.parts().desk;
  Sender& sender_ = fabric_.parts().sender;
};

TEST_F(SenderTest, AFlowIsCutIntoPackets) {
  Start();
  EXPECT_EQ(state_.books().flows_started, 1);
  const Packet first = Send().at(0);
  EXPECT_EQ(first.size, kSenderPayload + kHeaderBytes);
  EXPECT_EQ(first.source_port, 10000);
  EXPECT_EQ(first.flow_number, kSenderFlow.number);
  EXPECT_EQ(first.last, 0);
  EXPECT_EQ(Send().at(0).sequence, static_cast<std::uint64_t>(kSenderPayload));
  const Packet last = Send().at(0);
  EXPECT_EQ(last.size, 2000 + kHeaderBytes);
  EXPECT_EQ(last.last, 1);
  EXPECT_TRUE(Send().empty());
  EXPECT_EQ(state_.books().injected_packets, 3);
  EXPECT_NO_THROW(Check());
}

TEST_F(SenderTest, TheLastAckEndsTheFlow) {
  Start();
  const Time start = state_.now();
  SendAll();
  state_.clock().now = MicroSeconds(20);
  Answer(kSize - 1);
  EXPECT_TRUE(state_.ledger().finished().empty());
  Answer(kSize);
  ASSERT_EQ(state_.ledger().finished().size(), 1u);
  EXPECT_EQ(state_.ledger().finished()[0].state, FlowState::kFinished);
  EXPECT_EQ(state_.ledger().finished()[0].completion, MicroSeconds(20) - start);
  EXPECT_EQ(sender_.pairs().used(), 0u);
  EXPECT_NO_THROW(Check());
  Answer(kSize);  // once more: nobody is there
  EXPECT_EQ(state_.books().flows_finished, 1);
}

TEST_F(SenderTest, ANackGoesBack) {
  Start();
  SendAll();
  Answer(kSenderPayload, PacketKind::kNack);
  EXPECT_EQ(SendAll(), (std::vector<std::int64_t>{kSenderPayload, 2 * kSenderPayload}));
  EXPECT_EQ(state_.books().resent_bytes, kSize - kSenderPayload);
}

TEST_F(SenderTest, AFullWindowWaitsForItsAck) {
  Start(Flow(2 * kSenderPayload));
  EXPECT_EQ(Send().at(0).ack_request, 0);
  EXPECT_EQ(Send().at(0).ack_request, 1);
  EXPECT_TRUE(Send().empty());
  Answer(kSenderPayload);
  EXPECT_EQ(Send().size(), 1u);
}

TEST_F(SenderTest, APacedFlowWakesThePortWhenItIsDue) {
  QueuePair slow = Flow();
  slow.pace.line_rate = BitRate{100'000'000'000};
  slow.pace.rate = BitRate{50'000'000'000};
  Start(slow);
  const Time start = state_.now();
  const Time due = start + PicoSeconds((kSenderPayload + kHeaderBytes) * 160);
  EXPECT_EQ(Send().size(), 1u);
  EXPECT_TRUE(Send().empty());
  state_.clock().now = due;
  EXPECT_EQ(Send().size(), 1u);
}

TEST_F(SenderTest, WhatWaitsAtThePortGoesFirst) {
  Packet ack{};
  ack.kind = PacketKind::kAck;
  ack.size = kAckBytes;
  state_.Enqueue(port(), 3, state_.StorePacket(ack));
  Start();
  EXPECT_EQ(Send().at(0).kind, PacketKind::kAck);
  EXPECT_EQ(Send().at(0).kind, PacketKind::kData);
}

TEST_F(SenderTest, APausedFlowStays) {
  port().paused = 1U << 3;
  Start();
  EXPECT_TRUE(Send().empty());
  EXPECT_EQ(StateOfFlow(), FlowState::kPaused);
  port().paused = 0;
  EXPECT_EQ(Send().size(), 1u);
  EXPECT_EQ(StateOfFlow(), FlowState::kUnderWay);
}

TEST_F(SenderTest, ATimeoutGoesBackAndTheNextGivesUp) {
  Start();
  const Time sent = state_.now();
  SendAll();
  EXPECT_FALSE(TimeoutAt(sent + kTimeout - PicoSeconds(1)));
  ASSERT_TRUE(TimeoutAt(sent + kTimeout));
  EXPECT_EQ(SendAll(), (std::vector<std::int64_t>{0, kSenderPayload, 2 * kSenderPayload}));
  const Time again = sent + kTimeout * 3;  // it doubles
  ASSERT_TRUE(TimeoutAt(again));
  ASSERT_EQ(state_.ledger().finished().size(), 1u);
  EXPECT_EQ(state_.ledger().finished()[0].state, FlowState::kRetryLimit);
  EXPECT_EQ(state_.books().timeouts, 2);
  EXPECT_EQ(state_.books().flows_finished, 0);
}

TEST_F(SenderTest, ProgressPutsTheTimeoutOff) {
  Start();
  const Time sent = state_.now();
  SendAll();
  state_.clock().now = sent + MicroSeconds(30);
  Answer(kSenderPayload);
  EXPECT_FALSE(TimeoutAt(sent + kTimeout));
  EXPECT_TRUE(TimeoutAt(sent + MicroSeconds(30) + kTimeout));
}

TEST_F(SenderTest, ProgressAfterATimeoutBringsTheNextOneForward) {
  Start();
  const Time sent = state_.now();
  SendAll();
  ASSERT_TRUE(TimeoutAt(sent + kTimeout));
  SendAll();
  state_.clock().now =
      sent + kTimeout + MicroSeconds(10);  // the doubled timeout would end 90 us later
  Answer(kSenderPayload);
  const Time next = state_.now() + kTimeout;
  EXPECT_FALSE(TimeoutAt(next - PicoSeconds(1)));
  ASSERT_TRUE(TimeoutAt(next));
  EXPECT_EQ(state_.books().timeouts, 2);
}

TEST_F(SenderTest, AFlowWithoutARouteWaitsForOne) {
  routing_.UseEpoch(fabric_.context(), 1);
  Start();
  EXPECT_EQ(StateOfFlow(), FlowState::kNoRoute);
  EXPECT_TRUE(Send().empty());
  EXPECT_NO_THROW(Check());
  routing_.UseEpoch(fabric_.context(), 0);
  const auto all = [](NodeId, NodeId) { return true; };
  const auto none = [](NodeId, NodeId) { return false; };
  sender_.life().Reroute(state_, none);
  EXPECT_TRUE(Send().empty());
  sender_.life().Reroute(state_, all);
  EXPECT_EQ(Send().size(), 1u);
  routing_.UseEpoch(fabric_.context(), 1);
  sender_.life().Reroute(state_, all);
  EXPECT_EQ(StateOfFlow(), FlowState::kNoRoute);
  EXPECT_NO_THROW(Check());
}

TEST_F(SenderTest, AnotherSourcePortHoldsFromTheNextPacketOn) {
  Start();
  EXPECT_EQ(Send().at(0).source_port, 10000);
  sender_.life().ChangePort(state_, 0, 77);
  EXPECT_EQ(Send().at(0).source_port, 77);
}

TEST_F(SenderTest, FlowsThatCannotBeAreRefused) {
  const auto refuses = [&](auto damage) {
    const QueuePair whole = sender_.pairs()[0];
    damage(&(*sender_.sampled_pairs())[0]);
    EXPECT_THROW(Check(), UserError);
    (*sender_.sampled_pairs())[0] = whole;
    EXPECT_NO_THROW(Check());
  };
  Start();
  Send();
  refuses([](QueuePair* pair) { pair->next = kSize + 1; });
  refuses([](QueuePair* pair) { pair->unacked = kSenderPayload + 1; });
  refuses([](QueuePair* pair) { pair->destination = NodeId(0); });
  refuses([](QueuePair* pair) { pair->destination = NodeId(3); });
  refuses([](QueuePair* pair) { pair->flow.source = NodeId(3); });
  refuses([](QueuePair* pair) { pair->flow = FlowId(); });
  refuses([](QueuePair* pair) { pair->position = 1; });
  refuses([this](QueuePair* pair) { pair->port = fabric_.PortAt(1, 0); });
  refuses([](QueuePair* pair) { pair->pace.rate = BitRate{0}; });
  refuses([](QueuePair* pair) { pair->resend = 1; });
  refuses([](QueuePair* pair) { pair->post = 0; });
  refuses([](QueuePair* pair) { pair->grant = 0; });
}

class SelectiveSenderTest : public SenderTest {
 protected:
  SelectiveSenderTest() : SenderTest(SenderOptions(true)) {}
};

class SimAiSenderTest : public SenderTest {
 protected:
  SimAiSenderTest() : SenderTest(SimAi()) {}
  static TransportOptions SimAi() {
    TransportOptions options = SenderOptions(false);
    options.reliability.simai_acks = true;
    return options;
  }
};

TEST_F(SimAiSenderTest, AFullWindowAsksForNothing) {
  Start(Flow(2 * kSenderPayload));
  EXPECT_EQ(Send().at(0).ack_request, 0);
  EXPECT_EQ(Send().at(0).ack_request, 0);
  EXPECT_TRUE(Send().empty());
  Answer(kSenderPayload);
  EXPECT_EQ(Send().size(), 1u);
}

TEST_F(SelectiveSenderTest, OnlyWhatIsMissingIsSentAgain) {
  Start();
  SendAll();
  Answer(0, PacketKind::kNack, 1);  // packet 1 is there, 0 is not
  EXPECT_NO_THROW(Check());
  EXPECT_EQ(SendAll(), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(state_.books().resent_bytes, kSenderPayload);
  Answer(kSize);
  EXPECT_EQ(state_.books().flows_finished, 1);
}

}  // namespace
}  // namespace heddle
