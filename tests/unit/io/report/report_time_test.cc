// SPDX-License-Identifier: GPL-2.0-only
/// Charts over time in the data of heddle report: loads of tiers and links, pauses, queues, their
/// bins.
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "io/report/report.h"
#include "io/report/report_parts.h"
#include "tests/support/io_test_util.h"
#include "tests/unit/io/report/report_runs.h"

namespace heddle {
namespace {

TEST(Report, TierLoadBecomesRowsOfThousandths) {
  const Table load{
      "tier_load",
      "",
      {{"from_ps", "ps", "", I64{0, 100, 0, 100}},
       {"to_ps", "ps", "", I64{100, 200, 100, 200}},
       {"tier", "1", "", Text{"host to leaf", "host to leaf", "leaf to host", "leaf to host"}},
       {"links", "1", "", U32{4, 4, 4, 4}},
       {"sent_bytes", "byte", "", I64{1, 2, 3, 4}},
       {"utilisation", "1", "", F64{0.25, 1, 0, 0.5}}}};
  const Json heat = RunOf(WriteRun("r.h5", {load}))["tier_load"];
  EXPECT_EQ(heat["bin_ps"], 100);
  ASSERT_EQ(heat["rows"].size(), 2u);
  EXPECT_EQ(heat["rows"][0]["name"], "host to leaf");
  EXPECT_EQ(heat["rows"][0]["values"], Json({250, 1000}));
  EXPECT_EQ(heat["rows"][1]["values"], Json({0, 500}));
}

/// One tier in intervals of 100 ps; the last interval ends at `end`.
Table LoadUntil(std::int64_t end, const std::function<double(std::size_t)>& utilisation) {
  I64 from, to;
  F64 share;
  for (std::int64_t at = 0; at < end; at += 100) {
    share.push_back(utilisation(from.size()));
    from.push_back(at);
    to.push_back(std::min(at + 100, end));
  }
  const std::size_t rows = from.size();
  return {"tier_load",
          "",
          {{"from_ps", "ps", "", from},
           {"to_ps", "ps", "", to},
           {"tier", "1", "", Text(rows, "host to leaf")},
           {"links", "1", "", U32(rows, 4)},
           {"sent_bytes", "byte", "", I64(rows)},
           {"utilisation", "1", "", share}}};
}

Json TierLoadOf(const Table& load, std::size_t bins) {
  ReportLimits limits;
  limits.time_bins = bins;
  return ReportTierLoad(ReportSource(WriteRun("r.h5", {load})), limits);
}

TEST(Report, TierLoadKeepsItsIntervalsWhereTheLastIsCut) {
  const Table load = LoadUntil(410, [](std::size_t i) { return i == 2 ? 1 : 0.25; });
  const Json heat = TierLoadOf(load, 256);
  EXPECT_EQ(heat["bin_ps"], 100);
  EXPECT_EQ(heat["rows"][0]["values"], Json({250, 250, 1000, 250, 250}));
  const Json fewer = TierLoadOf(load, 2);
  EXPECT_EQ(fewer["bin_ps"], 300);
  EXPECT_EQ(fewer["rows"][0]["values"], Json({500, 250}))
      << "the second bin has one interval and a tenth of one";
}

TEST(Report, SteadyTierLoadIsTheSameInAllBins) {
  for (const std::int64_t end : {1, 99, 100, 101, 1150, 12'799, 12'800, 12'801, 19'999, 25'555}) {
    const Table load = LoadUntil(end, [](std::size_t) { return 1; });
    for (const std::size_t bins : {1U, 2U, 64U, 100U, 256U}) {
      const Json heat = TierLoadOf(load, bins);
      const Json& values = heat["rows"][0]["values"];
      EXPECT_LE(values.size(), bins);
      EXPECT_EQ(values, Json(std::vector<int>(values.size(), 1000)))
          << end << " ps in " << bins << " bins";
      const auto width = heat["bin_ps"].get<std::int64_t>(),
                 count = static_cast<std::int64_t>(values.size());
      EXPECT_TRUE((count - 1) * width < end && end <= count * width)
          << end << " ps in " << bins << " bins";
    }
  }
}

/// 400 Gbit/s for 1 us are 50,000 bytes. Switch 6 has port i to GPU i.
TEST(Report, HotLinksSayWhoUsesThem) {
  const Json run = RunOf(WriteRun(
      "r.h5", {FlowsOf({{0, 2, 30'000, 0, 1'000'000, 1000}, {1, 2, 10'000, 0, 500'000, 1000}}),
               PortsOf({{0, 1, 30'000}, {1, 1, 10'000}, {6, 2, 40'000}})}));
  const Json& links = run["hot_links"]["links"];
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0]["from"], "switch 0");
  EXPECT_EQ(links[0]["to"], "server 1 / GPU 0");
  EXPECT_EQ(links[0]["tier"], "leaf to host");
  EXPECT_NEAR(links[0]["utilisation"].get<double>(), 0.8, 1e-6);
  EXPECT_EQ(links[0]["use"]["flows"], 2);
  EXPECT_EQ(
      links[0]["use"]["users"][0],
      Json({{"name", "server 0 / GPU 0 to server 1 / GPU 0"}, {"flows", 1}, {"bytes", 30'000}}));
  EXPECT_EQ(links[0]["at_once"], 2);
  EXPECT_NEAR(links[2]["utilisation"].get<double>(), 0.2, 1e-6);
  EXPECT_NEAR(links[2]["while_busy"].get<double>(), 0.4, 1e-6) << "for half of the run";
  EXPECT_EQ(links[1]["from"], "server 0 / GPU 0");
  EXPECT_EQ(links[1]["use"]["flows"], 1) << "the source's own port";
  EXPECT_EQ(run["tiers"].size(), 3u);
}

TEST(Report, HotLinksThatAreAlikeAreOne) {
  const Json hot = RunOf(WriteRun(
      "r.h5",
      {PortsOf({{0, 1, 10'000}, {1, 1, 10'000}, {2, 1, 10'000}, {3, 1, 9000}})}))["hot_links"];
  ASSERT_EQ(hot["links"].size(), 2u);
  EXPECT_EQ(hot["links"][0]["from"], "server 0 / GPU 0");
  EXPECT_EQ(hot["links"][0]["alike"], 3);
  EXPECT_EQ(hot["links"][1]["alike"], 1);
  EXPECT_EQ(hot["ports"], 4);
}

TEST(Report, LinksOverTimeAreBoundedAndKeepTheirBytes) {
  I64 time, bytes;
  U32 node, port;
  F64 rate;
  for (std::int64_t sample = 1; sample <= 3000; ++sample) {
    time.push_back(sample * 1000);
    node.push_back(6);
    port.push_back(2);
    bytes.push_back(50);  // 400 Gbit/s: 50 bytes a ns
    rate.push_back(400);
  }
  const Table links{"monitors/links",
                    "",
                    {{"time_ps", "ps", "", time},
                     {"node", "1", "", node},
                     {"port", "1", "", port},
                     {"sent_bytes", "byte", "", bytes},
                     {"throughput_gbps", "Gbit/s", "", rate}}};
  const Json heat = RunOf(WriteRun(
      "r.h5", {links}, {{"option monitor.link_interval", std::string("1ns")}}))["link_load"];
  ASSERT_EQ(heat["rows"].size(), 1u);
  EXPECT_EQ(heat["rows"][0]["name"], "switch 0 -> server 1 / GPU 0");
  const Json& values = heat["rows"][0]["values"];
  EXPECT_EQ(heat["bin_ps"], 12'000);
  ASSERT_EQ(values.size(), 250u);
  for (const Json& value : values) EXPECT_EQ(value, 1000);
}

TEST(Report, PausedShareCountsAPortOnceAndUntilTheEnd) {
  const Table pfc{"pfc",
                  "",
                  {{"time_ps", "ps", "", I64{0, 0, 250'000, 500'000}},
                   {"node", "1", "", U32{0, 0, 0, 3}},
                   {"port", "1", "", U32{1, 1, 1, 1}},
                   {"priority", "1", "", U8{3, 4, 3, 3}},
                   {"pause", "1", "", U8{1, 1, 0, 1}}}};
  const Json pauses =
      RunOf(WriteRun("r.h5", {pfc}, {{"simulated_ps", std::int64_t{1'000'000}}}))["pauses"];
  ASSERT_EQ(pauses["rows"].size(), 1u);
  EXPECT_EQ(pauses["rows"][0]["name"], "host to leaf");
  const Json& values = pauses["rows"][0]["values"];
  ASSERT_EQ(values.size(), 500u);
  EXPECT_EQ(values[0], 0.25)
      << "GPU 0's port, one of four, all the time: priority 4 is never resumed";
  EXPECT_EQ(values[400], 0.5) << "and GPU 3's";
}

/// A queue keeps its length until the next row: 100 bytes until 500 ns, then 7.
TEST(Report, QueuesHoldUntilTheNextRow) {
  const Table queues{"monitors/queues",
                     "",
                     {{"time_ps", "ps", "", I64{0, 100'000, 500'000}},
                      {"node", "1", "", U32{6, 6, 6}},
                      {"port", "1", "", U32{2, 2, 2}},
                      {"priority", "1", "", U8{3, 3, 3}},
                      {"queued_bytes", "byte", "", I64{0, 100, 7}},
                      {"port_bytes", "byte", "", I64{0, 100, 7}}}};
  const Json of =
      RunOf(WriteRun("r.h5", {queues}, {{"simulated_ps", std::int64_t{999'999}}}))["queues"];
  ASSERT_EQ(of["rows"].size(), 1u);
  EXPECT_EQ(of["rows"][0]["most"], 100);
  const Json& values = of["rows"][0]["values"];
  ASSERT_EQ(values.size(), 1000u);
  EXPECT_EQ(values[99], 0);
  EXPECT_EQ(values[100], 100);
  EXPECT_EQ(values[499], 100);
  EXPECT_EQ(values[500], 7);
  EXPECT_EQ(values[999], 7);
}

/// Two connections, of which the second one's weights are further apart.
TEST(Report, CastShowsTheConnectionWithTheMostUnequalWeights) {
  const Table cast{"monitors/cast",
                   "",
                   {{"time_ps", "ps", "", I64{10, 10, 20, 20, 30, 30}},
                    {"src", "1", "", U32{0, 0, 1, 1, 1, 1}},
                    {"dst", "1", "", U32{2, 2, 2, 2, 2, 2}},
                    {"connection", "1", "", U32{5, 5, 5, 5, 5, 5}},
                    {"priority", "1", "", U8{3, 3, 3, 3, 3, 3}},
                    {"queue_pair", "1", "", std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1}},
                    {"weight", "1", "", F64{0.5, 0.5, 0.6, 0.4, 0.9, 0.1}},
                    {"estimate_ps", "ps", "", I64{7, 8, 100, 200, 300, 900}},
                    {"posted_bytes", "byte", "", I64{1, 1, 60, 40, 150, 50}}}};
  const Json of = RunOf(WriteRun("r.h5", {cast}))["cast"];
  EXPECT_EQ(of["connections"], 2);
  ASSERT_EQ(of["rows"].size(), 2u);
  const Json& first = of["rows"][0];
  EXPECT_EQ(first["src"], 1);
  EXPECT_EQ(first["updates"], 2);
  EXPECT_EQ(first["least_weight"], 0.1);
  EXPECT_EQ(first["most_weight"], 0.9);
  EXPECT_EQ(first["least_estimate_ps"], 300);
  EXPECT_EQ(first["most_estimate_ps"], 900);
  EXPECT_EQ(first["bytes"], 200);
  EXPECT_EQ(first["most_share"], 0.75);
  ASSERT_EQ(of["curves"].size(), 2u);
  EXPECT_EQ(of["curves"][1]["time_ps"], Json({20, 30}));
  EXPECT_EQ(of["curves"][1]["weight"], Json({0.4, 0.1}));
  EXPECT_EQ(of["curves"][1]["estimate_ps"], Json({200, 900}));
  EXPECT_EQ(of["curves"][0]["bytes"], Json({60, 150}));
}

/// Intervals of 1 us until 256 us, then of 2 us: bins of 2 us. The link is full until the end.
TEST(Report, AutomaticIntervalsBecomeEqualBins) {
  I64 time, bytes;
  std::int64_t before = 0;
  const std::int64_t end = 301'000'000;
  for (std::int64_t us = 1; before < end; us += us < 256 ? 1 : 2) {
    time.push_back(std::min(us * 1'000'000, end));
    bytes.push_back((time.back() - before) / 20);  // 400 Gbit/s: 50 bytes a ns
    before = time.back();
  }
  const std::size_t rows = time.size();
  const Table links{"monitors/links",
                    "",
                    {{"time_ps", "ps", "", time},
                     {"node", "1", "", U32(rows, 6)},
                     {"port", "1", "", U32(rows, 2)},
                     {"sent_bytes", "byte", "", bytes},
                     {"throughput_gbps", "Gbit/s", "", F64(rows, 400)}}};
  const Json heat = RunOf(WriteRun(
      "r.h5", {links},
      {{"option monitor.link_interval", std::string("auto")}, {"simulated_ps", end}}))["link_load"];
  EXPECT_EQ(heat["bin_ps"], 2'000'000);
  EXPECT_EQ(heat["end_ps"], end);
  const Json& values = heat["rows"][0]["values"];
  ASSERT_EQ(values.size(), 151u);
  for (const Json& value : values) EXPECT_EQ(value, 1000);
}

}  // namespace
}  // namespace heddle
