// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/recording.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

TEST(Recording, FlowsAndCollectivesAreSampledAlike) {
  const Recording given =
      ParseRecording({"flows=sample:7", "collectives=sample:9", "timeline=none"});
  EXPECT_EQ(given.SampleOf(1).every, 7U);
  EXPECT_EQ(given.SampleOfCollectives(1).every, 9U);
  EXPECT_FALSE(given.KeepsTimeLine(1));
  EXPECT_TRUE(ParseRecording({"collectives=none"}).SampleOfCollectives(1).none());
  EXPECT_TRUE(ParseRecording({"collectives=all"}).SampleOfCollectives(1'000'000'000).all());
}

TEST(Recording, AboutAMillionCollectivesStay) {
  const Recording automatic = ParseRecording({"collectives=sample:3", "collectives=auto"});
  EXPECT_TRUE(automatic.SampleOfCollectives(0).all());
  EXPECT_TRUE(automatic.SampleOfCollectives(1'000'000).all());
  EXPECT_EQ(automatic.SampleOfCollectives(1'000'001).every, 2U);
  EXPECT_EQ(automatic.SampleOfCollectives(20'000'000).every, 20U);
}

TEST(Recording, AutoKeepsAllFlowsUpToANumber) {
  EXPECT_TRUE(ParseRecording({}).SampleOf(4'000'000).all());
  EXPECT_TRUE(ParseRecording({}).SampleOf(4'000'001).none());
  const Recording more = ParseRecording({"flows=none", "flows=auto:9000000"});
  EXPECT_TRUE(more.SampleOf(9'000'000).all());
  EXPECT_TRUE(more.SampleOf(9'000'001).none());
}

TEST(Recording, MistakesNameTheKey) {
  const auto message = [](const char* setting) {
    return MessageOf([&] { ParseRecording({setting}); }, ExitCode::kUsage);
  };
  EXPECT_EQ(message("collectives=sample:0"),
            "--record collectives=sample:0: a sample is one collective in N. Expected: "
            "collectives=sample:N, N from 1 to 1000000000");
  EXPECT_EQ(message("flows=auto:0"),
            "--record flows=auto:0: all of up to N flows. Expected: flows=auto:N, N from 1 to "
            "1000000000000");
  EXPECT_EQ(message("flows=some"),
            "--record flows=some: expected flows=auto, flows=all, flows=sample:N or flows=none");
  EXPECT_EQ(message("collectives"),
            "--record collectives=: expected collectives=auto, collectives=all, "
            "collectives=sample:N or collectives=none");
  EXPECT_NE(message("steps=all").find("expected flows=, collectives= or timeline="),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
