// SPDX-License-Identifier: GPL-2.0-only
/// Credit of a sender by hand: packets of 4064 bytes, at most 225,000 bytes of credit.
#include "transport/model/uec/receiver_credit.h"

#include <gtest/gtest.h>

#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

class CreditOfSender : public ::testing::Test {
 protected:
  CreditOfSender() { control_.Start(&state_); }
  std::int64_t Target(std::int64_t fresh, std::int64_t again = 0, std::int64_t flows = 1) const {
    ReceiverCredit::Backlog backlog;
    backlog.fresh = fresh;
    backlog.retransmission = again;
    backlog.waiting_flows = flows;
    return control_.PullTarget(state_, backlog);
  }

  UecOptions options_ = Reference({{"uec.congestion", "rccc"}});
  ReceiverCredit control_{options_, ReferenceScale(options_)};
  ReceiverCredit::State state_;
};

TEST(Quanta, CoverBytesOfEitherSign) {
  EXPECT_EQ(QuantaOver(0), 0);
  EXPECT_EQ(QuantaOver(1), 1);
  EXPECT_EQ(QuantaOver(256), 1);
  EXPECT_EQ(QuantaOver(257), 2);
  EXPECT_EQ(QuantaOver(-1), 0);
  EXPECT_EQ(QuantaOver(-256), -1);
  EXPECT_EQ(QuantaOver(-257), -1);
  EXPECT_EQ(QuantaOver(-512), -2);
}

TEST_F(CreditOfSender, SpeculatesWithTheLargestCredit) {
  EXPECT_EQ(state_.credit, 225'000);
  EXPECT_EQ(state_.speculating, 1);
  EXPECT_TRUE(control_.MaySend(state_));
  control_.OnSend(&state_, 224'999);
  EXPECT_TRUE(control_.MaySend(state_));
  control_.OnSend(&state_, 4064);  // the last one overdraws
  EXPECT_EQ(state_.credit, -4063);
  EXPECT_FALSE(control_.MaySend(state_));
}

TEST_F(CreditOfSender, FirstAnswerEndsSpeculation) {
  control_.EndSpeculation(&state_);
  EXPECT_EQ(state_.credit, 0);
  EXPECT_EQ(state_.speculating, 0);
  control_.OnPull(&state_, 64);
  control_.EndSpeculation(&state_);  // a later answer takes nothing
  EXPECT_EQ(state_.credit, 64 * 256);
  control_.Start(&state_);
  control_.OnSend(&state_, 226'000);
  control_.EndSpeculation(&state_);
  EXPECT_EQ(state_.credit, -1000);  // a debt stays
}

TEST_F(CreditOfSender, PullsAddUpAndOldOnesChangeNothing) {
  control_.OnPull(&state_, 10);
  EXPECT_EQ(state_.speculating, 0);
  EXPECT_EQ(state_.credit, 2560);
  control_.OnPull(&state_, 30);  // pull 20 was lost or overtaken
  EXPECT_EQ(state_.credit, 7680);
  control_.OnPull(&state_, 20);
  EXPECT_EQ(state_.credit, 7680);
  control_.OnPull(&state_, 30);
  EXPECT_EQ(state_.credit, 7680);
  EXPECT_EQ(state_.pull, 30);
  control_.OnPull(&state_, 5000);  // 1,280,000 bytes: no more than the largest credit is kept
  EXPECT_EQ(state_.credit, 225'000);
  EXPECT_EQ(state_.pull, 5000);
}

TEST_F(CreditOfSender, TargetCoversTheBacklogThatHasNoCredit) {
  control_.OnPull(&state_, 10);
  EXPECT_EQ(Target(2560), 10);        // credit for all of it
  EXPECT_EQ(Target(2561), 11);        // one byte more
  EXPECT_EQ(Target(2000, 1072), 12);  // what is to be sent again counts too
  EXPECT_EQ(Target(0), 0);            // too much credit: below the pull number
  EXPECT_EQ(Target(1'000'000), 10 + (225'000 - 2560 + 255) / 256);
  EXPECT_EQ(Target(2560 + 1024, 0, 4), 11);  // the want of one flow of four
}

TEST_F(CreditOfSender, TargetStaysWithinTheWindowAndAPacket) {
  control_.EndSpeculation(&state_);
  ReceiverCredit::Backlog backlog;
  backlog.fresh = 100'000;
  backlog.window = 10'000;
  EXPECT_EQ(control_.PullTarget(state_, backlog), 55);  // 14,064 bytes
  backlog.window = 300'000;
  EXPECT_EQ(control_.PullTarget(state_, backlog), 391);
}

TEST_F(CreditOfSender, SpeculationAsksForAPacketAtLeast) {
  control_.OnSend(&state_, 4064);
  EXPECT_EQ(Target(1000), 16);  // 4064 bytes, though credit is ample
  EXPECT_EQ(Target(1000, 0, 2), 8);
  EXPECT_LT(Target(0), 0);     // not for the last packet
  EXPECT_LT(Target(0, 5), 0);  // nor for retransmissions alone
  control_.EndSpeculation(&state_);
  EXPECT_EQ(Target(1000), 4);
}

TEST_F(CreditOfSender, StateGoesOnAfterSaving) {
  control_.OnPull(&state_, 77);
  control_.OnSend(&state_, 30'000);
  const auto copy = Loaded<ReceiverCredit::State>(Saved(state_));
  EXPECT_EQ(copy.credit, 77 * 256 - 30'000);
  EXPECT_EQ(copy.pull, 77);
  EXPECT_EQ(copy.speculating, 0);
  for (const int wrong : {0, 1, 2}) {
    ReceiverCredit::State state = state_;
    if (wrong == 0) state.pull = -1;
    if (wrong == 1) state.credit = kMostQuanta + 1;
    if (wrong == 2) state.speculating = 2;
    EXPECT_THROW(Loaded<ReceiverCredit::State>(Saved(state)), UserError) << wrong;
  }
}

}  // namespace
}  // namespace heddle::testing
