// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/batcher.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Sequence Prompt(std::uint32_t request, std::int64_t tokens, std::int64_t answer = 100) {
  Sequence sequence;
  sequence.request = request;
  sequence.tokens = tokens;
  sequence.goal = answer;
  return sequence;
}

BatchLimits Limits(std::int64_t budget, std::int64_t running = 100) {
  BatchLimits limits;
  limits.token_budget = budget;
  limits.most_running = running;
  return limits;
}

std::vector<std::uint32_t> EndOf(Batcher* batcher) {
  std::vector<Sequence> listed;
  batcher->End(&listed);
  std::vector<std::uint32_t> requests;
  for (const Sequence& sequence : listed) requests.push_back(sequence.request);
  return requests;
}

using Requests = std::vector<std::uint32_t>;

// Prompts of 60, 50 and 20 tokens into steps of 100: 60 + 40, then a token of the first one, the
// last 10 of the second, and the third.
TEST(Batcher, ABatchFillsTheBudget) {
  Batcher batcher(Limits(100), BlockPool(1000, 16));
  for (const auto& [request, tokens] : {std::pair{0, 60}, {1, 50}, {2, 20}})
    batcher.Queue(Prompt(static_cast<std::uint32_t>(request), tokens));
  const StepWork first = batcher.Form();
  EXPECT_EQ(first.tokens, 100);
  EXPECT_EQ(first.attention, 60 * 60 + 40 * 40);
  EXPECT_EQ(batcher.begun(), (Requests{0, 1}));
  EXPECT_EQ(EndOf(&batcher), (Requests{0}));
  const StepWork second = batcher.Form();
  EXPECT_EQ(second.tokens, 1 + 10 + 20);
  EXPECT_EQ(second.kv_tokens, 61 + 50 + 20);
  EXPECT_TRUE(second.prefill);
  EXPECT_EQ(EndOf(&batcher), (Requests{0, 1, 2}));
  const StepWork third = batcher.Form();
  EXPECT_EQ(third.tokens, 3);
  EXPECT_FALSE(third.prefill);
}

TEST(Batcher, LongPromptsAreCut) {
  BatchLimits limits = Limits(100);
  limits.longest_chunk = 30;
  Batcher batcher(limits, BlockPool(1000, 16));
  batcher.Queue(Prompt(0, 80));
  batcher.Queue(Prompt(1, 20));
  EXPECT_EQ(batcher.Form().tokens, 50);
  EndOf(&batcher);
  EXPECT_EQ(batcher.Form().tokens, 31);
}

TEST(Batcher, WithoutChunksAPromptWaitsForAWholeStep) {
  BatchLimits limits = Limits(100);
  limits.chunked = false;
  Batcher batcher(limits, BlockPool(1000, 16));
  batcher.Queue(Prompt(0, 60));
  batcher.Queue(Prompt(1, 50));
  batcher.Queue(Prompt(2, 10));  // first come, first served: it does not overtake
  EXPECT_EQ(batcher.Form().tokens, 60);
  EndOf(&batcher);
  EXPECT_EQ(batcher.Form().tokens, 61);
}

TEST(Batcher, PlacesLimit) {
  Batcher batcher(Limits(1000, 2), BlockPool(1000, 16));
  for (std::uint32_t i = 0; i < 3; ++i) batcher.Queue(Prompt(i, 10, 1));
  EXPECT_EQ(batcher.Form().sequences, 2U);
  EXPECT_EQ(EndOf(&batcher), (Requests{0, 1}));
  EXPECT_EQ(batcher.Form().sequences, 1U);
}

// 4 blocks of 4 tokens. Two prompts of 8 fill them; for its 9th token the first one needs a block,
// so the second is preempted, and computes its 9 tokens again when the first has gone.
TEST(Batcher, TheLastOneIsPreempted) {
  Batcher batcher(Limits(100), BlockPool(4, 4));
  batcher.Queue(Prompt(0, 8, 3));
  batcher.Queue(Prompt(1, 8, 3));
  batcher.Queue(Prompt(2, 4, 3));
  EXPECT_EQ(batcher.Form().tokens, 16);
  EXPECT_EQ(EndOf(&batcher), (Requests{0, 1}));
  const StepWork crowded = batcher.Form();
  EXPECT_EQ(batcher.preempted(), (Requests{1}));
  EXPECT_EQ(crowded.tokens, 1);  // nobody new in a step that preempts
  EXPECT_EQ(batcher.pool().taken(), 3);
  EXPECT_EQ(EndOf(&batcher), (Requests{0}));
  EXPECT_EQ(batcher.Form().tokens, 1);  // the head of the queue needs 3 blocks, one is free
  std::vector<Sequence> listed;
  batcher.End(&listed);
  ASSERT_EQ(listed.size(), 1U);
  batcher.Free(&listed[0]);
  EXPECT_EQ(batcher.pool().taken(), 0);
  const StepWork again = batcher.Form();
  EXPECT_EQ(again.tokens, 9 + 4);
  EXPECT_EQ(batcher.begun(), (Requests{1, 2}));
  EXPECT_EQ(batcher.CountHeld(), batcher.pool().taken());
}

// One sequence that outgrows what others keep preempts itself, and waits.
TEST(Batcher, AloneItPreemptsItself) {
  Batcher batcher(Limits(100), BlockPool(4, 4));
  Sequence arriving = Prompt(7, 8);
  arriving.computed = 7;
  ASSERT_TRUE(batcher.Reserve(&arriving));
  batcher.Queue(Prompt(0, 8));
  EXPECT_EQ(batcher.Form().tokens, 8);
  EndOf(&batcher);
  EXPECT_EQ(batcher.Form().tokens, 0);
  EXPECT_EQ(batcher.waiting(), 1U);
  EXPECT_EQ(batcher.pool().taken(), 2);
  Sequence more = Prompt(8, 2);
  more.computed = 1;
  EXPECT_FALSE(batcher.Reserve(&more));  // the preempted one is first
  batcher.Join(arriving);
  EXPECT_EQ(batcher.Form().tokens, 1);  // its 9 tokens need 3 blocks, 2 are free
}

TEST(Batcher, ReservedPlacesCount) {
  Batcher batcher(Limits(100, 1), BlockPool(100, 4));
  Sequence first = Prompt(0, 10), second = Prompt(1, 10);
  first.computed = second.computed = 9;
  ASSERT_TRUE(batcher.Reserve(&first));
  EXPECT_EQ(first.held, 3);
  EXPECT_FALSE(batcher.Reserve(&second));
  EXPECT_FALSE(batcher.has_work());
  batcher.Join(first);
  const StepWork work = batcher.Form();
  EXPECT_EQ(work.tokens, 1);
  EXPECT_FALSE(work.prefill);
}

}  // namespace
}  // namespace heddle
