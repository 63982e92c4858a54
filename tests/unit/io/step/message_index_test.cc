// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/message_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace heddle {
namespace {

constexpr std::size_t kNone = MessageIndex::kNone;

struct IndexedFlow {
  std::uint32_t src, dst, operation;
  std::int64_t start, fct;
  std::int64_t received = -1;  ///< -1: as fct
  std::uint16_t channel = 0, job = 0;
};

Table IndexedFlows(const std::vector<IndexedFlow>& rows) {
  std::vector<std::uint16_t> job, channel;
  std::vector<std::uint32_t> src, dst, operation;
  std::vector<std::int64_t> start, fct, received;
  for (const IndexedFlow& row : rows) {
    job.push_back(row.job);
    channel.push_back(row.channel);
    src.push_back(row.src);
    dst.push_back(row.dst);
    operation.push_back(row.operation);
    start.push_back(row.start);
    fct.push_back(row.fct);
    received.push_back(row.received < 0 ? row.fct : row.received);
  }
  return {"flows",
          "",
          {{"job", "1", "", job},
           {"channel", "1", "", channel},
           {"src", "1", "", src},
           {"dst", "1", "", dst},
           {"operation", "1", "", operation},
           {"start_ps", "ps", "", start},
           {"fct_ps", "ps", "", fct},
           {"received_ps", "ps", "", received}}};
}

// To GPU 1 in operation 4: rows done at 30, 50 and 50.
TEST(MessageIndex, FindsTheLastThatWasDoneAtATime) {
  const Table flows =
      IndexedFlows({{0, 1, 4, 10, 40}, {2, 1, 4, 10, 20}, {3, 1, 4, 20, 30, -1, 1}});
  const MessageIndex index(flows, 0, false);
  EXPECT_EQ(index.LastReceived(4, 1, 29), kNone);
  EXPECT_EQ(index.LastReceived(4, 1, 30), 1u);
  EXPECT_EQ(index.LastReceived(4, 1, 49), 1u);
  EXPECT_EQ(index.LastReceived(4, 1, 50), 2u) << "of equal ones the last row, on any channel";
  EXPECT_EQ(index.LastReceived(4, 0, 99), kNone) << "it received nothing";
  EXPECT_EQ(index.LastReceived(3, 1, 99), kNone) << "another operation";
  EXPECT_EQ(index.LastSent(4, 2, 99), 1u);
  EXPECT_EQ(index.LastSent(4, 1, 99), kNone);
  EXPECT_EQ(index.source(0), 0u);
  EXPECT_EQ(index.destination(0), 1u);
  EXPECT_EQ(index.start_ps(2), 20);
  EXPECT_EQ(index.end_ps(2), 50);
}

// Received after 35 ps, acknowledged after 40.
TEST(MessageIndex, AMessageIsDoneByItsLastByteOrItsLastAck) {
  const Table flows = IndexedFlows({{0, 1, 0, 10, 40, 35}});
  EXPECT_EQ(MessageIndex(flows, 0, false).end_ps(0), 50);
  EXPECT_EQ(MessageIndex(flows, 0, true).end_ps(0), 45);
  EXPECT_EQ(MessageIndex(flows, 0, true).LastReceived(0, 1, 45), 0u);
  EXPECT_EQ(MessageIndex(flows, 0, false).LastReceived(0, 1, 45), kNone);
}

TEST(MessageIndex, HasOnlyMessagesOfItsJobThatFinished) {
  const Table flows = IndexedFlows({{0, 1, 0, 10, -1},
                                    {0, 1, 0, 10, 40, -1, 0, 1},
                                    {0, 1, 0, -5, 40},
                                    {0, 1, 0, std::numeric_limits<std::int64_t>::max(), 40}});
  EXPECT_TRUE(MessageIndex(flows, 0, false).empty());
  EXPECT_FALSE(MessageIndex(flows, 1, false).empty());
  EXPECT_EQ(MessageIndex(flows, 1, false).LastReceived(0, 1, 99), 1u);
  EXPECT_TRUE(MessageIndex(IndexedFlows({}), 0, false).empty());
}

// GPU 1 sends row 3 at 50 on channel 0: row 0 came at 40 on it, row 1 at 45 on another, row 2
// at 60.
TEST(MessageIndex, AParentCameOnTheSameChannelBeforeItsChildWasSent) {
  const Table flows = IndexedFlows({{0, 1, 0, 10, 30},
                                    {0, 1, 0, 10, 35, -1, 1},
                                    {0, 1, 0, 10, 50},
                                    {1, 2, 0, 50, 10},
                                    {1, 2, 0, 39, 10},
                                    {1, 2, 1, 50, 10}});
  const MessageIndex index(flows, 0, false);
  EXPECT_EQ(index.ParentOf(3), 0u);
  EXPECT_EQ(index.ParentOf(4), kNone) << "sent before anything came";
  EXPECT_EQ(index.ParentOf(5), kNone) << "another operation";
  EXPECT_EQ(index.ParentOf(0), kNone);
}

TEST(MessageIndex, TheEarlierMessageIsOfTheSameEndsAndChannel) {
  const Table flows = IndexedFlows({{0, 1, 0, 10, 30},
                                    {0, 2, 0, 15, 30},
                                    {0, 1, 0, 18, 30, -1, 1},
                                    {0, 1, 0, 20, 30},
                                    {0, 1, 0, 20, 30}});
  const MessageIndex index(flows, 0, false);
  EXPECT_EQ(index.Earlier(3), 0u);
  EXPECT_EQ(index.Earlier(4), 0u) << "none that began together";
  EXPECT_EQ(index.Earlier(0), kNone);
  EXPECT_EQ(index.Earlier(1), kNone);
  EXPECT_EQ(index.Earlier(2), kNone);
}

// It arrived after 35 and its ACK after 40: the ACK took 5, so the last byte left 5 before 35.
TEST(MessageIndex, TheLastByteLeftAsLongBeforeAsItsAckTook) {
  const Table flows = IndexedFlows({{0, 1, 0, 10, 40, 35}, {0, 1, 0, 10, 40, 15}});
  const MessageIndex index(flows, 0, false);
  EXPECT_EQ(index.left_ps(0), 10 + 30);
  EXPECT_EQ(index.left_ps(1), 10) << "not before it began";
}

}  // namespace
}  // namespace heddle
