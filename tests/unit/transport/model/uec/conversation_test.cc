// SPDX-License-Identifier: GPL-2.0-only
/// A sender and a receiver over a network that reorders, marks, trims, drops and repeats: all parts
/// together bring every packet across, and the bytes in flight come out even.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "core/base/random.h"
#include "tests/unit/transport/model/uec/uec_test_util.h"
#include "transport/model/uec/arrival_window.h"
#include "transport/model/uec/nscc.h"
#include "transport/model/uec/packet_window.h"
#include "transport/model/uec/pull_pacer.h"
#include "transport/model/uec/receiver_credit.h"

namespace heddle::testing {
namespace {

/// In percent, for each packet.
struct Harm {
  int marked = 0;
  int trimmed = 0;
  int dropped = 0;
  int control_dropped = 0;
};

class Conversation {
 public:
  Conversation(const Settings& settings, const Harm& harm, std::uint64_t seed)
      : options_(Reference(settings)),
        scale_(ReferenceScale(options_)),
        harm_(harm),
        random_(seed, 0, RandomPurpose::kTrace) {
    nscc_.Start(&window_, MicroSeconds(12));
    credit_.Start(&held_credit_);
    pacer_.Add();
  }

  /// Until `packets` are acknowledged, or too many events passed. Whether they are.
  bool Run(std::int64_t packets) {
    left_ = packets;
    SendAll();
    for (int events = 0; events < 200'000 && !Done(); ++events) {
      EXPECT_FALSE(events_.empty());
      if (events_.empty()) break;
      now_ = events_.begin()->first;
      const auto event = events_.begin()->second;
      events_.erase(events_.begin());
      event();
      if (!Done()) SendAll();
      EXPECT_GE(window_.window, scale_.min_window);
      EXPECT_LE(held_credit_.credit, scale_.max_window);
    }
    return Done();
  }
  bool Done() const { return left_ == 0 && sent_.all_acknowledged(); }

  std::int64_t in_flight = 0;
  std::int64_t resent = 0;
  ArrivalWindow arrived;

 private:
  bool Chance(int percent) { return static_cast<int>(random_.Below(100)) < percent; }
  void After(Time least, std::function<void()> event) {
    events_.emplace(now_ + least + Time{static_cast<std::int64_t>(random_.Below(4'000'000))},
                    std::move(event));
  }
  bool MaySend(std::int64_t bytes) const {
    return (!options_.uses_window() || nscc_.MaySend(window_, in_flight, bytes)) &&
           (!options_.uses_credit() || credit_.MaySend(held_credit_));
  }
  void SendAll() {
    for (;;) {
      const std::int64_t queued = sent_.NextQueued();
      if (queued == PacketWindow::kNone && left_ == 0) return;
      if (!MaySend(4064)) return ArmTimer();
      const bool again = queued != PacketWindow::kNone;
      now_ += Time{1};  // sends are in order of time
      if (!again) --left_;
      resent += again ? 1 : 0;
      const std::int64_t number = again ? sent_.Resend(now_, 0) : sent_.Send(now_, 4064, 0);
      in_flight += 4064;
      credit_.OnSend(&held_credit_, 4064);
      const bool asks = again || left_ == 0 || !MaySend(4064);
      ReceiverCredit::Backlog backlog;
      backlog.fresh = left_ * 4064;
      backlog.retransmission = sent_.queued_bytes();
      const std::int64_t target = credit_.PullTarget(held_credit_, backlog);
      if (!Chance(harm_.dropped))
        After(MicroSeconds(5), [=] { Arrive(number, asks, again, target); });
      ArmTimer();
    }
  }
  void ArmTimer() {
    if (armed_ || sent_.oldest() == PacketWindow::kNone) return;
    armed_ = true;
    events_.emplace(std::max(now_, sent_.oldest_sent() + scale_.min_rto), [this] { Timer(); });
  }
  void Timer() {
    armed_ = false;
    if (sent_.oldest() != PacketWindow::kNone && sent_.oldest_sent() + scale_.min_rto <= now_) {
      const std::int64_t bytes = sent_.Lose(sent_.oldest());
      nscc_.OnTimeout(&window_, bytes, &changes_);
      in_flight -= bytes;
      // Stands in for a request to send, which would make the receiver give credit.
      if (options_.uses_credit()) pacer_.Request(0);
      Pull();
    }
    ArmTimer();
  }
  void Arrive(std::int64_t number, bool asks, bool again, std::int64_t target) {
    pacer_.SetTarget(0, std::max<std::int64_t>(target, 0));
    Pull();
    if (Chance(harm_.trimmed)) return Trim(number);
    const bool marked = Chance(harm_.marked);
    const ArrivalWindow::Arrival arrival = arrived.Receive({number, 4064, marked, asks}, rules_);
    if (arrival.nack) Answer([this, expected = arrived.expected()] { Nack(expected); });
    if (!arrival.ack) return;
    const AckFields fields = arrived.Ack(number, arrival.anchored);
    Answer([=] { Acknowledge(fields, marked, again); });
  }
  void Trim(std::int64_t number) {
    using Answered = ArrivalWindow::TrimAnswer;
    const Answered answer = arrived.ReceiveTrimmed(number, rules_);
    if (answer == Answered::kNack) Answer([=] { Nack(number); });
    if (answer == Answered::kNackExpected)
      Answer([this, expected = arrived.expected()] { Nack(expected); });
    if (answer == Answered::kAck)
      Answer([this, fields = arrived.Ack(number, false)] { Acknowledge(fields, false, false); });
  }
  void Answer(std::function<void()> event) {
    if (!Chance(harm_.control_dropped)) After(MicroSeconds(5), std::move(event));
  }
  void Acknowledge(const AckFields& fields, bool marked, bool again) {
    Nscc::Ack ack;
    ack.now = now_;
    ack.new_bytes = std::max<std::int64_t>(0, fields.received_bytes - counted_);
    counted_ += ack.new_bytes;
    in_flight -= ack.new_bytes;
    ack.round_trip = sent_.RoundTrip(fields.number, again, now_);
    ack.marked = marked;
    in_flight +=
        sent_.Acknowledge(fields.cumulative, fields.bitmap_base, fields.bitmap).queued_bytes;
    ack.in_flight = in_flight;
    nscc_.OnAck(&window_, ack, &changes_);
    credit_.EndSpeculation(&held_credit_);
  }
  void Nack(std::int64_t number) {
    credit_.EndSpeculation(&held_credit_);
    const PacketWindow::Record* record = sent_.Find(number);
    if (record == nullptr || record->where != PacketWindow::Where::kOutstanding) return;
    Nscc::Nack nack;
    nack.now = now_;
    nack.bytes = record->bytes;
    nack.round_trip = now_ - record->sent;
    nack.in_flight = in_flight;
    nscc_.OnNack(&window_, nack, &changes_);
    in_flight -= options_.in_order() ? sent_.LoseFrom(number) : sent_.Lose(number);
  }
  void Pull() {
    if (pulling_ || !options_.uses_credit() || !pacer_.waiting()) return;
    pulling_ = true;
    events_.emplace(std::max(now_, pacer_.next()), [this] {
      pulling_ = false;
      const PullPacer::Pull pull = pacer_.Take(now_, pulls_, 1);
      Answer([this, pull] { credit_.OnPull(&held_credit_, pull.number); });
      Pull();
    });
  }

  UecOptions options_;
  UecScale scale_;
  Harm harm_;
  RandomStream random_;
  Nscc nscc_{options_, scale_};
  ReceiverCredit credit_{options_, scale_};
  ArrivalRules rules_{options_};
  PullRules pulls_{options_, scale_};
  std::multimap<Time, std::function<void()>> events_;
  Time now_{1};
  std::int64_t left_ = 0;
  std::int64_t counted_ = 0;
  bool armed_ = false;
  bool pulling_ = false;
  PacketWindow sent_;
  Nscc::State window_;
  NsccChanges changes_;
  ReceiverCredit::State held_credit_;
  PullPacer pacer_;
};

TEST(Conversation, EveryPacketArrivesAndBytesInFlightComeOutEven) {
  const Harm harms[] = {{}, {20, 0, 0, 0}, {5, 10, 0, 0}, {5, 5, 3, 3}, {0, 0, 20, 20}};
  for (const char* congestion : {"nscc", "rccc", "both", "none"}) {
    for (const char* mode : {"rud", "rod"}) {
      for (const Harm& harm : harms) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
          Conversation talk({{"uec.congestion", congestion}, {"uec.mode", mode}}, harm, seed);
          EXPECT_TRUE(talk.Run(300)) << congestion << " " << mode << " " << seed;
          EXPECT_EQ(talk.arrived.expected(), 300);
          EXPECT_EQ(talk.arrived.received_bytes(), 300 * 4064);
          EXPECT_EQ(talk.in_flight, 0) << congestion << " " << mode << " " << seed;
        }
      }
    }
  }
}

TEST(Conversation, NothingIsSentTwiceWithoutHarm) {
  for (const char* congestion : {"nscc", "rccc", "both", "none"}) {
    Conversation talk({{"uec.congestion", congestion}}, {10, 0, 0, 0}, 1);
    EXPECT_TRUE(talk.Run(1000));
    EXPECT_EQ(talk.resent, 0) << congestion;
    EXPECT_EQ(talk.arrived.duplicates(), 0);
    EXPECT_GT(talk.arrived.reordering().held, 0);
  }
}

TEST(Conversation, ATrimCostsOnePacket) {
  Conversation talk({}, {0, 10, 0, 0}, 1);
  EXPECT_TRUE(talk.Run(1000));
  EXPECT_NEAR(static_cast<double>(talk.resent), 111, 30);  // 1000 (.1 + .01 + ..)
  EXPECT_EQ(talk.arrived.duplicates(), 0);
}

}  // namespace
}  // namespace heddle::testing
