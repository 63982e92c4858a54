// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/message_split.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/traffic/flow_agent.h"

namespace heddle {
namespace {

TEST(MessageSplit, PartsAreEqualButTheLast) {
  const MessageSplit split{4, false};
  FlowPost message;
  message.size = 10;
  message.numbers = {7, 2, 65534};
  std::vector<std::int64_t> sizes;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint16_t> ports;
  split.ForEachFlow(message, [&](const FlowPost& flow) {
    sizes.push_back(flow.size);
    numbers.push_back(flow.numbers.number);
    ports.push_back(flow.numbers.source_port);
    EXPECT_EQ(flow.numbers.message, 2u);
  });
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{3, 3, 3, 1}));
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{7, 8, 9, 10}));
  EXPECT_EQ(ports, (std::vector<std::uint16_t>{65534, 65535, 0, 1}));  // 16 bits
}

TEST(MessageSplit, NumbersThatAreNotGivenStayUnknown) {
  FlowPost message;
  message.size = 2;
  int flows = 0;
  MessageSplit{2, false}.ForEachFlow(message, [&](const FlowPost& flow) {
    EXPECT_FALSE(flow.numbers.given());
    ++flows;
  });
  EXPECT_EQ(flows, 2);
}

TEST(MessageSplit, CountsTheFlowsThatItVisits) {
  for (std::int64_t pairs = 1; pairs <= 9; ++pairs) {
    for (std::int64_t bytes = 1; bytes <= 30; ++bytes) {
      const MessageSplit split{pairs, false};
      FlowPost message;
      message.size = bytes;
      std::int64_t flows = 0, sum = 0;
      split.ForEachFlow(message, [&](const FlowPost& flow) {
        EXPECT_GT(flow.size, 0);
        EXPECT_LE(flow.size, split.PartOf(bytes));
        ++flows;
        sum += flow.size;
      });
      EXPECT_EQ(sum, bytes);
      EXPECT_EQ(flows, split.FlowsOf(bytes));
      EXPECT_LE(flows, pairs);
      EXPECT_EQ(split.NumbersOf(bytes), flows);
      EXPECT_EQ((MessageSplit{pairs, true}.NumbersOf(bytes)), pairs);
    }
  }
}

}  // namespace
}  // namespace heddle
