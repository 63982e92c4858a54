// SPDX-License-Identifier: GPL-2.0-only
/// A congestion control that writes a window: a toy, which is in no list, over the sender of GPU 0.
/// Packets have 1,000 bytes of payload; the flow to GPU 1 has a hundred.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"
#include "transport/model/congestion/congestion_control.h"
#include "transport/model/congestion/no_control.h"
#include "transport/model/congestion/pace.h"

namespace heddle {
namespace {

constexpr std::int64_t kToyPayload = 1000;

/// TCP's slow start: one packet, one more with each ACK, half after a mark. Always at line rate.
struct AToyControl {
  static constexpr bool kSetsWindow = true;

  static void Start(Pace* pace) { pace->limit = kToyPayload; }
  static void OnAck(Pace* pace, bool congestion) {
    pace->limit = congestion ? std::max(kToyPayload, pace->limit / 2) : pace->limit + kToyPayload;
  }
};

TransportOptions ToyOptions() {
  TransportOptions options;
  options.congestion.mode = 0;
  options.payload = kToyPayload;
  options.reliability.ack_interval = kToyPayload;
  return options;
}

class WindowControlTest : public ::testing::Test {
 protected:
  WindowControlTest() : fabric_(testing::LeafSpine{1, 3, 0}.Build(), ToyOptions()) {
    QueuePair pair;
    pair.flow = {NodeId(0), 5};
    pair.destination = NodeId(1);
    pair.size = 100 * kToyPayload;
    fabric_.state().ports()[out_].paused = 1U << pair.priority;  // until the window is set
    sender_.life().Start(fabric_.state(), 0, pair);
    AToyControl::Start(&pace());
    fabric_.state().ports()[out_].paused = 0;
    SendAll();
  }
  QueuePair& pair() { return (*sender_.sampled_pairs())[0]; }
  Pace& pace() { return pair().pace; }
  std::int64_t in_flight() { return pair().next - pair().unacked; }
  void SendAll() {
    DomainState& state = fabric_.state();
    for (std::int64_t before = -1; before != pair().next;) {
      before = pair().next;
      state.clock().now = std::max(state.now(), state.ports()[out_].busy_until);
      sender_.nic().SendNext(state, state.ports()[out_], out_);
    }
  }
  /// An ACK of one packet more: the control hears of it, and what may go, goes.
  void Answer(bool congestion = false) {
    AToyControl::OnAck(&pace(), congestion);
    Packet ack{};
    ack.source = NodeId(1);
    ack.destination = NodeId(0);
    ack.flow_number = 5;
    ack.kind = PacketKind::kAck;
    ack.sequence = static_cast<std::uint64_t>(pair().unacked + kToyPayload) & 0xff'ffff'ffff;
    sender_.answers().Ack(fabric_.state(), ack, nullptr);
    SendAll();
  }

  testing::OneDomain fabric_;
  const std::uint32_t out_ = fabric_.PortAt(0, 0);
  Sender& sender_ = fabric_.parts().sender;
};

TEST_F(WindowControlTest, NoMoreIsInFlightThanTheControlAllows) {
  EXPECT_EQ(in_flight(), kToyPayload);
  Answer();
  EXPECT_EQ(in_flight(), 2 * kToyPayload);
  for (int ack = 0; ack < 6; ++ack) Answer();
  EXPECT_EQ(in_flight(), 8 * kToyPayload);
  EXPECT_EQ(pace().rate, pace().line_rate);
}

TEST_F(WindowControlTest, AWindowThatShrinksHoldsTheSenderUntilItIsAcknowledged) {
  for (int ack = 0; ack < 7; ++ack) Answer();
  const std::int64_t sent = pair().next;
  Answer(true);  // 7 in flight, 4 allowed
  EXPECT_EQ(pace().limit, 4 * kToyPayload);
  EXPECT_EQ(pair().next, sent);
  Answer(true);  // 6 in flight, 2 allowed
  EXPECT_EQ(pair().next, sent);
  for (int ack = 0; ack < 3; ++ack) Answer();  // 3 in flight, 5 allowed
  EXPECT_EQ(in_flight(), 5 * kToyPayload);
}

TEST_F(WindowControlTest, ANewRateLeavesTheWindowOfSuchAControlAlone) {
  pace().window = 50 * kToyPayload;
  const auto halve = [this] { pace().rate = BitRate{pace().rate.bps / 2}; };
  detail::WithWindow<AToyControl>(true, &pace(), halve);
  EXPECT_EQ(pace().limit, kToyPayload);
  detail::WithWindow<NoControl>(false, &pace(), halve);
  EXPECT_EQ(pace().limit, kToyPayload);  // nor without VAR_WIN
  detail::WithWindow<NoControl>(true, &pace(), halve);
  EXPECT_EQ(pace().limit, 50 * kToyPayload / 8);
}

TEST_F(WindowControlTest, WithoutAWindowNoneFollowsTheRate) {
  pace().limit = 0;
  detail::WithWindow<NoControl>(true, &pace(),
                                [this] { pace().rate = BitRate{pace().rate.bps / 2}; });
  EXPECT_EQ(pace().limit, 0);
}

}  // namespace
}  // namespace heddle
