// SPDX-License-Identifier: GPL-2.0-only
// Numbers of requests that somebody forged in a checkpoint: each is refused before it leads
// anywhere.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/forged_domain.h"
#include "transport/domain/requests/request_desk.h"

namespace heddle::testing {
namespace {

template <class Archive, class Record>
void SerializeEach(Archive& archive, std::vector<Record>* records) {
  StateCount count(records->size());
  archive& count;
  records->resize(count);
  for (Record& record : *records) archive& record;
}

struct SavedCompletion {
  std::uint32_t queue_pair = 0;
  bool timed = false;
  std::int64_t bytes = 0;
  std::uint32_t message = 0;
  std::uint64_t request = 0;
  Time posted, polled;
  BitRate line_rate;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& queue_pair& timed& bytes& message& request& posted& polled& line_rate;
  }
};

struct SavedConnection {
  std::array<std::uint32_t, 4> key{};
  std::uint32_t node = 0, number = 0;
  ConnectionState state;
  PollingState polling{PollingOptions(), 0, 0};
  Time poll_at;
  RequestWindow window;
  std::uint32_t posting = 0;
  std::vector<SavedCompletion> completed;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    for (std::uint32_t& part : key) archive& part;
    archive& node& number& state& polling& poll_at& window& posting;
    SerializeEach(archive, &completed);
  }
};

struct SavedMessage {
  QueuePair first;
  std::uint32_t connection = 0;
  bool lasts = false;
  std::int64_t left = 0, request_size = 0;
  std::uint64_t shares = 0;
  std::vector<std::uint32_t> queue_pairs;
  std::vector<std::uint32_t> grants;
  RequestWindow window;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& first& connection& lasts& left& request_size& shares& queue_pairs& grants& window;
  }
};

struct SavedShare {
  std::int64_t end = 0, bytes = 0;
  std::uint64_t request = 0;
  Time posted;
  bool timed = false;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& end& bytes& request& posted& timed;
  }
};

struct SavedLane {
  std::uint32_t message = 0, number = 0;
  bool open = false;
  std::int64_t posted = 0;
  std::vector<SavedShare> shares;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& message& number& open& posted;
    SerializeEach(archive, &shares);
  }
};

struct SavedDesk {
  std::vector<SavedConnection> connections;
  std::vector<SavedMessage> messages;
  std::vector<SavedLane> lanes;
  std::vector<std::uint32_t> free_messages;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    SerializeEach(archive, &connections);
    SerializeEach(archive, &messages);
    SerializeEach(archive, &lanes);
    archive& free_messages;
  }
};

constexpr std::uint32_t kNone = RequestDesk::kNone, kFar = 1'000'000;

/// Stopped while a message posts requests over open queue pairs, and completions wait for a poll.
class ForgedRequests : public ::testing::Test {
 protected:
  explicit ForgedRequests(const char* scheduler = "cast-stripe", const char* controlled = "false")
      : run_(LeafSpine{2, 2, 2}.Build(),
             {{"requests.scheduler", scheduler},
              {"controller.enable", controlled},
              {"nic.qps_per_connection", "4"},
              {"requests.size", "32768"},
              {"requests.in_flight", "3"},
              {"cast.split_min", "4096"},
              {"cast.poll_interval", "5us"}},
             Bytes{400'000}) {}

  void SetUp() override {
    for (std::int64_t us = 1; us < 200; ++us) {
      run_.RunUntil(MicroSeconds(us));
      ForgedDomain::Read(run_.parts().requests, &saved_);
      if (HasFatalFailure()) return;
      if (FindOpen() && FindCompleted()) break;
    }
    ASSERT_TRUE(FindOpen() && FindCompleted());
    ASSERT_EQ(run_.Refusal(), "");
  }

  SavedMessage& message() { return saved_.messages[open_]; }
  SavedLane& lane() { return saved_.lanes[lane_]; }
  SavedConnection& connection() { return saved_.connections[polled_]; }

  std::string RefusalAfter(const std::function<void()>& forge) {
    forge();
    try {
      ForgedDomain::Write(saved_, &run_.parts().requests);
    } catch (const UserError& error) {
      return error.what();
    }
    return run_.Refusal();
  }
  static std::string Says(const char* what) { return std::string("the saved state has ") + what; }

  ForgedDomain run_;
  SavedDesk saved_;
  std::uint32_t open_ = kNone, lane_ = kNone, polled_ = kNone;

 private:
  bool FindOpen() {
    open_ = lane_ = kNone;
    for (std::uint32_t slot = 0; slot < saved_.messages.size() && open_ == kNone; ++slot) {
      for (const std::uint32_t pair : saved_.messages[slot].queue_pairs) {
        if (pair == kNone) continue;
        open_ = slot;
        lane_ = pair;
      }
    }
    return open_ != kNone;
  }
  bool FindCompleted() {
    polled_ = kNone;
    for (std::uint32_t i = 0; i < saved_.connections.size(); ++i) {
      if (!saved_.connections[i].completed.empty()) polled_ = i;
    }
    return polled_ != kNone;
  }
};

TEST_F(ForgedRequests, QueuePairOfALane) {
  EXPECT_EQ(RefusalAfter([&] { lane().number = kFar; }),
            Says("a message of queue pairs that do not send it"));
}

TEST_F(ForgedRequests, MessageOfALane) {
  EXPECT_EQ(RefusalAfter([&] { lane().message = kFar; }),
            Says("a message of queue pairs that do not send it"));
}

TEST_F(ForgedRequests, LaneOfAQueuePairThatDoesNotExist) {
  SavedLane forged = lane();
  const auto slot = static_cast<std::uint32_t>(saved_.lanes.size()) + 100;
  EXPECT_EQ(RefusalAfter([&] {
              saved_.lanes.resize(slot, SavedLane{kNone, 0, false, 0, {}});
              saved_.lanes.push_back(forged);
              message().queue_pairs[forged.number] = slot;
              lane() = SavedLane{kNone, 0, false, 0, {}};
            }),
            Says("a flow of no requests"));
}

TEST_F(ForgedRequests, ClosedLaneOfAQueuePairThatDoesNotExist) {
  EXPECT_EQ(RefusalAfter([&] {
              saved_.lanes.resize(saved_.lanes.size() + 100, SavedLane{kNone, 0, false, 0, {}});
              saved_.lanes.push_back({open_, 0, false, 1, {}});
            }),
            Says("requests of a queue pair that does not exist"));
}

TEST_F(ForgedRequests, OpenLaneThatItsMessageDoesNotKnow) {
  EXPECT_EQ(RefusalAfter([&] { message().queue_pairs[lane().number] = kNone; }),
            Says("a queue pair that its message does not know"));
}

TEST_F(ForgedRequests, SlotOfAMessagesQueuePair) {
  EXPECT_EQ(RefusalAfter([&] { message().queue_pairs[lane().number] = kFar; }),
            Says("a message of queue pairs that do not send it"));
}

TEST_F(ForgedRequests, BytesBeyondTheLargestFlow) {
  EXPECT_EQ(RefusalAfter([&] { message().left = kMaxFlowBytes; }),
            Says("a message of queue pairs that do not send it"));
}

TEST_F(ForgedRequests, ConnectionOfAMessage) {
  EXPECT_EQ(RefusalAfter([&] { message().connection = kFar; }), Says("a message of no connection"));
}

TEST_F(ForgedRequests, GrantOfAMessage) {
  EXPECT_EQ(RefusalAfter([&] { message().first.grant = 5; }),
            Says("a message whose queue pairs have begun before it"));
}

/// The central controller has given source ports that no queue pair uses yet.
class ForgedGrants : public ForgedRequests {
 protected:
  ForgedGrants() : ForgedRequests("round-robin", "true") {}

  void SetUp() override {
    ForgedRequests::SetUp();
    for (; Unused() == kNone && at_ < 200; ++at_) {
      run_.RunUntil(MicroSeconds(at_));
      ForgedDomain::Read(run_.parts().requests, &saved_);
    }
    ASSERT_NE(Unused(), kNone);
    open_ = Unused();
    ASSERT_EQ(run_.Refusal(), "");
  }

  std::uint32_t Unused() const {
    for (std::uint32_t slot = 0; slot < saved_.messages.size(); ++slot) {
      for (const std::uint32_t grant : saved_.messages[slot].grants) {
        if (grant != kNone) return slot;
      }
    }
    return kNone;
  }
  std::uint32_t& grant() {
    for (std::uint32_t& grant : message().grants) {
      if (grant != kNone) return grant;
    }
    return message().grants.front();
  }

 private:
  std::int64_t at_ = 1;
};

TEST_F(ForgedGrants, GrantThatDoesNotExist) {
  EXPECT_EQ(RefusalAfter([&] { grant() = kFar; }),
            Says("a source port of nobody, or of two flows"));
}

TEST_F(ForgedGrants, ForgottenGrant) {
  EXPECT_EQ(RefusalAfter([&] { grant() = kNone; }), Says("a source port that nobody waits for"));
}

TEST_F(ForgedGrants, GrantTwice) {
  EXPECT_EQ(RefusalAfter([&] {
              message().grants.back() = grant();
              message().grants.front() = grant();
            }),
            Says("a source port for a queue pair that has begun"));
}

TEST_F(ForgedGrants, MoreGrantsThanQueuePairs) {
  EXPECT_EQ(RefusalAfter([&] { message().grants.push_back(kNone); }),
            Says("a message of more source ports than queue pairs"));
}

TEST_F(ForgedRequests, ProtocolOfAMessage) {
  EXPECT_EQ(RefusalAfter([&] {
              message().first.ultra = 1;
              message().first.pace.line_rate = BitRate{1};
            }),
            Says("a message whose queue pairs have begun before it"));
}

TEST_F(ForgedRequests, PostOfAMessage) {
  EXPECT_EQ(RefusalAfter([&] { message().first.post = 7; }),
            Says("a flow of a message that does not exist"));
}

TEST_F(ForgedRequests, NodeOfAConnection) {
  EXPECT_EQ(RefusalAfter([&] { connection().node = kFar; }), Says("a connection of no hosts"));
}

TEST_F(ForgedRequests, MessageOfACompletion) {
  EXPECT_EQ(RefusalAfter([&] { connection().completed[0].message = kFar; }),
            Says("a completion of no request"));
}

TEST_F(ForgedRequests, QueuePairOfACompletion) {
  EXPECT_EQ(RefusalAfter([&] { connection().completed[0].queue_pair = 4; }),
            Says("a completion of no request"));
}

TEST_F(ForgedRequests, RequestOfACompletion) {
  EXPECT_EQ(RefusalAfter([&] { connection().completed[0].request += 1000; }),
            Says("a share of no request"));
}

TEST_F(ForgedRequests, FreeMessageThatItsConnectionPosts) {
  EXPECT_EQ(RefusalAfter([&] {
              SavedMessage gone;
              gone.connection = kNone;
              gone.lasts = true;
              gone.left = 1;
              connection().posting = static_cast<std::uint32_t>(saved_.messages.size());
              saved_.free_messages.push_back(connection().posting);
              saved_.messages.push_back(gone);
            }),
            Says("a connection that posts no message"));
}

TEST_F(ForgedRequests, FreeMessageThatThereIsNot) {
  EXPECT_EQ(RefusalAfter([&] { saved_.free_messages.push_back(kFar); }),
            Says("a free message that there is not"));
}

}  // namespace
}  // namespace heddle::testing
