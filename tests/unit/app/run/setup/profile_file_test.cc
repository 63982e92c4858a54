// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/profile_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

RunProfile Small() {
  RunProfile profile;
  profile.topology_digest = "0123456789abcdef";
  profile.grain = 3;
  profile.grain_ranks = 2;
  profile.lookahead = NanoSeconds(500);
  profile.record_bytes = 216;
  profile.windows = 7;
  profile.end = MicroSeconds(12);
  profile.wall_seconds = 1.5;
  profile.ranks = 2;
  profile.edge_ns = 250;
  profile.events = {10, 20};
  profile.measured_events = {5, 6};
  profile.measured_ns = {50, 66.5};
  profile.samples = {{Time{4}, {{0, 3}, {1, 4}}}, {Time{9}, {{1, 8}}}};
  profile.streams = {{0, 1, 12}, {1, 0, 11}};
  return profile;
}

class ProfileFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) {
    const std::string path = folder_.In("p.json");
    std::ofstream(path) << text;
    return path;
  }
  /// The error message of the reader; empty if there is none.
  std::string Complaint(const std::string& text) {
    try {
      ReadProfile(Write(text));
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  }
  TemporaryFolder folder_;
};

TEST_F(ProfileFileTest, ComesBackAsItWas) {
  const RunProfile found = ReadProfile(Write(ProfileText(Small())));
  EXPECT_EQ(ProfileText(found), ProfileText(Small()));
  ASSERT_EQ(found.samples.size(), 2u);
  EXPECT_EQ(found.samples[0].runs[1].events, 4u);
  EXPECT_EQ(found.streams[0].to, 1u);
  EXPECT_EQ(found.streams[1].messages, 11);
  EXPECT_EQ(found.measured_ns[1], 66.5);
  EXPECT_EQ(found.grain_ranks, 2u);
  EXPECT_EQ(found.record_bytes, 216u);
}

TEST_F(ProfileFileTest, OtherFilesAreRefused) {
  EXPECT_NE(Complaint("").find("not a profile"), std::string::npos);
  EXPECT_NE(Complaint("[1]").find("not a profile"), std::string::npos);
  EXPECT_NE(Complaint(R"({"format":"heddle profile","version":1})").find("version 1"),
            std::string::npos);
  EXPECT_THROW(ReadProfile(folder_.In("none")), UserError);
  const std::string text = ProfileText(Small());
  EXPECT_NE(Complaint(text.substr(0, text.size() / 2)), "") << "cut";
}

TEST_F(ProfileFileTest, EveryKeyThatIsMissingOrBentIsNamed) {
  const auto whole = nlohmann::json::parse(ProfileText(Small()));
  for (const auto& [key, value] : whole.items()) {
    if (key == "program") continue;  // not read; for people only
    auto bent = whole;
    bent.erase(key);
    EXPECT_NE(Complaint(bent.dump()), "") << key;
    bent[key] = nlohmann::json::array({-1});
    EXPECT_NE(Complaint(bent.dump()), "") << key;
    if (key == "format" || key == "version") continue;
    EXPECT_NE(Complaint(bent.dump())
                  .find("p.json: \"" +
                        (key == "domains"    ? "events"
                         : key == "messages" ? "from"
                         : key == "samples"  ? "start_ps"
                                             : key) +
                        "\""),
              std::string::npos)
        << key << ": " << Complaint(bent.dump());
  }
  auto bent = whole;
  for (const nlohmann::json& wrong : nlohmann::json::array({2, -1, 0.5, 1e300, UINT64_MAX, "0"})) {
    bent["samples"][0]["domains"][0] = wrong;  // only domains 0 and 1 exist
    EXPECT_NE(Complaint(bent.dump()).find("\"domains\""), std::string::npos) << wrong;
  }
  bent = whole;
  bent["samples"][0]["events"][0] = 1e20;
  EXPECT_NE(Complaint(bent.dump()).find("\"events\""), std::string::npos);
  bent = whole;
  bent["version"] = "\x7f";
  EXPECT_NE(Complaint(bent.dump()).find("version \"\\x7f\"."), std::string::npos)
      << Complaint(bent.dump());
  bent = whole;
  bent["samples"] = nlohmann::json::array();
  EXPECT_NE(Complaint(bent.dump()).find("before anything happened"), std::string::npos);
  bent = whole;
  bent["messages"]["to"][0] = -1;
  EXPECT_NE(Complaint(bent.dump()).find("\"to\""), std::string::npos);
  bent = whole;
  bent["messages"]["count"] = {1};
  EXPECT_NE(Complaint(bent.dump()).find("\"messages\""), std::string::npos);
  bent = whole;
  bent["domains"]["measured_ns"] = {1};
  EXPECT_NE(Complaint(bent.dump()).find("\"domains\""), std::string::npos);
}

}  // namespace
}  // namespace heddle
