// SPDX-License-Identifier: GPL-2.0-only
/// PathClient over the state of a domain that does nothing by itself; the controller is domain 1.
/// Hosts 0 and 1 are at one leaf, 2 and 3 at the other; between them are two spines.
#include "transport/domain/host/path_client.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

constexpr std::uint16_t kOwnPort = 10000;

TransportOptions WithLatency() {
  TransportOptions options;
  options.controller.latency = MicroSeconds(2);
  return options;
}

/// The link of host 1 goes down.
std::vector<LinkEvent> PathClientCutOff() {
  return {{MicroSeconds(20), LinkId(1), LinkEvent::Kind::kDown, {}}};
}

class PathClientTest : public ::testing::Test {
 protected:
  PathClientTest() {
    fabric_.context().controller = DomainId(1);
    flow_.source = NodeId(0);
    flow_.destination = NodeId(2);
    flow_.size = 9000;
    flow_.asked = MicroSeconds(9);
    flow_.start = MicroSeconds(12);
  }
  bool Asks(std::uint32_t from, std::uint32_t to, Time asked) {
    return PathClient::Asks(fabric_.context(), NodeId(from), NodeId(to), asked);
  }
  /// Question `index` to the controller.
  template <class Question>
  Question Sent(std::size_t index) {
    Question question;
    std::memcpy(static_cast<void*>(&question), fabric_.SentAway().at(index).message.cargo.bytes,
                sizeof question);
    return question;
  }
  PathClient::Answered Answer(std::uint32_t request, std::uint16_t port, bool remembered = false) {
    PathAnswer answer;
    answer.id = {NodeId(0), request};
    answer.source_port = port;
    answer.remembered = remembered ? 1 : 0;
    const std::uint32_t slot = state_.cargo().Allocate();
    std::memcpy(state_.cargo()[slot].bytes, &answer, sizeof answer);
    return client_.TakeAnswer(state_, slot);
  }
  void Ask(std::int64_t parts) { client_.Ask(state_, flow_, parts, &next_request_); }
  /// The grant of a message of one queue pair that the controller has answered.
  std::uint32_t Granted(std::uint16_t port, bool remembered = false) {
    const std::uint32_t request = next_request_;
    Ask(1);
    return Answer(request, port, remembered).start.value().grant;
  }
  void Check(PathClient::Claims* claims) {
    int posts = 0;
    client_.Check(state_, claims, [&](const FlowPost& flow, const PathClient::Node& node) {
      ++posts;
      EXPECT_EQ(flow.source, node.id);
    });
    EXPECT_EQ(posts, waiting_);
  }

  testing::OneDomain fabric_{testing::LeafSpine{2, 2, 2}.Build(), WithLatency(),
                             PathClientCutOff()};
  DomainState& state_ = fabric_.state();
  PathClient& client_ = fabric_.parts().paths;
  FlowPost flow_;
  std::uint32_t next_request_ = 0;
  int waiting_ = 0;  ///< messages without an answer
};

TEST_F(PathClientTest, AsksWhereAPortChoosesOrThereIsNoWay) {
  EXPECT_TRUE(Asks(0, 2, MicroSeconds(10)));
  EXPECT_FALSE(Asks(0, 1, MicroSeconds(10)));  // one way only
  EXPECT_TRUE(Asks(0, 1, MicroSeconds(30)));   // none now
  fabric_.context().controller = DomainId();
  EXPECT_FALSE(Asks(0, 2, MicroSeconds(10)));
}

TEST_F(PathClientTest, EachQueuePairAsksOnceFromTheHandOverOn) {
  Ask(3);
  ASSERT_EQ(fabric_.SentAway().size(), 3u);
  for (std::uint32_t part = 0; part < 3; ++part) {
    const auto request = Sent<PathRequest>(part);
    EXPECT_EQ(request.id.source, NodeId(0));
    EXPECT_EQ(request.id.number, part);
    EXPECT_EQ(request.destination, NodeId(2));
    EXPECT_EQ(request.start, flow_.start);
    EXPECT_EQ(fabric_.SentAway()[part].message.time, MicroSeconds(11));
  }
  EXPECT_EQ(next_request_, 3u);
}

TEST_F(PathClientTest, APostWithNumbersAsksByItsOwn) {
  flow_.numbers.number = 77;
  Ask(1);
  EXPECT_EQ(Sent<PathRequest>(0).id.number, 77u);
  EXPECT_EQ(next_request_, 0u);
}

TEST_F(PathClientTest, AMessageStartsWithItsLastAnswer) {
  Ask(2);
  EXPECT_FALSE(Answer(1, 7).start);
  const auto start = Answer(0, 5).start;
  ASSERT_TRUE(start);
  EXPECT_EQ(start->flow.start, MicroSeconds(12));
  EXPECT_EQ(client_.RequestOf(start->grant), 0u);
  const std::uint32_t second = client_.Next(start->grant);
  EXPECT_EQ(client_.RequestOf(second), 1u);
  EXPECT_EQ(client_.Next(second), PathClient::kNone);
  EXPECT_EQ(client_.Use(start->grant, 0, kOwnPort), 5);
  EXPECT_EQ(client_.Use(second, 1, kOwnPort), 7);
}

TEST_F(PathClientTest, AnAnswerAfterTheStartDelaysIt) {
  Ask(1);
  state_.clock().now = MicroSeconds(15);
  EXPECT_EQ(Answer(0, 5).start.value().flow.start, MicroSeconds(15));
}

TEST_F(PathClientTest, WithoutAPortOfTheControllersTheHostUsesItsOwn) {
  EXPECT_EQ(client_.Use(Granted(0), 0, kOwnPort), kOwnPort);
  EXPECT_EQ(client_.HeldPaths(), 0u);
}

TEST_F(PathClientTest, ALaterAnswerMovesAFlowUnderWay) {
  const std::uint32_t grant = Granted(5);
  const PathClient::Answered before = Answer(0, 6);  // it has not started
  EXPECT_FALSE(before.start);
  EXPECT_EQ(before.queue_pair, PathClient::kNone);
  EXPECT_EQ(client_.Use(grant, 3, kOwnPort), 6);
  const PathClient::Answered moved = Answer(0, 8);
  EXPECT_EQ(moved.queue_pair, 3u);
  EXPECT_EQ(moved.source_port, 8);
  EXPECT_EQ(Answer(0, 0).source_port, kOwnPort);
}

TEST_F(PathClientTest, AnAnswerForAFlowThatHasEndedChangesNothing) {
  client_.GiveBack(state_, Granted(5));
  const PathClient::Answered late = Answer(0, 6);
  EXPECT_FALSE(late.start);
  EXPECT_EQ(late.queue_pair, PathClient::kNone);
  EXPECT_EQ(state_.cargo().used(), 0u);
}

TEST_F(PathClientTest, WhatTheControllerRemembersIsGivenBack) {
  const std::uint32_t remembered = Granted(5, true), forgotten = Granted(6);
  EXPECT_EQ(client_.HeldPaths(), 2u);
  client_.GiveBack(state_, forgotten);
  EXPECT_EQ(fabric_.SentAway().size(), 2u);  // the requests
  client_.GiveBack(state_, remembered);
  ASSERT_EQ(fabric_.SentAway().size(), 3u);
  EXPECT_EQ(Sent<PathRelease>(2).id.number, 0u);
  EXPECT_EQ(fabric_.SentAway()[2].message.time, state_.now() + MicroSeconds(2));
  EXPECT_EQ(client_.HeldPaths(), 0u);
}

TEST_F(PathClientTest, MessagesThatWaitAreListedOnce) {
  Ask(2);
  flow_.size = 18000;
  Ask(3);
  Answer(0, 5);
  std::vector<std::int64_t> sizes;
  const auto list = [&](const FlowPost& flow, std::uint32_t) { sizes.push_back(flow.size); };
  client_.ForEachAsking(list);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{9000, 18000}));
  Answer(1, 5);
  sizes.clear();
  client_.ForEachAsking(list);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{18000}));
}

TEST_F(PathClientTest, EveryGrantHasOneOwner) {
  const std::uint32_t started = Granted(5), ready = Granted(6);
  client_.Use(started, 4, kOwnPort);
  Ask(2);
  waiting_ = 1;
  PathClient::Claims claims(client_);
  claims.ClaimStarted(started, 4, NodeId(0));
  EXPECT_EQ(claims.ClaimMessage(ready), 0u);
  EXPECT_NO_THROW(Check(&claims));
  EXPECT_THROW(claims.ClaimMessage(ready), UserError);  // a second one
}

TEST_F(PathClientTest, AGrantOfNobodyIsRefused) {
  Granted(5);
  PathClient::Claims claims(client_);
  EXPECT_THROW(Check(&claims), UserError);
}

TEST_F(PathClientTest, AGrantOfAnotherFlowIsRefused) {
  const std::uint32_t grant = Granted(5);
  client_.Use(grant, 4, kOwnPort);
  const auto claim = [&](std::uint32_t queue_pair, std::uint32_t source) {
    PathClient::Claims(client_).ClaimStarted(grant, queue_pair, NodeId(source));
  };
  EXPECT_NO_THROW(claim(4, 0));
  EXPECT_THROW(claim(5, 0), UserError);
  EXPECT_THROW(claim(4, 1), UserError);
  EXPECT_THROW(PathClient::Claims(client_).ClaimMessage(grant), UserError);
}

TEST_F(PathClientTest, AFlowThatStartedWithoutAnAnswerIsRefused) {
  Ask(1);
  client_.Use(0, 4, kOwnPort);
  EXPECT_THROW(PathClient::Claims(client_).ClaimStarted(0, 4, NodeId(0)), UserError);
}

}  // namespace
}  // namespace heddle
