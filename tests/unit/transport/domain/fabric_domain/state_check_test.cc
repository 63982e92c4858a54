// SPDX-License-Identifier: GPL-2.0-only
// Numbers of a domain's senders, receivers and events that somebody forged in a checkpoint: each is
// refused before it leads anywhere.
#include "transport/domain/fabric_domain/state_check.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/forged_domain.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kNone = ~0U, kFar = 1'000'000;

std::string Says(const char* what) { return std::string("the saved state has ") + what; }

struct SavedWindow {
  PacketBitmap selective;
  std::int64_t recovery_point = 0, retransmit_from = 0, next_retransmission = 0;
  bool timed_out = false;
  std::int64_t tolerance = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& selective& recovery_point& retransmit_from& next_retransmission& timed_out& tolerance;
  }
};

struct SavedSender {
  std::vector<Time> timeouts;
  Nics nics;
  SlotPool<QueuePair> pairs;
  RateControl rates;
  std::vector<SavedWindow> windows;
  UecSender uec;
  PacketEntropies entropies;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& timeouts& nics& pairs& rates& windows& uec& entropies;
  }
};

/// Below the first packet that is not acknowledged a window has no words to look at.
TEST(ForgedSender, PacketToSendAgain) {
  ForgedDomain run(LeafSpine{2, 2, 2}.Build(), {{"reliability.selective_repeat", "true"}},
                   Bytes{400'000});
  run.RunUntil(MicroSeconds(40));
  ASSERT_EQ(run.Refusal(), "");
  SavedSender saved;
  ForgedDomain::Read(run.parts().sender, &saved);
  std::uint32_t slot = 0;
  while (slot < saved.pairs.size() && saved.windows[slot].selective.base() < 2) ++slot;
  ASSERT_LT(slot, saved.pairs.size());
  saved.windows[slot].next_retransmission = saved.windows[slot].selective.base() - 2;
  saved.pairs[slot].resend = 1;
  ForgedDomain::Write(saved, &run.parts().sender);
  EXPECT_EQ(run.Refusal(), Says("packets of a flow beyond its end"));
}

struct SavedPacer {
  PullPacer pulls;
  OversubscriptionControl::State rate;
  std::vector<std::uint32_t> slots;
  Time pull_at, adjust_at;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& pulls& rate& slots& pull_at& adjust_at;
  }
};

struct SavedUecReceiver {
  FlatMap index;
  SlotPool<UecArriving> slots;
  std::vector<ArrivalWindow> windows;
  std::vector<std::pair<std::uint32_t, SavedPacer>> pacers;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    StateCount count(pacers.size());
    archive& index& slots& windows& count;
    pacers.resize(count);
    for (auto& [port, pacer] : pacers) archive& port& pacer;
  }
};

/// Stopped when flows are complete and their places stay in a pacer's rows.
class ForgedUec : public ::testing::Test {
 protected:
  ForgedUec()
      : run_(LeafSpine{2, 2, 2}.Build(),
             {{"transport.protocol", "uec"}, {"uec.congestion", "rccc"}}, Bytes{300'000}) {}

  void SetUp() override {
    for (Time now = MicroSeconds(1); now < MicroSeconds(500) && over_ == nullptr;
         now += MicroSeconds(1)) {
      run_.RunUntil(now);
      saved_ = SavedUecReceiver();
      ForgedDomain::Read(run_.parts().uec_receiver, &saved_);
      if (HasFatalFailure()) return;
      for (auto& [port, pacer] : saved_.pacers) {
        for (std::uint32_t& slot : pacer.slots) {
          if (slot == kNone && pacer.pulls.size() > 0) over_ = &slot;
        }
        pacer_ = &pacer;
      }
    }
    ASSERT_NE(over_, nullptr);
    ASSERT_EQ(run_.Refusal(), "");
  }
  std::string Refusal() {
    ForgedDomain::Write(saved_, &run_.parts().uec_receiver);
    return run_.Refusal();
  }

  ForgedDomain run_;
  SavedUecReceiver saved_;
  std::uint32_t* over_ = nullptr;  ///< of a complete flow
  SavedPacer* pacer_ = nullptr;
};

TEST_F(ForgedUec, FlowOfAPull) {
  *over_ = kFar;
  EXPECT_EQ(Refusal(), Says("credit for a flow that is over"));
}

TEST_F(ForgedUec, FlowsOfAPacer) {
  pacer_->slots.push_back(kNone);
  EXPECT_EQ(Refusal(), Says("other receivers of credit"));
}

/// Receivers make room for all packets before the one that comes.
TEST_F(ForgedUec, NumberOfAPacket) {
  std::uint32_t data = kNone;
  for (const std::uint32_t slot : run_.CargoOf(FabricEvent::kArrival)) {
    if (run_.CargoAt<Packet>(slot).kind == PacketKind::kUecData) data = slot;
  }
  ASSERT_NE(data, kNone);
  auto packet = run_.CargoAt<Packet>(data);
  packet.sequence = (std::uint64_t{1} << 40) - 1;
  run_.PutCargo(data, packet);
  EXPECT_EQ(run_.Refusal(), Says("a packet beyond the end of any flow"));
}

constexpr const char* kReduce = "MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 400000 1\n";

TEST(ForgedEvents, MomentOfAnAgent) {
  ForgedDomain run(LeafSpine{2, 2, 2}.Build(), {}, kReduce);
  run.RunUntil(MicroSeconds(10));
  ASSERT_EQ(run.Refusal(), "");
  run.domain().queue().Push(
      {MicroSeconds(20), EventOrder(NodeId(0), PortId(0), FabricEvent::kWakeAgent).bits(), 0, 0});
  EXPECT_EQ(run.Refusal(), Says("a moment for which no job asked"));
}

TEST(ForgedMessages, Connection) {
  ForgedDomain run(LeafSpine{2, 2, 2}.Build(), {}, kReduce);
  run.RunUntil(MicroSeconds(10));
  ASSERT_EQ(run.Refusal(), "");
  struct SavedDesk {
    std::vector<PostQueue> queues;
    SlotPool<PostedMessage> posts;
    LastingConnections connections;
    FlatMap expected;
    SlotPool<ExpectedMessage> expectations;

    void serialize(StateWriter& archive, unsigned) {
      archive& queues& posts& connections& expected& expectations;
    }
    void serialize(StateReader& archive, unsigned) {
      archive& queues& posts& connections& expected& expectations;
    }
  } saved;
  ForgedDomain::Read(run.parts().desk, &saved);
  const std::vector<bool> used = saved.posts.used_slots();
  std::uint32_t post = 0;
  while (post < used.size() && !used[post]) ++post;
  ASSERT_LT(post, used.size());
  saved.posts[post].unsent = 0;
  saved.posts[post].connection = kFar;
  ForgedDomain::Write(saved, &run.parts().desk);
  EXPECT_EQ(run.Refusal(), Says("a message of a connection that does not exist"));
}

}  // namespace
}  // namespace heddle::testing
