// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/routing/serving_router.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Instances 0 and 1 take prompts, 2 and 3 answers; each has room for 8 blocks of prompts.
RouterGround Apart(RouterKind kind) {
  RouterGround ground;
  ground.kind = kind;
  ground.entries = {0, 1};
  ground.decoders = {2, 3};
  ground.blocks = {256, 256, 256, 256};  // of 16 tokens
  return ground;
}

RouterGround Mixed(RouterKind kind) {
  RouterGround ground = Apart(kind);
  ground.entries = {0, 1, 2};
  ground.decoders.clear();
  return ground;
}

std::pair<std::uint32_t, std::uint32_t> ChoiceOf(ServingRouter* router, std::uint32_t request) {
  const ServingRouter::Choice choice = router->Choose(request);
  return {choice.entry, choice.decoder};
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;

// The fewest open requests; of equal ones the lowest number. Prompts and answers are counted apart.
TEST(ServingRouter, LeastLoaded) {
  const ServingRequests requests(6, ServingRequest{Time{}, 100, 2});
  ServingRouter router(Apart(RouterKind::kLeastLoaded), requests);
  EXPECT_EQ(ChoiceOf(&router, 0), (Pair{0, 2}));
  EXPECT_EQ(ChoiceOf(&router, 1), (Pair{1, 3}));
  EXPECT_EQ(ChoiceOf(&router, 2), (Pair{0, 2}));
  router.Ended(0, 0, false);
  router.Ended(2, 0, false);  // its prompts are done, its answers are not
  EXPECT_EQ(ChoiceOf(&router, 3), (Pair{0, 3}));
  EXPECT_EQ(router.RequestsOf(2), 2);
  router.Ended(1, 1, true);  // it never comes to its decoder
  EXPECT_EQ(ChoiceOf(&router, 4), (Pair{1, 3}));
  EXPECT_EQ(router.open(), 4U);
}

// A prompt's end may be told after the answer's.
TEST(ServingRouter, EndsInAnyOrder) {
  const ServingRequests requests(2, ServingRequest{Time{}, 100, 2});
  ServingRouter router(Apart(RouterKind::kLeastLoaded), requests);
  router.Choose(0);
  router.Ended(0, 2, false);
  EXPECT_EQ(router.open(), 1U);
  router.Ended(0, 0, false);
  EXPECT_EQ(router.open(), 0U);
  EXPECT_EQ(router.BlocksOf(0) + router.BlocksOf(2), 0);
  EXPECT_THROW(router.Ended(0, 0, false), InvariantError);
}

TEST(ServingRouter, MixedInstancesHaveOneEnd) {
  const ServingRequests requests(4, ServingRequest{Time{}, 100, 2});
  ServingRouter router(Mixed(RouterKind::kLeastLoaded), requests);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(ChoiceOf(&router, i), (Pair{i, i}));
  router.Ended(1, 1, false);
  EXPECT_EQ(router.open(), 2U);
  EXPECT_EQ(ChoiceOf(&router, 3), (Pair{1, 1}));
}

// Cost = 1 x missing blocks + open blocks, in blocks of 16 tokens: request 1 has 96 of its 128
// blocks where request 0 is, which has 96 open ones: 32 + 96 against 128, and the lower number
// wins.
TEST(ServingRouter, KvAware) {
  ServingRequests requests(4, ServingRequest{Time{}, 2048, 2});
  requests[0] = {Time{}, 1536, 2, {1, 2, 3}};
  requests[1].blocks = {1, 2, 3, 4};
  requests[2].blocks = {1, 2, 3, 4};
  ServingRouter router(Apart(RouterKind::kKvAware), requests);
  EXPECT_EQ(ChoiceOf(&router, 0), (Pair{0, 2}));
  EXPECT_EQ(router.BlocksOf(0), 96);
  EXPECT_EQ(ChoiceOf(&router, 1), (Pair{0, 3}));  // decoders: the fewest open blocks alone
  EXPECT_EQ(router.BlocksOf(0), 96 + 128);
  // At least the last token is computed: 3 of 4 blocks count. 32 + 224 against 128 + 0.
  EXPECT_EQ(ChoiceOf(&router, 2), (Pair{1, 2}));
  // 128 + 224 against 128 + 128.
  EXPECT_EQ(ChoiceOf(&router, 3), (Pair{1, 3}));
}

TEST(ServingRouter, TheWeightOfAPrefix) {
  ServingRequests requests(3, ServingRequest{Time{}, 2048, 2, {1, 2, 3, 4}});
  RouterGround ground = Apart(RouterKind::kKvAware);
  ground.overlap_weight = 4;
  ServingRouter router(ground, requests);
  EXPECT_EQ(router.Choose(0).entry, 0U);
  EXPECT_EQ(router.Choose(1).entry, 0U);  // 4 x 32 + 128 against 4 x 128
  EXPECT_EQ(router.Choose(2).entry, 0U);  // 4 x 32 + 256
  ground.prefix_cache = false;            // nothing is kept, so nothing is predicted
  ServingRouter other(ground, requests);
  EXPECT_EQ(other.Choose(0).entry, 0U);
  EXPECT_EQ(other.Choose(1).entry, 1U);
}

// What is predicted is no more than an instance has room for: 8 blocks of prompts.
TEST(ServingRouter, PredictionsHaveTheRoomOfTheInstance) {
  ServingRequests requests;
  requests.push_back({Time{}, 1024, 2, {1, 2}});
  requests.push_back({Time{}, 4096, 2, {11, 12, 13, 14, 15, 16, 17, 18}});
  requests.push_back({Time{}, 1024, 2, {1, 2}});
  requests.push_back({Time{}, 16, 2});
  ServingRouter router(Apart(RouterKind::kKvAware), requests);
  EXPECT_EQ(router.Choose(0).entry, 0U);
  router.Ended(0, 0, true);
  EXPECT_EQ(router.Choose(1).entry, 0U);
  router.Ended(1, 0, true);
  EXPECT_EQ(router.Choose(3).entry, 0U);
  // With a block of request 0 left there it would cost 32 + 1, less than the 64 of instance 1.
  EXPECT_EQ(router.Choose(2).entry, 1U);
}

}  // namespace
}  // namespace heddle
