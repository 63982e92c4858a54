// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/lasting_connections.h"

#include <gtest/gtest.h>

#include "core/checkpoint/state_archive.h"

namespace heddle {
namespace {

using Turn = LastingConnections::Turn;

FlowPost MessageOn(std::uint32_t source, std::uint32_t destination, std::uint32_t connection,
                   std::int64_t size = 100) {
  FlowPost post;
  post.source = NodeId(source);
  post.destination = NodeId(destination);
  post.connection = connection;
  post.size = size;
  return post;
}

class LastingConnectionsTest : public ::testing::Test {
 protected:
  Turn Enter(FlowPost post, std::int64_t now, std::uint32_t queue_pairs = 1) {
    return connections_.Enter(&post, MicroSeconds(now), queue_pairs, &ports_[post.source.value]);
  }
  void Check(const std::vector<std::pair<std::uint32_t, NodeId>>& senders) {
    LastingConnections::Claims claims(connections_);
    for (const auto& [slot, destination] : senders) claims.Claim(slot, destination);
    connections_.Check(claims, [](const FlowPost&) {});
  }

  LastingConnections connections_;
  SourcePorts ports_[3];
};

TEST_F(LastingConnectionsTest, EachTakesItsPortsOnce) {
  EXPECT_EQ(Enter(MessageOn(0, 1, 5), 1, 2), Turn::kNow);
  EXPECT_EQ(Enter(MessageOn(0, 1, 6), 1, 2), Turn::kNow);
  EXPECT_EQ(Enter(MessageOn(0, 2, 5), 1, 2), Turn::kNow);
  EXPECT_EQ(Enter(MessageOn(2, 1, 5), 1, 2), Turn::kNow);
  EXPECT_EQ(Enter(MessageOn(0, 1, 5), 2, 2), Turn::kWaits);
  EXPECT_EQ(connections_.size(), 4u);
  EXPECT_EQ(connections_.first_port(0), 10000);
  EXPECT_EQ(connections_.first_port(1), 10002);
  EXPECT_EQ(connections_.first_port(2), 10000);  // ports count for each pair of hosts
  EXPECT_EQ(connections_.first_port(3), 10000);
  EXPECT_EQ(connections_.Find(MessageOn(0, 2, 5)), 2u);
  EXPECT_EQ(connections_.Find(MessageOn(1, 2, 5)), LastingConnections::kNone);
  EXPECT_EQ(connections_.Find(MessageOn(0, 1, FlowPost::kOwnConnection)),
            LastingConnections::kNone);
}

TEST_F(LastingConnectionsTest, MessagesLeaveInTheOrderInWhichTheyWereDue) {
  EXPECT_EQ(Enter(MessageOn(0, 1, 0, 10), 1), Turn::kNow);
  EXPECT_EQ(Enter(MessageOn(0, 1, 0, 20), 2), Turn::kWaits);
  EXPECT_EQ(Enter(MessageOn(0, 1, 1, 30), 2), Turn::kNow);  // another one is free
  EXPECT_EQ(Enter(MessageOn(0, 1, 0, 40), 3), Turn::kWaits);
  FlowPost next;
  ASSERT_TRUE(connections_.Leave(0, MicroSeconds(4), &next));
  EXPECT_EQ(next.size, 20);
  EXPECT_EQ(next.start, MicroSeconds(4));
  EXPECT_EQ(Enter(MessageOn(0, 1, 0, 50), 4), Turn::kWaits);
  ASSERT_TRUE(connections_.Leave(0, MicroSeconds(5), &next));
  EXPECT_EQ(next.size, 40);
  ASSERT_TRUE(connections_.Leave(0, MicroSeconds(6), &next));
  EXPECT_EQ(next.size, 50);
  EXPECT_FALSE(connections_.Leave(0, MicroSeconds(7), &next));
  EXPECT_EQ(Enter(MessageOn(0, 1, 0, 60), 7), Turn::kNow);
}

TEST_F(LastingConnectionsTest, NoneStartsBeforeTheOneBeforeHasLeft) {
  EXPECT_EQ(Enter(MessageOn(0, 1, 0), 1), Turn::kNow);
  FlowPost next;
  EXPECT_FALSE(connections_.Leave(0, MicroSeconds(9), &next));  // now it is 8
  FlowPost early = MessageOn(0, 1, 0);
  EXPECT_EQ(connections_.Enter(&early, MicroSeconds(8), 1, &ports_[0]), Turn::kLater);
  EXPECT_EQ(early.start, MicroSeconds(9));
  EXPECT_EQ(Enter(MessageOn(0, 1, 0), 8), Turn::kWaits);
}

TEST_F(LastingConnectionsTest, EqualStatesGiveEqualBytes) {
  for (std::int64_t size : {1, 2, 3, 4}) Enter(MessageOn(0, 1, 0, size), 1);
  Enter(MessageOn(0, 2, 0), 1);
  FlowPost next;
  connections_.Leave(0, MicroSeconds(2), &next);  // places of what waits are no longer 0, 1, ...
  Enter(MessageOn(0, 1, 0, 5), 2);
  StateWriter writer;
  writer << connections_;
  LastingConnections loaded;
  StateReader reader(writer.bytes().data(), writer.bytes().size());
  reader >> loaded;
  StateWriter again;
  again << loaded;
  EXPECT_EQ(writer.bytes(), again.bytes());
  for (const std::int64_t size : {3, 4, 5}) {
    ASSERT_TRUE(loaded.Leave(0, MicroSeconds(3), &next));
    EXPECT_EQ(next.size, size);
  }
  EXPECT_EQ(loaded.first_port(1), 10000);
}

TEST_F(LastingConnectionsTest, EveryConnectionIsFreeOrHasOneSender) {
  Enter(MessageOn(0, 1, 0), 1);
  Enter(MessageOn(0, 1, 0), 1);
  Enter(MessageOn(0, 2, 0), 1);
  FlowPost next;
  connections_.Leave(1, MicroSeconds(2), &next);
  EXPECT_NO_THROW(Check({{0, NodeId(1)}}));
  EXPECT_THROW(Check({}), UserError);
  EXPECT_THROW(Check({{0, NodeId(1)}, {0, NodeId(1)}}), UserError);
  EXPECT_THROW(Check({{0, NodeId(1)}, {1, NodeId(2)}}), UserError);
  EXPECT_THROW(Check({{0, NodeId(2)}}), UserError);
  EXPECT_THROW(Check({{0, NodeId(1)}, {2, NodeId(1)}}), UserError);
  EXPECT_THROW(Check({{0, NodeId(1)}, {LastingConnections::kNone, NodeId(1)}}), UserError);
}

}  // namespace
}  // namespace heddle
