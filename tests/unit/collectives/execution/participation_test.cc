// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/participation.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

GroupFlow From(Participant source, std::uint32_t chunk, std::uint16_t channel = 0) {
  GroupFlow flow;
  flow.source = source;
  flow.destination = 9;
  flow.chunk = chunk;
  flow.channel = channel;
  return flow;
}

struct Receiver {
  Participation part;
  std::vector<std::uint32_t> chunks;  ///< of what was handed on

  void Take(const GroupFlow& flow, std::uint32_t turn) {
    part.TakeInOrder({flow, turn}, [&](const GroupFlow& one) { chunks.push_back(one.chunk); });
  }
};

TEST(Participation, HandsOnAConnectionsMessagesInOrder) {
  Receiver receiver;
  receiver.Take(From(1, 12), 2);
  receiver.Take(From(1, 11), 1);
  EXPECT_TRUE(receiver.chunks.empty());
  receiver.Take(From(1, 10), 0);
  EXPECT_EQ(receiver.chunks, (std::vector<std::uint32_t>{10, 11, 12}));
  EXPECT_TRUE(receiver.part.overtaking.empty());
}

TEST(Participation, ConnectionsDoNotWaitForEachOther) {
  Receiver receiver;
  receiver.Take(From(1, 11), 1);
  receiver.Take(From(2, 20), 0);
  receiver.Take(From(1, 30, 1), 0);
  EXPECT_EQ(receiver.chunks, (std::vector<std::uint32_t>{20, 30}));
  EXPECT_EQ(receiver.part.overtaking.size(), 1u);
}

TEST(Participation, TurnsWrapAround) {
  Receiver receiver;
  const GroupFlow first = From(1, 1), second = From(1, 2);
  receiver.part.received.FindOrInsert(Participation::StreamOf(first, 1), 0) =
      MessageName::kLastTurn;
  receiver.Take(second, 0);
  EXPECT_TRUE(receiver.chunks.empty());
  receiver.Take(first, MessageName::kLastTurn);
  EXPECT_EQ(receiver.chunks, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Participation, NumbersWhatIsSentByConnection) {
  Participation part;
  GroupFlow flow = From(0, 0);
  EXPECT_EQ(part.NextTurn(flow), 0u);
  EXPECT_EQ(part.NextTurn(flow), 1u);
  flow.channel = 1;
  EXPECT_EQ(part.NextTurn(flow), 0u);
  flow.destination = 8;
  EXPECT_EQ(part.NextTurn(flow), 0u);
  flow.connection = Connection::kPxnNet;
  EXPECT_EQ(part.NextTurn(flow), 0u);
}

}  // namespace
}  // namespace heddle
