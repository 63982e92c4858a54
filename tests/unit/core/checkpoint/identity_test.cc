// SPDX-License-Identifier: GPL-2.0-only
#include "core/checkpoint/identity.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const Identity kSaved = {
    {"seed", "1"}, {"option transport.payload", "9000"}, {"environment", "A=1"}};

TEST(Identity, EqualInAnyOrder) {
  EXPECT_FALSE(FindDifference(kSaved, kSaved));
  EXPECT_FALSE(FindDifference(kSaved, {kSaved[2], kSaved[0], kSaved[1]}));
}

TEST(Identity, AnotherValueIsShownBesideItsOwnName) {
  const auto found = FindDifference(
      kSaved, {{"seed", "2"}, {"option transport.payload", "9000"}, {"environment", "A=1"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->then, "seed 1");
  EXPECT_EQ(found->now, "seed 2");
}

/// A run with one attribute more than the checkpoint, before others that are equal: by position,
/// `option transport.payload` was held against `failures_digest`.
TEST(Identity, OneMoreOnOneSideIsNamed) {
  const Identity more = {kSaved[0], {"failures_digest", "12ab"}, kSaved[1], kSaved[2]};
  const auto found = FindDifference(kSaved, more);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->then, "no failures_digest");
  EXPECT_EQ(found->now, "failures_digest 12ab");
  const auto turned = FindDifference(more, kSaved);
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->then, "failures_digest 12ab");
  EXPECT_EQ(turned->now, "no failures_digest");
}

TEST(Identity, NamesThatOccurTwice) {
  const auto found = FindDifference({{"--record", "a"}, {"--record", "b"}}, {{"--record", "b"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->then, "--record a");
  EXPECT_EQ(found->now, "no --record");
}

}  // namespace
}  // namespace heddle
