// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/busbw_file.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

BusBandwidthFile ParseBandwidths(const std::string& text) {
  BusBandwidthFile file;
  ParseBusBandwidthFile(text, "b.yaml", &file);
  return file;
}

TEST(BusbwFile, SectionsAndKeys) {
  const BusBandwidthFile file = ParseBandwidths(
      "test\nTP:\nallreduce,: 300\n  allgather,: 280.5\nreducescatter: 270\nalltoall,: 230\n"
      "# a comment\nDP:\nallreduce,: null\nallgather,: 380\nEP:\nalltoall,: 80\nPP:\nbusbw: 47.5");
  EXPECT_EQ(file.tensor.all_reduce, 300);
  EXPECT_EQ(file.tensor.all_gather, 280.5);
  EXPECT_EQ(file.tensor.reduce_scatter, 270);
  EXPECT_EQ(file.tensor.all_to_all, 230);
  EXPECT_EQ(file.data.all_reduce, -1);
  EXPECT_EQ(file.data.all_gather, 380);
  EXPECT_EQ(file.expert.all_to_all, 80);
  EXPECT_EQ(file.expert.all_gather, -1);
  EXPECT_EQ(file.pipeline, 47.5);
}

TEST(BusbwFile, TheFirstLineIsSkippedWhateverItIs) {
  EXPECT_EQ(ParseBandwidths("TP:\nallreduce,: 300\n").tensor.all_reduce, -1);
}

TEST(BusbwFile, UnknownKeysSectionsAndTabsAreSkipped) {
  EXPECT_EQ(ParseBandwidths("\nTP:\n\tallreduce,: 300\n").tensor.all_reduce, -1);
  EXPECT_EQ(ParseBandwidths("\nXP:\nallreduce,: 300\n").tensor.all_reduce, -1);
  EXPECT_EQ(ParseBandwidths("\nTP:\nallreduce 300\nbroadcast,: 1\nallreduce,:\n").tensor.all_reduce,
            -1);
}

TEST(BusbwFile, WhatIsNoNumberIsNamed) {
  try {
    ParseBandwidths("\nTP:\nallreduce,: fast\n");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "b.yaml:3: \"fast\"; SimAI crashes there (SIGABRT). Expected: a bandwidth in GB/s, "
        "or null");
  }
}

}  // namespace
}  // namespace heddle
