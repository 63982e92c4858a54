// SPDX-License-Identifier: GPL-2.0-only
// On one rank, which sends to itself; tests/regression/runs/physical.sh has several.
#include "core/mpi/message_wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

namespace heddle {
namespace {

constexpr RankId kSelf{0};

std::vector<char> Text(std::int64_t bytes, int seed) {
  std::vector<char> text(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>((i * 7 + static_cast<std::size_t>(seed) * 31) % 251);
  return text;
}

/// Sends payloads of these sizes at once, and expects each with its header, in order.
void ExpectDelivery(MessageWire* wire, const std::vector<std::int64_t>& sizes) {
  std::vector<std::vector<char>> sent, got;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sent.push_back(Text(sizes[i], static_cast<int>(i)));
    got.emplace_back(static_cast<std::size_t>(sizes[i]));
  }
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t header[] = {i, sizes[i]};
    wire->Send(kSelf, header, sent[i].data(), sizes[i], i);
  }
  std::uint32_t next = 0;
  std::map<MessageWire::Ticket, int> left, arrived;
  for (int turn = 0; turn < 10'000'000 && left.size() + arrived.size() < 2 * sizes.size(); ++turn) {
    RankId from;
    std::int64_t header[2];
    if (wire->TakeHeader(&from, header)) {
      EXPECT_EQ(from, kSelf);
      ASSERT_EQ(header[0], next);
      ASSERT_EQ(header[1], sizes[next]);
      wire->Receive(got[next].data(), sizes[next], next);
      ++next;
    }
    MessageWire::Ticket ticket = 0;
    if (wire->TakeReceived(&ticket)) ++arrived[ticket];
    if (wire->TakeSent(&ticket)) ++left[ticket];
  }
  EXPECT_EQ(left.size(), sizes.size());
  EXPECT_EQ(arrived.size(), sizes.size());
  EXPECT_EQ(got, sent);
  EXPECT_EQ(wire->open(), 0u);
}

TEST(MessageWire, BringsHeadersInOrderAndPayloadsWhole) {
  MessageWire wire(2 * sizeof(std::int64_t));
  ExpectDelivery(&wire, {1, 1024, 1025, 3, 70'000, 1'000'003, 0, 5});
  ExpectDelivery(&wire, std::vector<std::int64_t>(200, 17));  // more than there are slots
}

TEST(MessageWire, DescribesLongPayloadsInBlocks) {
  MessageWire wire(2 * sizeof(std::int64_t), /*most_at_once=*/1000);
  ExpectDelivery(&wire, {5000, 5001, 999, 1'234'567, 2000});
}

TEST(MessageWire, CanEndWithMessagesUnderWay) {
  std::vector<char> payload(100'000);
  MessageWire wire(8);
  const std::int64_t header = 1;
  wire.Send(kSelf, &header, payload.data(), 100'000, 0);
  EXPECT_EQ(wire.open(), 1u);
}

}  // namespace
}  // namespace heddle
