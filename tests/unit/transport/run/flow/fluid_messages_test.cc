// SPDX-License-Identifier: GPL-2.0-only
/// Posts of fluids: what a message between domains keeps of them, and the order in which they
/// start.
#include "transport/run/flow/fluid_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "transport/run/flow/fluid_post.h"

namespace heddle {
namespace {

FlowPost SomePost() {
  FlowPost post;
  post.start = post.asked = MicroSeconds(7);
  post.source = NodeId(3);
  post.destination = NodeId(90'000);
  post.size = std::int64_t{1} << 35;
  post.order = ~std::uint64_t{0} - 5;
  for (std::size_t i = 0; i < sizeof post.cookie.bytes; ++i)
    post.cookie.bytes[i] = static_cast<unsigned char>(200 + i);
  post.origin = {17, 18, 19, 20};
  post.priority = 5;
  post.destination_port = 4791;
  post.numbers = {21, 22, 23};
  post.connection = 24;
  post.on_arrival = true;
  return post;
}

TEST(FluidPost, KeepsAllThatFluidsNeed) {
  const FlowPost post = SomePost();
  const FlowPost read = PostOf(Cargo::Of(FluidPost::Of(post)), FluidPostTail::Of(post));
  EXPECT_EQ(read.start, post.start);
  EXPECT_EQ(read.source, post.source);
  EXPECT_EQ(read.destination, post.destination);
  EXPECT_EQ(read.size, post.size);
  EXPECT_EQ(read.order, post.order);
  EXPECT_EQ(0, std::memcmp(read.cookie.bytes, post.cookie.bytes, sizeof read.cookie.bytes));
  EXPECT_EQ(read.origin.operation, 17U);
  EXPECT_EQ(read.origin.chunk, 18U);
  EXPECT_EQ(read.origin.channel, 19);
  EXPECT_EQ(read.origin.job, 20);
  EXPECT_EQ(read.priority, post.priority);
  EXPECT_EQ(read.destination_port, post.destination_port);
  EXPECT_EQ(read.numbers.number, 21U);
  EXPECT_EQ(read.numbers.message, 22U);
  EXPECT_EQ(read.numbers.source_port, 23);
  EXPECT_EQ(read.connection, post.connection);
  EXPECT_TRUE(read.on_arrival);
}

TEST(FluidPost, IsARowForEachFlowOfATrace) {
  FlowPost post = SomePost();
  std::vector<FlowRecord> rows;
  AddRows({4, false}, post, &rows);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[3].flow.number, 24U);
  post.numbers = {};
  AddRows({4, false}, post, &rows);
  EXPECT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[4].state, FlowState::kNotStarted);
}

TEST(FluidStarts, ComeInAnOrderThatDoesNotDependOnWhenTheyWerePosted) {
  std::vector<FlowPost> posts;
  for (std::uint32_t i = 0; i < 64; ++i) {
    FlowPost post;
    post.start = MicroSeconds(i / 16);
    post.source = NodeId(i / 4 % 4);
    post.order = i / 2 % 2;
    post.cookie = {};
    post.cookie.bytes[0] = static_cast<unsigned char>(i % 2);
    post.size = i + 1;
    posts.push_back(post);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<FlowPost> mixed = posts;
    std::shuffle(mixed.begin(), mixed.end(), random);
    FluidStarts starts;
    for (const FlowPost& post : mixed) starts.Add(post, post.size % 3 == 0);
    for (std::int64_t size = 1; size <= 64; ++size) {
      ASSERT_EQ(starts.first(), posts[static_cast<std::size_t>(size - 1)].start);
      const FluidStarts::Item item = starts.Take();
      ASSERT_EQ(item.flow.size, size);
      ASSERT_EQ(item.has_turn, size % 3 == 0);
    }
    EXPECT_TRUE(starts.empty());
  }
}

}  // namespace
}  // namespace heddle
