// SPDX-License-Identifier: GPL-2.0-only
/// Sender and receiver of packets with entropies of their own, over the state of a domain that does
/// nothing by itself: GPU 0 sends to GPU 1 through switch 3. Packets have 9,000 bytes of payload.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

constexpr std::int64_t kSprayedPayload = 9000, kPackets = 40;
constexpr FlowId kSprayedFlow{NodeId(0), 5};
constexpr std::uint16_t kSprayedOwnPort = 10000;

/// Two entropies, of which one may be retired.
TransportOptions Options(std::int64_t reorder, bool selective) {
  TransportOptions options;
  options.congestion.mode = 0;
  options.entropy.scheme = EntropyOptions::Scheme::kMrc;
  options.entropy.paths = 2;
  options.entropy.mrc_probes = 1;
  options.entropy.mrc_probe_interval = MicroSeconds(100);
  options.reliability.ack_interval = 100 * kSprayedPayload;
  options.reliability.reorder = reorder;
  options.reliability.selective_repeat = selective;
  options.reliability.nack_interval = MicroSeconds(500);
  options.reliability.timeout = MicroSeconds(50);
  return options;
}

/// Knows all messages and does nothing.
class SprayedIdle final : public FlowAgent {
 public:
  void Begin(FlowPoster*) override {}
  void Sent(const FlowCookie&, Time) override {}
  void Received(const FlowCookie&, Time) override {}
  void Save(StateWriter*) const override {}
  void Load(StateReader*) override {}
};

class Sprayed : public ::testing::Test {
 protected:
  explicit Sprayed(std::int64_t reorder = 0, bool selective = false)
      : fabric_(testing::LeafSpine{1, 3, 0}.Build(), Options(reorder, selective)) {
    desk_.Attach(fabric_.context(), 3, &agent_);
  }
  void Start() {
    QueuePair pair;
    pair.flow = kSprayedFlow;
    pair.destination = NodeId(1);
    pair.source_port = kSprayedOwnPort;
    pair.destination_port = 100;
    pair.size = kPackets * kSprayedPayload;
    sender_.life().Start(state_, 0, pair);
  }
  /// What leaves GPU 0 next.
  Packet Send() {
    const std::uint32_t out = fabric_.PortAt(0, 0);
    Port& port = state_.ports()[out];
    if (Left().size() == seen_) {
      state_.clock().now = std::max(state_.now(), port.busy_until);
      sender_.nic().SendNext(state_, port, out);
    }
    const std::vector<Packet> all = Left();
    return all.size() > seen_ ? all[seen_++] : Packet{};
  }
  /// All that has left GPU 0.
  std::vector<Packet> Left() const {
    std::vector<Packet> packets;
    for (const Packet& p : fabric_.OnLinks()) {
      if (p.source == NodeId(0)) packets.push_back(p);
    }
    return packets;
  }
  std::set<std::uint16_t> Entropies(int packets) {
    std::set<std::uint16_t> used;
    for (int i = 0; i < packets; ++i) used.insert(Send().source_port);
    return used;
  }
  void Answer(std::int64_t sequence, std::uint16_t entropy, PacketKind kind = PacketKind::kAck,
              bool marked = false) {
    Packet ack{};
    ack.source = NodeId(1);
    ack.destination = NodeId(0);
    ack.flow_number = kSprayedFlow.number;
    ack.kind = kind;
    ack.destination_port = entropy;
    ack.echo = marked ? 1 : 0;
    ack.sequence = static_cast<std::uint64_t>(sequence) & 0xff'ffff'ffff;
    sender_.answers().Ack(state_, ack, nullptr);
  }
  bool TimeOutAt(Time time) {
    if (!sender_.timeouts().IsDue(state_, 0, time)) return false;
    state_.clock().now = time;
    sender_.timeouts().Run(state_, 0);
    return true;
  }
  void Check() {
    MessageDesk::Claims messages(desk_, state_);
    PathClient::Claims grants(paths_);
    sender_.Check(state_, &messages, &grants);
  }

  Packet Data(std::int64_t number, std::uint16_t entropy, bool marked = false) const {
    Packet p{};
    p.source = kSprayedFlow.source;
    p.flow_number = kSprayedFlow.number;
    p.destination = NodeId(1);
    p.source_port = entropy;
    p.note = kSprayedOwnPort;
    p.destination_port = 100;
    p.size = static_cast<std::uint16_t>((number < 0 ? 0 : kSprayedPayload) + kHeaderBytes);
    p.kind = number < 0 ? PacketKind::kProbe : PacketKind::kData;
    p.priority = 3;
    p.marked = marked ? 1 : 0;
    p.sequence = static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0) * kSprayedPayload) &
                 0xff'ffff'ffff;
    return p;
  }
  /// What GPU 1 answers; a packet of kind kPause if nothing.
  Packet Receive(const Packet& data) {
    const std::size_t before = fabric_.OnLinks().size();
    if (data.kind == PacketKind::kProbe) {
      Receiver::AnswerProbe(state_, fabric_.node(1), data, nullptr);
    } else {
      receiver_.ReceiveData(state_, fabric_.node(1), data, nullptr);
    }
    state_.clock().now = state_.now() + MicroSeconds(1);
    const std::vector<Packet> all = fabric_.OnLinks();
    Packet none{};
    none.kind = PacketKind::kPause;
    return all.size() > before ? all.back() : none;
  }

  testing::OneDomain fabric_;
  DomainState& state_ = fabric_.state();
  std::size_t seen_ = 0;  ///< packets of GPU 0
  SprayedIdle agent_;
  PathClient& paths_ = fabric_.parts().paths;
  MessageDesk& desk_ = fabric_.parts().desk;
  Sender& sender_ = fabric_.parts().sender;
  Receiver& receiver_ = fabric_.parts().receiver;
};

struct Keeping : Sprayed {
  Keeping() : Sprayed(4, false) {}
};
struct Repeating : Sprayed {
  Repeating() : Sprayed(4, true) {}
};

TEST_F(Sprayed, EveryPacketHasItsEntropyAndTheQueuePairsPort) {
  Start();
  std::set<std::uint16_t> used;
  for (int i = 0; i < 8; ++i) {
    const Packet p = Send();
    EXPECT_EQ(p.note, kSprayedOwnPort);
    EXPECT_EQ(p.sequence, static_cast<std::uint64_t>(i * kSprayedPayload));
    used.insert(p.source_port);
  }
  EXPECT_EQ(used.size(), 2u);
  EXPECT_NO_THROW(Check());
}

TEST_F(Sprayed, EveryPacketInOrderHasItsAck) {
  const Packet first = Receive(Data(0, 77, true)), second = Receive(Data(1, 78));
  EXPECT_EQ(first.kind, PacketKind::kAck);
  EXPECT_EQ(first.destination_port, 77);
  EXPECT_EQ(first.echo, 1);
  EXPECT_EQ(first.last, 0);
  EXPECT_EQ(second.destination_port, 78);
  EXPECT_EQ(second.echo, 0);
  EXPECT_EQ(second.sequence, static_cast<std::uint64_t>(2 * kSprayedPayload));
}

TEST_F(Sprayed, ThoseThatGoBackNDropsToo) {
  EXPECT_EQ(Receive(Data(1, 77)).kind, PacketKind::kNack);
  const Packet again = Receive(Data(2, 78, true));
  EXPECT_EQ(again.kind, PacketKind::kAck);
  EXPECT_EQ(again.destination_port, 78);
  EXPECT_EQ(again.echo, 1);
  EXPECT_EQ(again.sequence, 0u);
  EXPECT_EQ(Receive(Data(3, 79)).echo, 0);
  EXPECT_EQ(state_.books().nacks, 1);
}

TEST_F(Keeping, ThoseThatAreKeptToo) {
  const Packet kept = Receive(Data(3, 77, true));
  EXPECT_EQ(kept.kind, PacketKind::kAck);
  EXPECT_EQ(kept.sequence, 0u);
  EXPECT_EQ(kept.note, 3u);
  EXPECT_EQ(kept.echo, 1);
  EXPECT_EQ(Receive(Data(0, 78)).echo, 0);
  EXPECT_EQ(Receive(Data(6, 79)).kind, PacketKind::kNack);  // 5 ahead
}

TEST_F(Sprayed, AProbeIsAnsweredAndBeginsNoFlow) {
  const Packet answer = Receive(Data(-1, 77));
  EXPECT_EQ(answer.kind, PacketKind::kProbeAnswer);
  EXPECT_EQ(answer.destination_port, 77);
  EXPECT_EQ(answer.sequence, 0u);
  EXPECT_EQ(receiver_.Find(kSprayedFlow), nullptr);
  Receive(Data(0, 78));
  EXPECT_EQ(Receive(Data(-1, 77)).kind, PacketKind::kProbeAnswer);
  EXPECT_EQ(receiver_.Find(kSprayedFlow)->expected, kSprayedPayload);
  EXPECT_EQ(receiver_.Find(kSprayedFlow)->source_port, kSprayedOwnPort);
}

TEST_F(Sprayed, AMarkLetsAnEntropyRest) {
  fabric_.context().max_rtt = MicroSeconds(1000);
  Start();
  const std::uint16_t first = Send().source_port;
  Answer(kSprayedPayload, first);
  EXPECT_EQ(Entropies(6).size(), 2u);
  Answer(kSprayedPayload, first, PacketKind::kAck, true);
  EXPECT_EQ(Entropies(6).count(first), 0u);
}

TEST_F(Sprayed, ANackChargesTheMissingPacket) {
  Start();
  std::uint16_t sent[4];
  for (std::uint16_t& entropy : sent) entropy = Send().source_port;
  Answer(2 * kSprayedPayload, sent[3], PacketKind::kNack);
  const Packet again = Send();
  EXPECT_EQ(again.sequence, static_cast<std::uint64_t>(2 * kSprayedPayload));
  EXPECT_NE(again.source_port, sent[2]);
  EXPECT_EQ(Entropies(6).count(sent[2]), 0u);
  EXPECT_NO_THROW(Check());
}

TEST_F(Sprayed, ATimeoutChargesTheFirstPacketThatIsNotAcknowledged) {
  Start();
  const Time start = state_.now();
  std::uint16_t sent[3];
  for (std::uint16_t& entropy : sent) entropy = Send().source_port;
  ASSERT_TRUE(TimeOutAt(start + MicroSeconds(50)));
  EXPECT_EQ(Entropies(6).count(sent[0]), 0u);
}

TEST_F(Sprayed, ANackThatAnAckHasOvertakenGoesNowhere) {
  Start();
  const Time start = state_.now();
  for (int i = 0; i < 6; ++i) Send();
  Answer(5 * kSprayedPayload, 0);
  const Time progress = state_.now();
  Answer(2 * kSprayedPayload, 0, PacketKind::kNack);
  EXPECT_EQ(Send().sequence, static_cast<std::uint64_t>(6 * kSprayedPayload));
  // After a timeout it comes from a receiver that has forgotten the flow.
  EXPECT_FALSE(TimeOutAt(start + MicroSeconds(50)));
  ASSERT_TRUE(TimeOutAt(progress + MicroSeconds(50)));
  EXPECT_EQ(Send().sequence, static_cast<std::uint64_t>(5 * kSprayedPayload));
  Answer(2 * kSprayedPayload, 0, PacketKind::kNack);
  EXPECT_EQ(Send().sequence, static_cast<std::uint64_t>(2 * kSprayedPayload));
  EXPECT_NO_THROW(Check());
}

TEST_F(Repeating, APacketThatIsSentAgainChargesItsEntropy) {
  Start();
  std::uint16_t sent[8];
  for (std::uint16_t& entropy : sent) entropy = Send().source_port;
  Packet nack = Data(0, 0);
  Answer(0, sent[7], PacketKind::kNack);
  // The packet itself is 0 beyond the gap: nothing is known to be missing.
  EXPECT_EQ(Send().sequence, static_cast<std::uint64_t>(8 * kSprayedPayload));
  nack.source = NodeId(1);
  nack.destination = NodeId(0);
  nack.kind = PacketKind::kNack;
  nack.destination_port = sent[7];
  nack.last = 0;
  nack.note = 5;
  sender_.answers().Ack(state_, nack, nullptr);
  const Packet again = Send();
  EXPECT_EQ(again.sequence, 0u);
  EXPECT_NE(again.source_port, sent[0]);
  EXPECT_EQ(Send().sequence, static_cast<std::uint64_t>(9 * kSprayedPayload));  // 1 may be late
  EXPECT_NO_THROW(Check());
}

TEST_F(Sprayed, ProbesLeaveBetweenThePacketsAndBringTheEntropyBack) {
  Start();
  const std::uint16_t lost = Send().source_port;
  Send();
  Answer(0, 0, PacketKind::kNack);
  EXPECT_EQ(Entropies(4).count(lost), 0u);
  state_.clock().now = state_.now() + MicroSeconds(100);
  const Packet probe = Send();
  EXPECT_EQ(probe.size, kHeaderBytes);
  EXPECT_EQ(probe.kind, PacketKind::kProbe);
  EXPECT_EQ(probe.source_port, lost);
  EXPECT_EQ(probe.note, kSprayedOwnPort);
  EXPECT_EQ(Send().size, kSprayedPayload + kHeaderBytes);
  Packet answer = Data(-1, 0);
  answer.kind = PacketKind::kProbeAnswer;
  answer.destination = NodeId(0);
  answer.destination_port = lost;
  answer.flow_number = kSprayedFlow.number + 1;
  sender_.answers().Probe(state_, answer);  // of a flow that has ended
  EXPECT_EQ(Entropies(4).count(lost), 0u);
  answer.flow_number = kSprayedFlow.number;
  sender_.answers().Probe(state_, answer);
  EXPECT_EQ(Entropies(4).count(lost), 1u);
  EXPECT_NO_THROW(Check());
}

}  // namespace
}  // namespace heddle
