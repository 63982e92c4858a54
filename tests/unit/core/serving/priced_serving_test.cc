// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/priced_serving.h"

#include <gtest/gtest.h>

#include "core/serving/model/request_law.h"
#include "core/serving/serving_figures.h"
#include "tests/support/serving/small_plan.h"

namespace heddle {
namespace {

using testing::PlanOf;
using testing::Serve;
using testing::Served;
using testing::StepOf;

constexpr InstanceRole kMixed = InstanceRole::kMixed, kPrefill = InstanceRole::kPrefill,
                       kDecode = InstanceRole::kDecode;

// One request alone: its prompt, then a step a token.
TEST(PricedServing, OneRequestInAMixedInstance) {
  const Time start = MicroSeconds(50);
  const Served served = Serve(PlanOf({kMixed}), {{start, 100, 3}});
  const RequestTimes& times = served.times[0];
  EXPECT_EQ(times.begun, start);
  EXPECT_EQ(times.computed, start + Time{StepOf(0, 100, true)});
  EXPECT_EQ(times.first, times.computed);
  EXPECT_EQ(times.last, times.first + Time{StepOf(100, 1, false) + StepOf(101, 1, false)});
  EXPECT_EQ(served.sent, 0);
  EXPECT_EQ(served.totals[0].computed, 102);
}

// TTFT = prefill + offer + grant + transfer + the first step of the decode instance.
TEST(PricedServing, OneRequestThroughTwoInstances) {
  const Served served = Serve(PlanOf({kPrefill, kDecode}), {{Time{}, 100, 3}});
  const RequestTimes& times = served.times[0];
  const std::int64_t kv = 7 * 16 * 4;  // 100 tokens in 7 blocks, 4 bytes a token
  EXPECT_EQ(served.sent, kv);
  EXPECT_EQ(times.computed, Time{StepOf(0, 100, true)});
  EXPECT_EQ(times.granted, times.computed + MicroSeconds(3));
  EXPECT_EQ(times.sending, times.granted + MicroSeconds(3));
  EXPECT_EQ(times.arrived, times.sending + MicroSeconds(3) + Time{10 * kv});
  EXPECT_EQ(times.first, times.arrived + Time{StepOf(99, 1, false)});
  EXPECT_EQ(times.last, times.first + Time{StepOf(100, 1, false) + StepOf(101, 1, false)});
  EXPECT_EQ(times.state, RequestState::kFinished);
}

// The prefill instance's token is passed on: the user sees it at once, and the decode instance
// begins with the second one.
TEST(PricedServing, TheFirstTokenIsPassedOn) {
  ServingPlan plan = PlanOf({kPrefill, kDecode});
  plan.first_token = FirstToken::kPrefill;
  const Served served = Serve(plan, {{Time{}, 100, 3}, {MicroSeconds(5000), 100, 1}});
  const RequestTimes& times = served.times[0];
  EXPECT_EQ(times.first, times.computed);
  const Time second = times.arrived + Time{StepOf(100, 1, false)};
  EXPECT_EQ(times.last, second + Time{StepOf(101, 1, false)});
  const TokenGaps gaps = {{(second - times.first).ps, 1}, {StepOf(101, 1, false), 1}};
  EXPECT_EQ(served.gaps, gaps);
  EXPECT_EQ(served.times[1].state, RequestState::kFinished);  // a single token: nothing is sent
  EXPECT_LT(served.times[1].arrived, Time{});
}

// The second waits for the step of the first.
TEST(PricedServing, RequestsQueueForAStep) {
  const Served served = Serve(PlanOf({kMixed}), {{Time{}, 100, 1}, {Time{1}, 50, 1}});
  EXPECT_EQ(served.times[1].begun, served.times[0].last);
  EXPECT_EQ(served.times[1].first, served.times[0].last + Time{StepOf(0, 50, true)});
}

// What comes at one time is in one step, whatever the step before.
TEST(PricedServing, RequestsOfOneTimeShareAStep) {
  const Served served = Serve(PlanOf({kMixed}), {{Time{}, 10, 1}, {Time{}, 20, 1}});
  EXPECT_EQ(served.totals[0].steps, 1);
  EXPECT_EQ(served.times[0].first, Time{2000 * 30 + 2 * (10 * 10 + 20 * 20) + 7'000'000});
}

// Without room at the decode instance the prompt waits, and keeps its blocks.
TEST(PricedServing, OffersWaitForRoom) {
  ServingPlan plan = PlanOf({kPrefill, kDecode});
  plan.instances[1].blocks = 2;  // one request of up to 32 tokens
  const Served served = Serve(plan, {{Time{}, 30, 3}, {Time{}, 30, 3}});
  EXPECT_EQ(served.times[1].granted, served.times[0].last);
  EXPECT_EQ(served.totals[0].most_blocks, 4);
  EXPECT_EQ(served.totals[1].most_blocks, 2);
  EXPECT_EQ(served.totals[1].preempted, 0);
}

// Two prompts of 16 tokens fill 2 of 3 blocks; each wants another block for its next token.
TEST(PricedServing, PreemptionComputesAgain) {
  ServingPlan plan = PlanOf({kMixed});
  plan.instances[0].blocks = 3;
  const Served served = Serve(plan, {{Time{}, 16, 4}, {Time{}, 16, 4}});
  const std::int64_t both = 2000 * 32 + 2 * 2 * 16 * 16 + 7'000'000;
  EXPECT_EQ(served.times[0].last,
            Time{both + StepOf(16, 1, false) + StepOf(17, 1, false) + StepOf(18, 1, false)});
  EXPECT_EQ(served.times[1].preempted, 1U);
  // 17 tokens again, which give its second one, and two more steps.
  EXPECT_EQ(served.times[1].last,
            served.times[0].last +
                Time{StepOf(0, 17, true) + StepOf(17, 1, false) + StepOf(18, 1, false)});
  EXPECT_EQ(served.totals[0].generated, 8);
  EXPECT_EQ(served.totals[0].computed, 32 + 3 + 17 + 2);
}

TEST(PricedServing, WhatNeverFitsIsRejected) {
  ServingPlan plan = PlanOf({kPrefill, kDecode});
  plan.instances[1].blocks = 2;
  const Served served = Serve(plan, {{Time{}, 33, 1}, {Time{}, 30, 4}, {Time{}, 30, 3}});
  EXPECT_EQ(served.times[0].state, RequestState::kRejected);
  EXPECT_EQ(served.times[1].state, RequestState::kRejected);  // its third token's KV
  EXPECT_EQ(served.times[2].state, RequestState::kFinished);
}

// Requests go to instances in turn.
TEST(PricedServing, RoundRobin) {
  ServingRequests requests;
  for (int i = 0; i < 6; ++i) requests.push_back({MicroSeconds(100 * i), 10, 2});
  const Served served = Serve(PlanOf({kPrefill, kPrefill, kDecode, kDecode, kDecode}), requests);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(served.times[i].entry, i % 2);
    EXPECT_EQ(served.times[i].decoder, 2 + i % 3);
  }
}

// M/D/1: a place for one sequence, answers of one token, Poisson arrivals. The mean wait is
// D rho / (2 (1 - rho)) (Pollaczek and Khinchine).
TEST(PricedServing, MeanWaitOfConstantService) {
  ServingPlan plan = PlanOf({kMixed});
  plan.instances[0].limits.most_running = 1;
  const double service = static_cast<double>(StepOf(0, 100, true));
  for (const double load : {0.3, 0.6}) {
    RequestLaw law;
    law.count = 400'000;
    law.gap = Time{static_cast<std::int64_t>(service / load)};
    law.input = {LengthLaw::Kind::kConstant, 100, 100};
    const ServingRequests requests = DrawRequests(law, 11);
    const Served served = Serve(plan, requests);
    const ServingFigures figures = FiguresOfServing(requests, served.times, served.gaps);
    const double expected = service * load / (2 * (1 - load));
    EXPECT_NEAR(figures.queue.mean, expected, 0.02 * expected) << load;
    EXPECT_EQ(figures.finished, law.count);
  }
}

// Bursts into little memory: every token once, and no block is lost.
TEST(PricedServing, TokensAndBlocksAreConserved) {
  ServingPlan plan = PlanOf({kPrefill, kPrefill, kDecode});
  for (InstancePlan& instance : plan.instances) instance.blocks = 60;
  RequestLaw law;
  law.arrivals = ArrivalLaw::kGamma;
  law.shape = 0.2;
  law.gap = MicroSeconds(40);
  law.count = 3000;
  law.input = {LengthLaw::Kind::kUniform, 1, 300};
  law.output = {LengthLaw::Kind::kExponential, 60, 60};
  const ServingRequests requests = DrawRequests(law, 5);
  const Served served = Serve(plan, requests);  // Run() checks blocks
  std::int64_t expected = 0, finished = 0, preempted = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (served.times[i].state != RequestState::kFinished) continue;
    ++finished;
    expected += requests[i].output;
    preempted += served.times[i].preempted;
  }
  EXPECT_GT(finished, 2900);
  EXPECT_GT(preempted, 0);
  EXPECT_EQ(served.totals[2].generated, expected);
  EXPECT_EQ(served.totals[0].generated + served.totals[1].generated, finished);
  std::int64_t gaps = 0;
  for (const auto& [gap, count] : served.gaps) gaps += count;
  EXPECT_EQ(gaps, expected - finished);
}

// The decode instance grants while the prompt is computed, and each step's KV leaves at its end:
// after the prompt only that of its last 40 tokens is missing, 180 of 448 bytes.
TEST(PricedServing, KvByChunks) {
  ServingPlan plan = PlanOf({InstanceRole::kPrefill, InstanceRole::kDecode});
  plan.kv_transfer = KvTransfer::kChunk;
  plan.instances[0].limits.token_budget = 60;
  const Served served = Serve(plan, {{Time{}, 100, 2}});
  const RequestTimes& times = served.times[0];
  const Time first{StepOf(0, 60, true)}, all = first + Time{StepOf(60, 40, true)};
  EXPECT_EQ(times.granted, MicroSeconds(3));
  EXPECT_EQ(times.sending, first);
  EXPECT_EQ(times.computed, all);
  EXPECT_EQ(times.arrived, all + MicroSeconds(3) + Time{10 * 180});
  EXPECT_EQ(served.sent, 448);
  const ServingFigures figures = FiguresOfServing({{Time{}, 100, 2}}, served.times, served.gaps);
  EXPECT_EQ(figures.room.most, 0);
  EXPECT_EQ(figures.transfer.most, 3'001'800);
}

// Four layers: three of them are computed before the grant comes after 6 us, the last at 7.22 us.
TEST(PricedServing, KvByLayers) {
  ServingPlan plan = PlanOf({InstanceRole::kPrefill, InstanceRole::kDecode});
  plan.kv_transfer = KvTransfer::kLayer;
  plan.model.attention_layers = 4;
  const Served served = Serve(plan, {{Time{}, 100, 2}});
  const RequestTimes& times = served.times[0];
  EXPECT_EQ(times.sending, MicroSeconds(6));
  EXPECT_EQ(times.computed, Time{StepOf(0, 100, true)});
  EXPECT_EQ(times.arrived, times.computed + MicroSeconds(3) + Time{10 * 448});
  EXPECT_EQ(served.sent, 4 * 448);
}

// What ends with its first token needs no decode instance.
TEST(PricedServing, KvByChunksOfOneToken) {
  ServingPlan plan = PlanOf({InstanceRole::kPrefill, InstanceRole::kDecode});
  plan.kv_transfer = KvTransfer::kChunk;
  plan.first_token = FirstToken::kPrefill;
  EXPECT_EQ(Serve(plan, {{Time{}, 100, 1}}).sent, 0);
}

/// Two prompts, the second with the blocks of the first and one more, when the first has ended.
ServingRequests PromptAndItsNext() {
  return {{Time{}, 1024, 2, {1, 2}}, {MicroSeconds(10'000), 1536, 2, {1, 2, 3}}};
}

// The second one computes and sends what is new: 512 tokens, 32 blocks of 16.
TEST(PricedServing, APrefixIsNeitherComputedNorSent) {
  const Served served = Serve(PlanOf({kPrefill, kDecode}), PromptAndItsNext());
  EXPECT_EQ(served.sent, 1024 * 4 + 512 * 4);
  const RequestTimes& times = served.times[1];
  EXPECT_EQ(times.cached, 1024U);
  EXPECT_EQ(times.unsent, 1024U);
  EXPECT_EQ(times.computed, MicroSeconds(10'000) + Time{StepOf(1024, 512, true)});
  EXPECT_EQ(times.arrived, times.computed + MicroSeconds(9) + Time{10 * 512 * 4});
  EXPECT_EQ(times.first, times.arrived + Time{StepOf(1535, 1, false)});
  EXPECT_EQ(served.totals[0].computed, 1024 + 512);
  EXPECT_EQ(served.totals[0].cached, 1024);
  EXPECT_EQ(served.totals[1].cached, 1024);
}

TEST(PricedServing, PrefixesByChunksAndLayers) {
  for (const KvTransfer transfer : {KvTransfer::kChunk, KvTransfer::kLayer}) {
    ServingPlan plan = PlanOf({kPrefill, kDecode});
    plan.kv_transfer = transfer;
    plan.model.attention_layers = 2;  // twice the KV
    plan.instances[0].limits.token_budget = 300;
    const Served served = Serve(plan, PromptAndItsNext());
    EXPECT_EQ(served.sent, 1024 * 8 + 512 * 8);
    EXPECT_EQ(served.times[1].state, RequestState::kFinished);
    EXPECT_EQ(served.totals[0].computed, 1024 + 512);
  }
}

TEST(PricedServing, WithoutAPrefixCacheAllIsComputed) {
  ServingPlan plan = PlanOf({kPrefill, kDecode});
  plan.prefix_cache = false;
  const Served served = Serve(plan, PromptAndItsNext());
  EXPECT_EQ(served.sent, (1024 + 1536) * 4);
  EXPECT_EQ(served.totals[0].computed, 1024 + 1536);
  EXPECT_EQ(served.times[1].cached + served.times[1].unsent, 0U);
}

// The router is at instance 0: a request reaches instance 1 by a message of 3 us.
TEST(PricedServing, ARouterTellsInstances) {
  ServingPlan plan = PlanOf({kMixed, kMixed});
  plan.router = RouterKind::kLeastLoaded;
  const Time later = MicroSeconds(1'000'000);
  const Served served =
      Serve(plan, {{Time{}, 10, 3}, {Time{}, 10, 2}, {Time{}, 10, 2}, {later, 10, 1}});
  const std::vector<std::uint32_t> expected = {0, 1, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(served.times[i].entry, expected[i]);
  EXPECT_EQ(served.times[0].begun, PicoSeconds(1));
  EXPECT_EQ(served.times[1].begun, MicroSeconds(3));
  EXPECT_EQ(served.times[3].begun, later + PicoSeconds(1));
}

// An end is known 3 us later: until then both instances have as many requests.
TEST(PricedServing, ARouterHearsOfEnds) {
  ServingPlan plan = PlanOf({kMixed, kMixed});
  plan.router = RouterKind::kLeastLoaded;
  const Time end = MicroSeconds(3) + Time{StepOf(0, 10, true)};  // of request 1, at instance 1
  const Time heard = end + MicroSeconds(3);
  const auto entry = [&](Time third) {
    return Serve(plan, {{Time{}, 10, 100}, {Time{}, 10, 1}, {third, 10, 1}}).times[2].entry;
  };
  EXPECT_EQ(entry(heard - Time{1}), 0U);
  EXPECT_EQ(entry(heard + Time{1}), 1U);
}

TEST(PricedServing, ARouterSendsWhatIsRejectedNowhere) {
  ServingPlan plan = PlanOf({kPrefill, kDecode});
  plan.router = RouterKind::kKvAware;
  plan.instances[1].blocks = 2;
  const Served served = Serve(plan, {{Time{}, 33, 1}, {Time{}, 30, 3}});  // Run() checks the router
  EXPECT_EQ(served.times[0].state, RequestState::kRejected);
  EXPECT_EQ(served.times[1].state, RequestState::kFinished);
}

/// Prompts of up to five named blocks: of each family of a few the first ones are equal.
ServingRequests Families(std::int64_t count) {
  RequestLaw law;
  law.arrivals = ArrivalLaw::kGamma;
  law.shape = 0.2;
  law.gap = MicroSeconds(120);
  law.count = count;
  law.input = {LengthLaw::Kind::kUniform, 1, 2800};
  law.output = {LengthLaw::Kind::kExponential, 60, 60};
  ServingRequests requests = DrawRequests(law, 5);
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    const std::uint32_t family = i * 7 % 11, blocks = requests[i].input / 512;
    for (std::uint32_t block = 0; block < blocks; ++block)
      requests[i].blocks.push_back((block < 3 ? family : 100 + i % 37) * 10 + block);
  }
  return requests;
}

// Bursts of prompts with equal fronts into little memory: blocks are shared, kept, dropped and
// taken from the preempted; none is lost, and what was not computed was there.
TEST(PricedServing, SharedBlocksAreConserved) {
  const ServingRequests requests = Families(2000);
  std::int64_t preempted = 0;
  for (const bool mixed : {false, true}) {
    for (const RouterKind router :
         {RouterKind::kRoundRobin, RouterKind::kLeastLoaded, RouterKind::kKvAware}) {
      ServingPlan plan =
          mixed ? PlanOf({kMixed, kMixed, kMixed}) : PlanOf({kPrefill, kPrefill, kDecode});
      for (InstancePlan& instance : plan.instances) instance.blocks = 400;
      plan.router = router;
      const Served served = Serve(plan, requests);  // Run() checks blocks, each step too
      std::int64_t cached = 0, unsent = 0, totals = 0;
      for (const RequestTimes& times : served.times) {
        EXPECT_EQ(times.state, RequestState::kFinished);
        cached += times.cached;
        unsent += times.unsent;
        preempted += times.preempted;
      }
      for (const InstanceTotals& one : served.totals) totals += one.cached;
      EXPECT_GT(cached, 0);
      EXPECT_EQ(unsent > 0, !mixed);
      EXPECT_EQ(totals, cached + unsent);
    }
  }
  EXPECT_GT(preempted, 0);
}

}  // namespace
}  // namespace heddle
