// SPDX-License-Identifier: GPL-2.0-only
/// The page of a sweep: its axes, and what it keeps of the runs.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "io/report/report_json.h"
#include "tests/unit/io/report/report_runs.h"

namespace heddle {
namespace {

/// Data of the page of `values.size()` runs that differ in `axes`; `more` sets what else is known.
Json SweepOf(const Text& axes, const std::vector<Text>& values,
             const std::function<void(SweptRuns*)>& more = nullptr) {
  ReportRequest request;
  request.sweep = SweptRuns{axes, values};
  if (more) more(&*request.sweep);
  for (std::size_t i = 0; i < values.size(); ++i) {
    request.results.push_back(WriteRun(
        "sweep" + std::to_string(i) + ".h5",
        {FlowsOf({{0, 2, 1000, 0, 1000 + 10 * static_cast<std::int64_t>(i), 1000},
                  {3, 1, 4096, 500, -1, 1000, static_cast<std::uint8_t>(i == 0 ? 4 : 3)}})}));
  }
  return Json::parse(ReportData(request));
}

TEST(ReportSweep, AxesAreNumbersWhereAllValuesAreOfOneUnit) {
  const Json data = SweepOf({"topology", "size", "delay", "rate", "seed", "mixed", "word"},
                            {{"a.txt", "1MiB", "10us", "100Gbps", "1", "4096", "1"},
                             {"b.txt", "2kB", "1ms", "1Tbps", "-2.5", "1MiB", "nan"}});
  const Json& axes = data["sweep"]["axes"];
  ASSERT_EQ(axes.size(), 7U);
  const auto expect = [&](std::size_t i, const char* unit, const Json& numbers) {
    EXPECT_EQ(axes[i]["unit"], unit) << axes[i];
    EXPECT_EQ(axes[i]["numbers"], numbers) << axes[i];
  };
  expect(0, "", nullptr);
  expect(1, "byte", {1048576.0, 2000.0});
  expect(2, "ps", {1e7, 1e9});
  expect(3, "bit/s", {1e11, 1e12});
  expect(4, "", {1.0, -2.5});
  expect(5, "byte", {4096.0, 1048576.0});
  expect(6, "", nullptr);
  EXPECT_EQ(axes[0]["values"], (Json{"a.txt", "b.txt"}));
}

TEST(ReportSweep, SizesAreBytes) {
  const Json data = SweepOf({"size", "nic.mtu"}, {{"4096", "4096"}, {"65536", "9000"}});
  EXPECT_EQ(data["sweep"]["axes"][0]["unit"], "byte");
  EXPECT_EQ(data["sweep"]["axes"][1]["unit"], "");
  EXPECT_EQ(data["sweep"]["axes"][0]["values"], (Json{"4 KiB", "64 KiB"}));
  EXPECT_EQ(data["sweep"]["axes"][0]["numbers"], (Json{4096.0, 65536.0}));
  EXPECT_EQ(data["sweep"]["axes"][1]["values"], (Json{"4096", "9000"}));
}

TEST(ReportSweep, HasTheFigureThatIsDrawnFirst) {
  const Json data = SweepOf({"size", "seed"}, {{"64", "1"}, {"64", "2"}}, [](SweptRuns* sweep) {
    sweep->zips = {0, 3};
    sweep->same_traffic = false;
    sweep->plot = SweptPlot{"bus bandwidth", "B/s", 0, 1, {2.5e9, std::nullopt}};
  });
  const Json& sweep = data["sweep"];
  EXPECT_EQ(sweep["axes"][0]["zip"], 0);
  EXPECT_EQ(sweep["axes"][1]["zip"], 3);
  EXPECT_EQ(sweep["same_traffic"], false);
  EXPECT_EQ(sweep["plot"]["title"], "bus bandwidth");
  EXPECT_EQ(sweep["plot"]["by"], 1);
  EXPECT_EQ(sweep["plot"]["values"], (Json{2.5e9, nullptr}));
  const Json plain = SweepOf({"seed"}, {{"1"}, {"2"}});
  EXPECT_TRUE(plain["sweep"]["plot"].is_null());
  EXPECT_EQ(plain["sweep"]["axes"][0]["zip"], 0);
}

TEST(ReportSweep, KeepsFiguresAndWarningsOfEachRun) {
  const Json data = SweepOf({"seed"}, {{"1"}, {"2"}, {"3"}});
  const Json& runs = data["sweep"]["runs"];
  ASSERT_EQ(runs.size(), 3U);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    double longest = 0;
    for (const Json& figure : runs[i]["figures"]) {
      if (figure["key"] == "fct_max") longest = figure["value"];
    }
    EXPECT_EQ(longest, 1000 + 10.0 * static_cast<double>(i));
    EXPECT_FALSE(runs[i]["warnings"].empty());
  }
  EXPECT_NE(runs[0]["warnings"][0].get<std::string>().find("held by PFC"), std::string::npos);
  EXPECT_EQ(runs[1]["warnings"][0].get<std::string>().find("held by PFC"), std::string::npos);
}

/// A page of many runs stays small: it has no details of single runs.
TEST(ReportSweep, HasDetailsOfAFewRunsOnly) {
  std::vector<Text> values;
  for (std::size_t i = 0; i < kMostReportedRuns; ++i) values.push_back({std::to_string(i)});
  Json data = SweepOf({"seed"}, values);
  EXPECT_EQ(data["content"], "run");
  EXPECT_EQ(data["runs"].size(), kMostReportedRuns);
  values.push_back({"16"});
  data = SweepOf({"seed"}, values);
  EXPECT_EQ(data["content"], "sweep");
  EXPECT_TRUE(data["runs"].empty());
  EXPECT_EQ(data["sweep"]["runs"].size(), kMostReportedRuns + 1);
}

}  // namespace
}  // namespace heddle
