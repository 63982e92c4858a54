// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/physical/due_posts.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

FlowPost PostAt(std::int64_t asked, std::uint64_t order, std::int64_t size) {
  FlowPost post;
  MessageSlice slice;
  post.asked = NanoSeconds(asked);
  post.start = NanoSeconds(asked + 6000);  // a modelled latency, which does not count
  post.order = order;
  post.size = size;
  return post;
}

TEST(DuePosts, GivesMessagesByTimeThenOrderThenPosting) {
  DuePosts posts;
  EXPECT_EQ(posts.next(), Time::Max());
  posts.Post(PostAt(20, 1, 4));
  posts.Post(PostAt(10, 2, 2));
  posts.Post(PostAt(10, 2, 3));
  posts.Post(PostAt(10, 1, 1));
  EXPECT_EQ(posts.next(), NanoSeconds(10));
  FlowPost post;
  MessageSlice slice;
  EXPECT_FALSE(posts.TakeFlow(NanoSeconds(9), &post, &slice));
  for (const std::int64_t size : {1, 2, 3}) {
    ASSERT_TRUE(posts.TakeFlow(NanoSeconds(15), &post, &slice));
    EXPECT_EQ(post.size, size);
  }
  EXPECT_FALSE(posts.TakeFlow(NanoSeconds(19), &post, &slice));
  EXPECT_EQ(posts.next(), NanoSeconds(20));
  ASSERT_TRUE(posts.TakeFlow(NanoSeconds(20), &post, &slice));
  EXPECT_EQ(posts.next(), Time::Max());
}

TEST(DuePosts, WakesOnceForEachTime) {
  DuePosts posts;
  posts.WakeAt(NanoSeconds(7));
  posts.WakeAt(NanoSeconds(3));
  EXPECT_EQ(posts.next(), NanoSeconds(3));
  EXPECT_FALSE(posts.TakeWake(NanoSeconds(2)));
  EXPECT_TRUE(posts.TakeWake(NanoSeconds(5)));
  EXPECT_FALSE(posts.TakeWake(NanoSeconds(5)));
  EXPECT_TRUE(posts.TakeWake(NanoSeconds(7)));
  EXPECT_EQ(posts.next(), Time::Max());
}

}  // namespace
}  // namespace heddle
