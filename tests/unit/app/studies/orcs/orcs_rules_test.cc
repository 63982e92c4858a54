// SPDX-License-Identifier: GPL-2.0-only
/// Where ORCS's programs part from their description, by hand. That they agree with the programs is
/// tests/regression/commands/orcs_cases.py.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/app/studies/orcs/orcs_delay.h"
#include "core/app/studies/orcs/orcs_load.h"
#include "core/app/studies/orcs/orcs_patterns.h"
#include "core/base/check.h"
#include "core/patterns/level_patterns.h"
#include "topology/load/run_load.h"
#include "topology/load/static_network.h"

namespace heddle {
namespace {

using Pairs = std::vector<RankPair>;

std::unique_ptr<LevelPattern> OrcsPattern(const std::string& text, std::uint32_t ranks) {
  return MakeLevelPattern({text, ranks, 2, OrcsPatterns()});
}

Pairs LevelOfPattern(const std::string& text, std::uint32_t ranks, std::uint64_t level) {
  Pairs pairs;
  OrcsPattern(text, ranks)->Level(level, &pairs);
  return pairs;
}

TEST(OrcsPatterns, BisectJoinsNeighboursInRank) {
  EXPECT_EQ(LevelOfPattern("bisect", 5, 0), (Pairs{{1, 0}, {3, 2}}));
  EXPECT_EQ(LevelOfPattern("bisect_fb_sym", 2, 0), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_TRUE(LevelOfPattern("bisect", 4, 1).empty());
}

TEST(OrcsPatterns, NeighboursAreCliques) {
  const Pairs clique = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}, {3, 4}, {4, 3}};
  EXPECT_EQ(LevelOfPattern("2neighbor", 5, 0), clique);
  EXPECT_EQ(LevelOfPattern("neighbor:2", 5, 0), clique);
  EXPECT_EQ(LevelOfPattern("neighbor:3", 3, 0).size(), 6u) << "any number, no grid";
}

TEST(OrcsPatterns, DoubledDistancesOverflow) {
  EXPECT_EQ(LevelOfPattern("tree", 4, 1), (Pairs{{0, 2}, {1, 3}}));
  EXPECT_NO_THROW(LevelOfPattern("bruck", 4, 30));
  EXPECT_THROW(LevelOfPattern("bruck", 4, 31), UserError);
  EXPECT_THROW(LevelOfPattern("tree", 4, 31), UserError);
}

TEST(OrcsPatterns, OnlyTwoPatternsGoOnAcrossRuns) {
  EXPECT_TRUE(OrcsPattern("ptrnvsptrn:null::tree", 8)->GoesOnAcrossRuns());
  EXPECT_FALSE(OrcsPattern("tree", 8)->GoesOnAcrossRuns());
  EXPECT_FALSE(MakeLevelPattern({"ptrnvsptrn:null::tree", 8, 2})->GoesOnAcrossRuns());
}

double LatestOf(OrcsVersion version) {
  // Level 0: 0 to 1 (2), 2 to 1 (5). Level 1: nothing to 1. Level 2: 1 to 3 (1), 1 to 0 (1).
  const auto delay = MakeOrcsDelay(version);
  delay->BeginRun();
  delay->Add({0, 1}, 2);
  delay->Add({2, 1}, 5);
  delay->EndLevel();
  delay->Add({2, 3}, 1);
  delay->EndLevel();
  delay->Add({1, 3}, 1);
  delay->Add({1, 0}, 1);
  delay->EndLevel();
  return delay->Latest();
}

TEST(OrcsDelay, WhatCameTwoLevelsBeforeIsForgotten) {
  EXPECT_DOUBLE_EQ(LatestOf(OrcsVersion::k20), 5);
  // Ranks 0 and 2 send first. Place 0 is the start of message 0 (weight 2), place 2 that of message
  // 1 (weight 5); neither has a message that waits for it.
  EXPECT_DOUBLE_EQ(LatestOf(OrcsVersion::k11), 5);
}

TEST(OrcsDelay, TheOldVersionFollowsPlacesForRanks) {
  const auto latest = [](OrcsVersion version) {
    const auto delay = MakeOrcsDelay(version);
    delay->BeginRun();
    delay->Add({1, 0}, 3);  // its sender, 1, is the place of the end of this message
    delay->EndLevel();
    delay->Add({0, 2}, 4);
    delay->EndLevel();
    return delay->Latest();
  };
  EXPECT_DOUBLE_EQ(latest(OrcsVersion::k20), 7);
  EXPECT_DOUBLE_EQ(latest(OrcsVersion::k11), 4) << "the first message's own weight is left out";
}

/// Two hosts on two switches: the path of one comes back, that of the other ends.
TEST(OrcsLoad, BrokenPathsCount) {
  StaticNetwork network;
  const std::uint32_t h = network.AddNode("H0", true), g = network.AddNode("H1", true);
  const std::uint32_t a = network.AddNode("a", false), b = network.AddNode("b", false);
  network.RouteRest(h, network.AddCable({h, a, 0}));
  network.Route(a, 1, network.AddCable({a, b, 0}));
  network.RouteRest(b, network.AddCable({b, a, 0}));
  const std::uint32_t up = network.AddCable({g, b, 0});
  network.RouteRest(g, up);  // a knows no path to host 0
  LoadOptions options;
  options.cable_sums = true;
  options.rules = OrcsLoadRules(OrcsVersion::k20);
  RunLoad load(network, options);
  const LoadFigures figures = load.Run(0, OrcsPattern("bisect_fb_sym", 2).get(), {0, 1});
  EXPECT_EQ(figures.messages, 2u);
  EXPECT_EQ(figures.loops, 1u);
  EXPECT_EQ(figures.no_route, 1u);
  EXPECT_EQ(load.totals().cables[up], 1u) << "of a path without an end, what there is";
}

TEST(OrcsLoad, SumsGrowBehindEachMessageOfALevel) {
  EXPECT_EQ(OrcsLoadRules(OrcsVersion::k11)->TimesInSums(0, 3), 3u);
  EXPECT_EQ(OrcsLoadRules(OrcsVersion::k11)->TimesInSums(2, 3), 1u);
  EXPECT_EQ(LoadRules().TimesInSums(0, 3), 1u);
}

}  // namespace
}  // namespace heddle
