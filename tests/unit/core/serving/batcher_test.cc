// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/batcher.h"

#include <gtest/gtest.h>

#include <utility>

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

/// Requests with prompts of so many tokens and these blocks.
ServingRequest Named(std::uint32_t input, std::vector<std::uint32_t> blocks) {
  return {Time{}, input, 100, std::move(blocks)};
}

/// Runs steps until a sequence of the answer's goal 1 has left, and frees it.
void ComputeAlone(Batcher* batcher, std::uint32_t request, std::int64_t tokens) {
  batcher->Queue(Prompt(request, tokens, 1));
  std::vector<Sequence> listed;
  while (listed.empty()) {
    ASSERT_GT(batcher->Form().tokens, 0);
    batcher->End(&listed);
  }
  batcher->Free(&listed[0]);
}

// 1,100 tokens are 2 whole blocks of 512; the second prompt has them, and a third one.
TEST(Batcher, APrefixIsNotComputedAgain) {
  const ServingRequests requests = {Named(1100, {1, 2}), Named(1600, {1, 2, 3})};
  Batcher batcher(Limits(8192), BlockPool(1000, 16), &requests);
  ComputeAlone(&batcher, 0, 1100);
  EXPECT_EQ(batcher.pool().taken(), 0);
  EXPECT_EQ(batcher.cache().idle(), 2U);
  batcher.Queue(Prompt(1, 1600));
  const StepWork work = batcher.Form();
  EXPECT_EQ(work.tokens, 1600 - 1024);
  EXPECT_EQ(work.kv_tokens, 1600);  // it reads what is there
  EXPECT_EQ(batcher.found(), (std::vector<std::int64_t>{1024}));
  EXPECT_EQ(batcher.pool().taken(), 100);
  EXPECT_EQ(batcher.CountHeld(), 100 - 64);
  EndOf(&batcher);
  EXPECT_EQ(batcher.cache().held(), 3U);
  EXPECT_EQ(batcher.CountHeld(), 4);  // 64 tokens of the prompt behind the third block
}

// Of 1,024 tokens that are all there the last 512 are computed, as the last one must be.
TEST(Batcher, TheLastTokenIsComputed) {
  const ServingRequests requests = {Named(1024, {1, 2}), Named(1024, {1, 2}), Named(1025, {1, 2})};
  Batcher batcher(Limits(8192), BlockPool(1000, 16), &requests);
  ComputeAlone(&batcher, 0, 1024);
  batcher.Queue(Prompt(1, 1024, 1));
  EXPECT_EQ(batcher.Form().tokens, 512);
  std::vector<Sequence> listed;
  batcher.End(&listed);
  EXPECT_EQ(batcher.cache().size(), 2U);
  EXPECT_EQ(listed[0].held, 0);  // the block that it computed again is kept once
  batcher.Free(&listed[0]);
  EXPECT_EQ(batcher.pool().taken(), 0);
  batcher.Queue(Prompt(2, 1025, 1));
  const StepWork work = batcher.Form();
  EXPECT_EQ(work.tokens, 1);
  EXPECT_FALSE(work.prefill);
}

// Two running prompts share the blocks of a third one that has gone: 2 x 32 blocks once, and 1
// each.
TEST(Batcher, RunningSequencesShareBlocks) {
  const ServingRequests requests = {Named(1024, {1, 2}), Named(1030, {1, 2}), Named(1030, {1, 2})};
  Batcher batcher(Limits(8192), BlockPool(1000, 16), &requests);
  ComputeAlone(&batcher, 0, 1024);
  batcher.Queue(Prompt(1, 1030, 2));
  batcher.Queue(Prompt(2, 1030, 2));
  EXPECT_EQ(batcher.Form().tokens, 12);
  EXPECT_EQ(batcher.pool().taken(), 64 + 2);
  EXPECT_EQ(batcher.cache().holders(1), 2);
  EndOf(&batcher);
  batcher.Form();
  std::vector<Sequence> listed;
  batcher.End(&listed);
  ASSERT_EQ(listed.size(), 2U);
  batcher.Free(&listed[0]);
  EXPECT_EQ(batcher.pool().taken(), 64 + 1);
  batcher.Free(&listed[1]);
  EXPECT_EQ(batcher.pool().taken(), 0);
  EXPECT_EQ(batcher.cache().idle(), 2U);
}

// Two equal prompts that are computed in one step: the second one's blocks are free at its end.
TEST(Batcher, EqualBlocksAreKeptOnce) {
  const ServingRequests requests = {Named(520, {1}), Named(520, {1})};
  Batcher batcher(Limits(8192), BlockPool(1000, 16), &requests);
  batcher.Queue(Prompt(0, 520));
  batcher.Queue(Prompt(1, 520));
  EXPECT_EQ(batcher.Form().tokens, 1040);
  EXPECT_EQ(batcher.pool().taken(), 66);
  EndOf(&batcher);
  EXPECT_EQ(batcher.pool().taken(), 32 + 2);
  EXPECT_EQ(batcher.cache().holders(1), 2);
}

// Memory of 4 blocks of prompts. Prompts 0 and 1 leave 2 each; prompt 2 needs 2 and 16 tokens, so
// the last two blocks of prompt 0 and one of prompt 1 go.
TEST(Batcher, TheOldestPrefixGoes) {
  const ServingRequests requests = {Named(1024, {1, 2}), Named(1024, {3, 4}), Named(1040, {5, 6}),
                                    Named(1030, {3, 4})};
  Batcher batcher(Limits(8192), BlockPool(128, 16), &requests);
  ComputeAlone(&batcher, 0, 1024);
  ComputeAlone(&batcher, 1, 1024);
  EXPECT_EQ(batcher.cache().idle(), 4U);
  ComputeAlone(&batcher, 2, 1040);
  EXPECT_EQ(batcher.cache().Match({1, 2}, 2), 0U);
  EXPECT_EQ(batcher.cache().Match({3, 4}, 2), 1U);
  EXPECT_EQ(batcher.cache().Match({5, 6}, 2), 2U);
  batcher.Queue(Prompt(3, 1030));
  EXPECT_EQ(batcher.Form().tokens, 1030 - 512);
}

// A preempted prompt finds its own blocks, unless they were needed.
TEST(Batcher, APreemptedSequenceFindsItsBlocks) {
  const ServingRequests requests = {Named(512, {1}), Named(512, {2})};
  Batcher batcher(Limits(8192), BlockPool(65, 16), &requests);
  batcher.Queue(Prompt(0, 512, 3));
  batcher.Queue(Prompt(1, 512, 3));
  EXPECT_EQ(batcher.Form().tokens, 1024);
  EndOf(&batcher);
  EXPECT_EQ(batcher.Form().tokens, 1);  // one block is free: for the first one's 513th token
  EXPECT_EQ(batcher.preempted(), (Requests{1}));
  EXPECT_EQ(batcher.cache().idle(), 1U);
  EndOf(&batcher);
  EXPECT_EQ(batcher.Form().tokens, 1);  // the second one waits for a block
  std::vector<Sequence> listed;
  batcher.End(&listed);
  batcher.Free(&listed[0]);
  const StepWork again = batcher.Form();
  EXPECT_EQ(again.tokens, 1);
  EXPECT_EQ(again.kv_tokens, 513);
}

// A decode instance that has blocks of a prompt needs room for the rest alone.
TEST(Batcher, ReservedSequencesShareBlocks) {
  const ServingRequests requests = {Named(1024, {1, 2}), Named(1024, {1, 2}), Named(1024, {1, 2})};
  Batcher batcher(Limits(100), BlockPool(1000, 16), &requests);
  Sequence first = Prompt(0, 1024, 1), second = Prompt(1, 1024, 1);
  first.computed = second.computed = 1023;
  ASSERT_TRUE(batcher.Reserve(&first));
  EXPECT_EQ(first.shared, 0U);
  batcher.Join(first);
  EXPECT_EQ(batcher.cache().held(), 1U);  // its second block has all tokens after the next step
  ASSERT_TRUE(batcher.Reserve(&second));
  EXPECT_EQ(second.shared, 1U);
  EXPECT_EQ(second.held, 32);
  EXPECT_EQ(batcher.pool().taken(), 32 + 32 + 32);
  EXPECT_EQ(batcher.Form().tokens, 1);
  EXPECT_EQ(EndOf(&batcher), (Requests{0}));
  EXPECT_EQ(batcher.cache().held(), 2U);
}

}  // namespace
}  // namespace heddle
