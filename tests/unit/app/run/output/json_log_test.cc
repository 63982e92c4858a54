// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/json_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/app/run/arguments/output_conflicts.h"
#include "core/base/check.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

class JsonLogTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.In("run.ndjson"); }
  std::vector<nlohmann::json> Read() const {
    std::ifstream file(path());
    std::vector<nlohmann::json> events;
    for (std::string line; std::getline(file, line);) events.push_back(nlohmann::json::parse(line));
    return events;
  }
  TemporaryFolder folder_;
};

TEST_F(JsonLogTest, EachLineIsThereAtOnce) {
  JsonLog log(path(), false);
  log.Warning("a \"quoted\" word\nand a line");
  const auto events = Read();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["event"], "warning");
  EXPECT_EQ(events[0]["message"], "a \"quoted\" word\nand a line");
}

TEST_F(JsonLogTest, ProgressAtMostOnceASecond) {
  JsonLog log(path(), false);
  ProgressFigures figures;
  for (int i = 0; i <= 20; ++i) {
    figures.state.wall_seconds = 0.2 * i;
    log.Progress(figures);
  }
  const auto events = Read();
  ASSERT_EQ(events.size(), 5u);
  EXPECT_TRUE(events[1]["left_seconds"].is_null());
}

TEST_F(JsonLogTest, EndHasTheFiguresAndIsLast) {
  JsonLog log(path(), false);
  RunFigures figures;
  figures.flows = 3;
  figures.end = MicroSeconds(7);
  figures.flows_digest = 0xabc;
  log.Figures(figures, "");
  log.Error(ExitCode::kStalled, "stuck");
  log.End(ExitCode::kStalled);
  log.Warning("too late");
  const auto events = Read();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["exit_code"], 4);
  EXPECT_EQ(events[1]["event"], "end");
  EXPECT_EQ(events[1]["exit_code"], 4);
  EXPECT_EQ(events[1]["flows"], 3);
  EXPECT_EQ(events[1]["time_ps"], 7'000'000);
  EXPECT_EQ(events[1]["flows_digest"], "0000000000000abc");
  EXPECT_TRUE(events[1]["result"].is_null());
}

TEST_F(JsonLogTest, BytesThatAreNoUtf8DoNotStopIt) {
  JsonLog log(path(), false);
  log.Warning("caf\xe9.txt");
  ASSERT_EQ(Read().size(), 1u);
}

TEST_F(JsonLogTest, ReplacesByForceOnly) {
  std::ofstream(path()) << "precious";
  EXPECT_THROW(JsonLog(path(), false), FileError);
  EXPECT_NO_THROW(JsonLog(path(), true));
}

TEST_F(JsonLogTest, AFullDeviceIsAnError) {
  JsonLog log("/dev/full", false);
  EXPECT_THROW(log.Warning("lost"), FileError);
}

TEST_F(JsonLogTest, NoPathNoLog) {
  JsonLog log;
  log.Warning("nowhere");
  log.End(ExitCode::kDone);
  EXPECT_FALSE(log.on());
}

TEST_F(JsonLogTest, IsNoOtherFileOfTheRun) {
  RunArguments run;
  run.topology = path();
  run.json_log = folder_.In("./run.ndjson");
  run.force = true;
  EXPECT_THROW(CheckRunOutputs(run), UserError);
}

}  // namespace
}  // namespace heddle
