// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/like.h"

#include <gtest/gtest.h>

#include "core/app/run/setup/all_options.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

LikeInput Of(const AllOptions& all, bool has_nvlink = true) {
  return {all.like, "", {}, {}, has_nvlink, false, 2};
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
    if (setting.needs_planes) continue;
    const Option& option = *all.options.FindByName(setting.key).front();
    EXPECT_EQ(option.get(), setting.counts_nic_ports ? "2" : setting.nccl);
    EXPECT_FALSE(option.set_by_user) << setting.key;
    EXPECT_TRUE(applied.sets(setting.key));
  }
  EXPECT_TRUE(all.collectives.lasting());
  EXPECT_TRUE(all.collectives.pxn);
  EXPECT_TRUE(all.collectives.by_hardware());
  EXPECT_TRUE(all.collectives.as_nccl());
  EXPECT_TRUE(all.collectives.nvls);
  EXPECT_EQ(all.transport.nic.qps_per_connection, 2);
  EXPECT_EQ(applied.reason, "as set");
  EXPECT_FALSE(applied.sets("collective"));
}

TEST(Like, NvLinkSpraysWhereServersHaveSeveralNvSwitches) {
  for (const bool several : {false, true}) {
    AllOptions all;
    LikeInput input = Of(all);
    input.like = "nccl";
    input.has_planes = several;
    EXPECT_EQ(ApplyLike(input, &all.options).sets("nvlink.spray"), several);
    EXPECT_EQ(all.transport.nvlink.spray, several);
  }
}

TEST(Like, SimaiSetsNothing) {
  AllOptions all;
  const AppliedLike applied = Apply({"like=simai"}, &all);
  EXPECT_TRUE(applied.set.empty());
  EXPECT_EQ(applied.like, "simai");
  for (const Option& option : all.options.options()) {
    if (option.key == kLikeKey) continue;
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
    EXPECT_TRUE(all.collectives.by_hardware());
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
  EXPECT_EQ(applied.without_nvlink,
            (Lines{"algorithm.nvls", "collective.pxn", "nvlink.lossless", "nvlink.train"}));
  EXPECT_EQ(applied.Describe(),
            "nccl (as set): algorithm.choice=nccl, collective.latency=hardware, "
            "collective.connections=lasting, nic.ports=round-robin, nic.qps_per_connection=2; "
            "without NVSwitches no algorithm.nvls, collective.pxn, nvlink.lossless, nvlink.train");
  AllOptions asked;
  Apply({"like=nccl", "collective.pxn=true"}, &asked, false);
  EXPECT_TRUE(asked.collectives.pxn) << "the user's own";
}

TEST(Like, TheControllerKeepsPortsForEachMessage) {
  AllOptions all;
  LikeInput input = Of(all);
  input.has_controller = true;
  const AppliedLike applied = ApplyLike(input, &all.options);
  EXPECT_FALSE(all.collectives.lasting());
  EXPECT_TRUE(all.collectives.pxn);
  EXPECT_EQ(applied.with_controller, (Lines{"collective.connections", "nic.qps_per_connection"}));
  EXPECT_EQ(
      applied.Describe(),
      "nccl (default): algorithm.choice=nccl, algorithm.nvls=multimem, "
      "collective.latency=hardware, collective.pxn=true, nvlink.lossless=true, nvlink.train=5, "
      "nic.ports=round-robin; with the controller no collective.connections, "
      "nic.qps_per_connection");
}

TEST(Like, OneNicPortTakesOneQueuePair) {
  AllOptions all;
  LikeInput input = Of(all);
  input.nic_ports = 1;
  const AppliedLike applied = ApplyLike(input, &all.options);
  EXPECT_EQ(all.transport.nic.qps_per_connection, 1);
  EXPECT_FALSE(applied.sets("nic.qps_per_connection"));
}

/// Whom a run takes after if its user says nothing, and why.
struct Resolved {
  std::string like, reason;
};

Resolved Resolve(LikeInput input) {
  AllOptions all;
  input.like = all.like;
  const AppliedLike applied = ApplyLike(input, &all.options);
  EXPECT_EQ(all.like, applied.like) << "results store what was decided";
  EXPECT_EQ(all.collectives.lasting(), applied.like == "nccl");
  return {applied.like, applied.reason};
}

void Expect(const LikeInput& input, const std::string& like, const std::string& reason) {
  const Resolved resolved = Resolve(input);
  EXPECT_EQ(resolved.like, like) << reason;
  EXPECT_EQ(resolved.reason, reason);
}

TEST(Like, IsNcclUnlessAnInputIsSimais) {
  LikeInput input;
  Expect(input, "nccl", "default");
  input.environment = {{"NCCL_ALGO", "Ring"}};
  input.settings = {"collective.pxn=true"};
  Expect(input, "nccl", "default");
  input.settings.push_back("AS_PXN_ENABLE=1");
  Expect(input, "simai", "AS_PXN_ENABLE is set");
  input.environment.emplace_back("AS_SEND_LAT", "3");
  Expect(input, "simai", "AS_SEND_LAT is set");
  input.conf = "SimAI.conf";
  Expect(input, "simai", "-c SimAI.conf");
}

TEST(Like, WhatTheUserSaysWinsOverTheInputs) {
  AllOptions all;
  all.options.Set("like", "nccl");
  LikeInput input = Of(all);
  input.conf = "SimAI.conf";
  const AppliedLike applied = ApplyLike(input, &all.options);
  EXPECT_EQ(applied.like, "nccl");
  EXPECT_EQ(applied.reason, "as set");
}

TEST(Like, IsOneOfThree) {
  AllOptions all;
  EXPECT_THROW(all.options.Set("like", "mpi"), UserError);
  EXPECT_EQ(all.like, "auto");
}

TEST(Like, TheExplanationNamesEveryOption) {
  const std::string text = ExplainLike();
  for (const LikeSetting& setting : LikeTable())
    EXPECT_NE(text.find(setting.key + " "), std::string::npos) << setting.key;
}

}  // namespace
}  // namespace heddle
