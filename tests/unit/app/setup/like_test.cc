// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/setup/like.h"

#include <gtest/gtest.h>

#include "core/app/setup/all_options.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

LikeInput Of(const AllOptions& all, bool has_nvlink = true) {
  return {all.like, "", {}, has_nvlink};
}

AppliedLike Apply(const Lines& settings, AllOptions* all, bool has_nvlink = true) {
  all->options.SetAll(settings);
  return ApplyLike(Of(*all, has_nvlink), &all->options);
}

/// So `--like simai` changes nothing.
TEST(Like, SimaisColumnHoldsTheDefaults) {
  const AllOptions all;
  for (const LikeSetting& setting : LikeTable()) {
    const auto option = all.options.FindByName(setting.key);
    ASSERT_EQ(option.size(), 1U) << setting.key;
    EXPECT_EQ(option[0]->default_text, setting.simai) << setting.key;
    EXPECT_NE(setting.nccl, setting.simai) << setting.key;
  }
}

TEST(Like, NcclSetsTheTable) {
  AllOptions all;
  const AppliedLike applied = Apply({"like=nccl"}, &all);
  for (const LikeSetting& setting : LikeTable()) {
    const Option& option = *all.options.FindByName(setting.key).front();
    EXPECT_EQ(option.get(), setting.nccl);
    EXPECT_FALSE(option.set_by_user) << setting.key;
    EXPECT_TRUE(applied.sets(setting.key));
  }
  EXPECT_TRUE(all.collectives.lasting());
  EXPECT_TRUE(all.collectives.pxn);
  EXPECT_EQ(all.collectives.latency, "nccl");
  EXPECT_EQ(applied.reason, "as told");
  EXPECT_FALSE(applied.sets("collective"));
}

TEST(Like, SimaiSetsNothing) {
  for (const Lines& settings : {Lines{}, Lines{"like=simai"}}) {
    AllOptions all;
    const AppliedLike applied = Apply(settings, &all);
    EXPECT_TRUE(applied.set.empty());
    EXPECT_EQ(applied.like, "simai");
    for (const Option& option : all.options.options())
      EXPECT_EQ(option.get(), option.default_text) << option.key;
  }
}

/// A value that happens to be the default counts as the user's, too.
TEST(Like, WhatTheUserSetsStaysWhateverTheOrder) {
  for (const Lines& settings :
       {Lines{"like=nccl", "collective.connections=message", "AS_PXN_ENABLE=1"},
        Lines{"collective.connections=message", "AS_PXN_ENABLE=1", "like=nccl"}}) {
    AllOptions all;
    const AppliedLike applied = Apply(settings, &all);
    EXPECT_FALSE(all.collectives.lasting());
    EXPECT_TRUE(all.collectives.pxn);
    EXPECT_EQ(all.collectives.latency, "nccl");
    EXPECT_EQ(applied.kept, Lines{"collective.connections=message"});
    EXPECT_FALSE(applied.sets("collective.connections"));
    EXPECT_FALSE(applied.sets("collective.pxn")) << "it is the user's";
    EXPECT_TRUE(applied.sets("collective.latency"));
  }
}

TEST(Like, RailsAreChangedInsideServersOnlyWhereThereAreNvSwitches) {
  AllOptions all;
  const AppliedLike applied = Apply({"like=nccl"}, &all, false);
  EXPECT_FALSE(all.collectives.pxn);
  EXPECT_TRUE(all.collectives.lasting());
  EXPECT_EQ(applied.left_out, Lines{"collective.pxn"});
  EXPECT_EQ(applied.Describe(),
            "nccl (as told): collective.latency=nccl, collective.connections=lasting, "
            "algorithm.allreduce=fastest; without NVSwitches no collective.pxn");
  AllOptions asked;
  Apply({"like=nccl", "collective.pxn=true"}, &asked, false);
  EXPECT_TRUE(asked.collectives.pxn) << "the user's own";
}

TEST(Like, SaysWhyItIsWhatItIs) {
  AllOptions all;
  LikeInput input = Of(all);
  const auto reason = [&] { return ApplyLike(input, &all.options).reason; };
  EXPECT_EQ(reason(), "default");
  input.environment = {{"NCCL_ALGO", "Ring"}};
  EXPECT_EQ(reason(), "default");
  input.environment = {{"AS_SEND_LAT", "3"}, {"NCCL_ALGO", "Ring"}};
  EXPECT_EQ(reason(), "AS_SEND_LAT is set");
  input.conf = "SimAI.conf";
  EXPECT_EQ(reason(), "-c SimAI.conf");
  all.options.Set("like", "simai");
  EXPECT_EQ(reason(), "as told");
}

TEST(Like, IsOneOfTwo) {
  AllOptions all;
  EXPECT_THROW(all.options.Set("like", "mpi"), UserError);
  EXPECT_EQ(all.like, "simai");
}

TEST(Like, TheExplanationNamesEveryOption) {
  const std::string text = ExplainLike();
  for (const LikeSetting& setting : LikeTable())
    EXPECT_NE(text.find(setting.key + " "), std::string::npos) << setting.key;
}

}  // namespace
}  // namespace heddle
