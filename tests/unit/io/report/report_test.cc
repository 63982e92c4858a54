// SPDX-License-Identifier: GPL-2.0-only
/// The data of heddle report, from results of ResultWriter: figures computed by hand, limits of
/// size, escaping of texts.
#include "io/report/report.h"

#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/printable.h"
#include "io/report/report_parts.h"
#include "io/report/run_names.h"
#include "io/result/graph_table.h"
#include "io/result/result_writer.h"
#include "io/table/log_histogram.h"
#include "tests/support/io_test_util.h"
#include "tests/support/made_result.h"
#include "tests/unit/io/report/report_runs.h"

namespace heddle {
namespace {

double Figure(const Json& run, const std::string& key) {
  for (const Json& figure : run["figures"]) {
    if (figure["key"] == key) return figure["value"];
  }
  return NAN;
}

TEST(Report, FiguresOfAFewFlows) {
  const Json run = RunOf(WriteRun("r.h5", {FlowsOf({{0, 2, 1000, 0, 1000, 1000},
                                                    {1, 2, 1500, 0, 3000, 1000},
                                                    {3, 2, 4096, 500, 9500, 1000},
                                                    {3, 1, 4096, 500, -1, 1000, 4}})}));
  EXPECT_EQ(Figure(run, "simulated"), 10'000);
  EXPECT_EQ(Figure(run, "planned"), 4);
  EXPECT_EQ(Figure(run, "finished"), 3);
  EXPECT_EQ(Figure(run, "fct_mean"), 4500);
  EXPECT_EQ(Figure(run, "fct_max"), 9500);
  EXPECT_LE(Figure(run, "fct_p99"), 9500);
  EXPECT_NEAR(Figure(run, "slowdown_mean"), 4.5, 1e-9);
  EXPECT_EQ(Figure(run, "slowdown_max"), 9.5);
  EXPECT_NEAR(Figure(run, "goodput"), 6596 * 8 / 10'000e-12, 1e6);
  ASSERT_EQ(run["sizes"].size(), 3u);  // 512, 1024 and 4096 bytes and more
  EXPECT_EQ(run["sizes"][0]["from"], 512);
  EXPECT_EQ(run["sizes"][2]["flows"], 1);
  ASSERT_EQ(run["warnings"].size(), 1u);
  EXPECT_NE(run["warnings"][0].get<std::string>().find("1 of 4 flows did not finish: held by PFC"),
            std::string::npos);
  for (const char* section :
       {"collectives", "layers", "jobs", "controller", "link_load", "queues", "pauses", "ranks"}) {
    EXPECT_TRUE(run[section].is_null()) << section;
  }
}

/// The histograms of format 2.0 cover all flows, unlike /flows, which is a sample.
TEST(Report, TakesTheHistogramsWhereThereAreSome) {
  const Table sizes{"flow_sizes",
                    "",
                    {{"from_bytes", "byte", "", I64{1024, 4096}},
                     {"to_bytes", "byte", "", I64{2048, 8192}},
                     {"flows", "1", "", I64{90, 10}},
                     {"bytes", "byte", "", I64{90 * 1024, 10 * 4096}},
                     {"fct_mean_ps", "ps", "", F64{100, 1000}},
                     {"fct_max_ps", "ps", "", I64{200, 2000}},
                     {"slowdown_mean", "1", "", F64{1, 5}},
                     {"slowdown_max", "1", "", F64{2, 8}}}};
  const Table slowdowns{"slowdown_histogram",
                        "",
                        {{"from_bytes", "byte", "", I64{1024, 4096, 4096}},
                         {"slowdown_from", "1", "", F64{1, 4, 8}},
                         {"slowdown_to", "1", "", F64{1.015625, 4.0625, 8.125}},
                         {"flows", "1", "", I64{90, 8, 2}}}};
  const Table fcts{"fct_histogram",
                   "",
                   {{"fct_from_ps", "ps", "", I64{100, 1984}},
                    {"fct_to_ps", "ps", "", I64{101, 2015}},
                    {"flows", "1", "", I64{90, 10}}}};
  const Json run =
      RunOf(WriteRun("r.h5", {FlowsOf({{0, 2, 1024, 0, 100, 100}}), sizes, slowdowns, fcts},
                     {{"simulated_ps", std::int64_t{5000}},
                      {"flows_planned", std::int64_t{101}},
                      {"flows_finished", std::int64_t{100}},
                      {"flows_recorded", std::string("sample:100")}}));
  EXPECT_EQ(Figure(run, "planned"), 101);
  EXPECT_EQ(Figure(run, "finished"), 100);
  EXPECT_EQ(Figure(run, "simulated"), 5000);
  EXPECT_NEAR(Figure(run, "fct_mean"), 190, 1e-9);
  EXPECT_NEAR(Figure(run, "fct_p50"), 100.5, 0.5);
  EXPECT_EQ(Figure(run, "fct_p99"), 2000) << "never more than the longest";
  EXPECT_NEAR(Figure(run, "slowdown_p99"), 8, 0.2);
  EXPECT_EQ(run["sizes"][1]["p99"], 8) << "never more than the worst";
  EXPECT_NEAR(run["sizes"][1]["p50"].get<double>(), 4.04, 0.03);
  EXPECT_EQ(run["completion"]["fct"]["share"].back(), 1);
  EXPECT_NE(run["warnings"].dump().find("sample of the flows"), std::string::npos);
}

TEST(Report, FlowsWithoutAnIdealTimeHaveNoSlowdown) {
  const std::vector<Table> flows = {
      FlowsOf({{0, 2, 1000, 0, 1000, 0}, {1, 2, 1000, 0, 3000, 1000}, {3, 2, 9000, 0, 500, 0}})};
  const Json counted = RunOf(WriteRun("r.h5", flows));
  EXPECT_EQ(Figure(counted, "slowdown_mean"), 3);
  EXPECT_NEAR(Figure(counted, "slowdown_p50"), 3, 0.05);
  EXPECT_EQ(Figure(counted, "fct_mean"), 1500);
  ASSERT_EQ(counted["sizes"].size(), 2u);
  EXPECT_EQ(counted["sizes"][0]["mean"], 3);
  EXPECT_EQ(counted["sizes"][1]["mean"], 0);
  EXPECT_EQ(counted["sizes"][1]["flows"], 1);
  MadeResult made = ResultWithoutAnIdealTime();
  const std::vector<Table> histograms = {made.table("flow_sizes"), made.table("slowdown_histogram"),
                                         made.table("fct_histogram")};
  EXPECT_EQ(Figure(RunOf(WriteRun("h.h5", histograms)), "slowdown_mean"), 2);
}

TEST(Report, ADeadlockIsSaidBeforeTheFlowsThatItHolds) {
  const std::vector<Attribute> root = {
      {"deadlock",
       std::string("switch 7 port 1 -> switch 8 port 2 -> switch 7 port 1 (priority 3)")}};
  const Json run = RunOf(WriteRun("r.h5", {FlowsOf({{3, 1, 4096, 500, -1, 1000, 4}})}, root));
  ASSERT_EQ(run["warnings"].size(), 2u);
  EXPECT_EQ(run["warnings"][0],
            "The run ended in a deadlock, a cycle of paused ports that wait for each other: "
            "switch 7 port 1 -> switch 8 port 2 -> switch 7 port 1 (priority 3).");
  EXPECT_NE(run["warnings"][1].get<std::string>().find("held by PFC"), std::string::npos);
}

TEST(Report, IdleNicPortsAreAFinding) {
  const auto warnings = [](double idle) {
    return RunOf(WriteRun("r.h5", {FlowsOf({{3, 1, 4096, 500, 1000, 1000}})},
                          {{"nic_ports_idle", idle}}))["warnings"];
  };
  ASSERT_EQ(warnings(0.5).size(), 1u);
  EXPECT_NE(warnings(0.5)[0].get<std::string>().find("idle for 50 % of the time"),
            std::string::npos);
  EXPECT_TRUE(warnings(0.1).empty());
}

/// Two groups take 1 us and 3 us for 8000 bytes: 2 us on average, 4 GB/s.
TEST(Report, CollectivesAreOfTheMeanTime) {
  const Text same{"TP", "TP", "TP"};
  const Table collectives{"collectives",
                          "",
                          {{"op", "1", "", Text{"ALLREDUCE", "ALLREDUCE", "ALLREDUCE"}},
                           {"group_type", "1", "", same},
                           {"algorithm", "1", "", Text{"RING", "RING", "RING"}},
                           {"protocol", "1", "", Text{"NONE", "NONE", "NONE"}},
                           {"ranks", "1", "", U32{2, 2, 2}},
                           {"bytes", "byte", "", I64{8000, 8000, 8000}},
                           {"time_ps", "ps", "", I64{1'000'000, 3'000'000, -1}},
                           {"wait_ps", "ps", "", I64{500'000, 0, 0}},
                           {"ideal_ps", "ps", "", I64{750'000, 0, 0}},
                           {"algbw", "B/s", "", F64{8e9, 8e9 / 3, 0}},
                           {"busbw", "B/s", "", F64{12e9, 4e9, 0}}}};
  const Json rows = RunOf(WriteRun("r.h5", {collectives}))["collectives"]["rows"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["finished"], 2);
  EXPECT_EQ(rows[0]["unfinished"], 1);
  EXPECT_EQ(rows[0]["mean_ps"], 2'000'000);
  EXPECT_EQ(rows[0]["wait_ps"], 250'000);
  EXPECT_EQ(rows[0]["line_rate"], 0.75) << "of the one whose least time is known";
  EXPECT_EQ(rows[0]["algbw"], 4e9);
  EXPECT_EQ(rows[0]["busbw"], 6e9);
}

TEST(Report, OptionsThatDifferFromTheDefault) {
  const std::string path = WriteRun("r.h5", {},
                                    {{"option a.same", std::string("1")},
                                     {"option a.other", std::string("2")},
                                     {"option b.new", std::string("x")}});
  const Json options =
      DataOf({path}, {{"a.same", "1"}, {"a.other", "1"}})["runs"][0]["about"]["options"];
  ASSERT_EQ(options.size(), 2u);
  EXPECT_EQ(options[0], Json({{"key", "a.other"}, {"value", "2"}, {"usual", "1"}}));
  EXPECT_TRUE(options[1]["usual"].is_null());
}

/// Data with any text must stay within the script element, and the title within its own.
TEST(Report, TextsStayTexts) {
  const std::string evil = "</script><img src=x onerror=alert(1)><!--\"'&\xff{{data}}";
  const std::string path = WriteRun("r.h5", {}, {{"command_line", evil}, {"option k", evil}});
  const ReportAssets assets{
      "<title>{{title}}</title><script id=d>{{data}}</script>{{chart script}}",
      "",
      "",
      "",
      "draw()",
      ""};
  const std::string page = MakeReport({{path}, evil, evil, {}}, assets);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  const std::string end = "</script>";
  EXPECT_EQ(page.find(end), page.rfind(end)) << "one end of one script element";
  const std::size_t begin = page.find("<script id=d>") + 13;
  const Json data = Json::parse(page.substr(begin, page.find(end) - begin));
  EXPECT_EQ(data["runs"][0]["about"]["command"].get<std::string>().substr(0, 30),
            evil.substr(0, 30))
      << "and yet it is all there";
  EXPECT_EQ(EscapeHtml("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
}

TEST(Report, APageStaysSmallWhateverTheResult) {
  std::vector<FlowRow> rows;
  std::mt19937_64 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const auto fct =
        static_cast<std::int64_t>(std::exp(static_cast<double>(random() % 20'000) / 1000) * 1000) +
        1;
    rows.push_back({static_cast<std::uint32_t>(random() % 2),
                    2 + static_cast<std::uint32_t>(random() % 2),
                    1 + static_cast<std::int64_t>(random() % 10'000'000), i, fct, 1000});
  }
  const std::string path = WriteRun("r.h5", {FlowsOf(rows)});
  const std::string data = ReportData({{path}, "", "", {}});
  EXPECT_LT(data.size(), 100'000u);
  const Json run = Json::parse(data)["runs"][0];
  EXPECT_GT(run["completion"]["fct"]["x"].size(), 200u);
  EXPECT_LT(run["completion"]["fct"]["x"].size(), 1100u);
}

TEST(Report, RefusesWhatIsNoResult) {
  const std::string path = TempPath("no.h5");
  WriteBytes(path, "no HDF5");
  EXPECT_THROW(ReportData({{path}, "", "", {}}), UserError);
  const std::string outside = WriteRun("r.h5", {PortsOf({{6, 9, 1}})});
  const std::string message = MessageOf([&] { ReportData({{outside}, "", "", {}}); });
  EXPECT_NE(message.find("table ports: port 9 of node 6"), std::string::npos) << message;
}

TEST(Report, FailuresAndWhatTheyCost) {
  Table flows = FlowsOf({{0, 2, 1000, 0, 9000, 1000}, {1, 2, 1500, 0, 3000, 1000}});
  const Table recovery{"recovery",
                       "",
                       {{"src", "1", "", U32{0, 1}},
                        {"number", "1", "", U32{0, 1}},
                        {"timeouts", "1", "", U16{2, 0}},
                        {"waited_ps", "ps", "", I64{8000, 0}},
                        {"nacks", "1", "", U32{0, 3}},
                        {"resent_bytes", "byte", "", I64{100, 200}}}};
  const Table events{"failures",
                     "",
                     {{"time_ps", "ps", "", I64{500, 1'000'000}},
                      {"event", "1", "", Text{"link_down", "node_up"}},
                      {"node", "1", "", U32{6, 6}},
                      {"peer", "1", "", I64{2, -1}},
                      {"cable", "1", "", I64{-1, -1}},
                      {"rate_bps", "bit/s", "", I64{0, 0}}}};
  const Json found = RunOf(WriteRun("r.h5", {flows, recovery, events}))["failures"];
  ASSERT_EQ(found["events"].size(), 2u);
  EXPECT_EQ(found["events"][0]["where"], "switch 0 - server 1 / GPU 0");
  EXPECT_EQ(found["events"][0]["after_end"], false);
  EXPECT_EQ(found["events"][1]["where"], "switch 0");
  EXPECT_EQ(found["events"][1]["after_end"], true);
  EXPECT_EQ(found["timeouts"], 2);
  EXPECT_EQ(found["nacks"], 3);
  EXPECT_EQ(found["resent"], 300);
  ASSERT_EQ(found["rows"].size(), 2u);
  EXPECT_EQ(found["rows"][0]["flow"], "server 0 / GPU 0 to server 1 / GPU 0");
  EXPECT_EQ(found["rows"][0]["fct_ps"], 9000);
  EXPECT_TRUE(RunOf(WriteRun("none.h5", {}))["failures"].is_null());
}

TEST(Report, StepTimeAndBusBandwidthAreTheFirstFigures) {
  const Table jobs{"jobs",
                   "",
                   {{"job", "1", "", U32{0}},
                    {"name", "1", "", Text{""}},
                    {"workload", "1", "", Text{"w"}},
                    {"gpus", "1", "", U32{4}},
                    {"tp", "1", "", U32{4}},
                    {"dp", "1", "", U32{1}},
                    {"pp", "1", "", U32{1}},
                    {"ep", "1", "", U32{1}},
                    {"placement", "1", "", Text{"packed"}},
                    {"start_ps", "ps", "", I64{1000}},
                    {"passes", "1", "", U32{2}},
                    {"end_ps", "ps", "", I64{5000}}}};
  // 12 GB/s for 1 us, after its receiver waited for 8 us, and 4 GB/s for 3 us.
  const Table collectives{"collectives",
                          "",
                          {{"op", "1", "", Text{"SENDRECV", "SENDRECV"}},
                           {"group_type", "1", "", Text{"PP", "PP"}},
                           {"algorithm", "1", "", Text{"DIRECT", "DIRECT"}},
                           {"protocol", "1", "", Text{"NONE", "NONE"}},
                           {"ranks", "1", "", U32{2, 2}},
                           {"bytes", "byte", "", I64{12'000, 12'000}},
                           {"start_ps", "ps", "", I64{0, 1'000'000}},
                           {"end_ps", "ps", "", I64{9'000'000, 4'000'000}},
                           {"time_ps", "ps", "", I64{1'000'000, 3'000'000}},
                           {"wait_ps", "ps", "", I64{8'000'000, 0}},
                           {"ideal_ps", "ps", "", I64{0, 0}},
                           {"algbw", "B/s", "", F64{12e9, 4e9}},
                           {"busbw", "B/s", "", F64{12e9, 4e9}}}};
  const Json figures =
      RunOf(WriteRun("r.h5", {jobs, collectives}, {{"packet_hops", std::int64_t{7}}}))["figures"];
  EXPECT_EQ(figures[0]["label"], "Step time");
  EXPECT_EQ(figures[0]["value"], 2000);
  EXPECT_EQ(figures[1]["label"], "Bus bandwidth, SENDRECV of PP");
  EXPECT_EQ(figures[1]["value"], 6e9);
  EXPECT_EQ(figures.back()["group"], "Simulator");
}

TEST(RunNames, AreWhatDiffers) {
  EXPECT_EQ(RunNames({"a/x_run.h5"}), Text{"x_run"});
  EXPECT_EQ(RunNames({"x_a_run.h5", "x_b_run.h5"}), (Text{"a", "b"}));
  EXPECT_EQ(
      RunNames({"run_BUFFER_SIZE-2_CC_MODE-1_seed-1.h5", "run_BUFFER_SIZE-4_CC_MODE-1_seed-2.h5"}),
      (Text{"run_BUFFER_SIZE-2 seed-1", "run_BUFFER_SIZE-4 seed-2"}));
  EXPECT_EQ(RunNames({"CC_MODE-1_ecn.kmin-6-25000000000-100-40000000000-200.h5",
                      "CC_MODE-1_ecn.kmin-6-25000000000-100-40000000000-400.h5"}),
            (Text{"ecn.kmin-...-200", "ecn.kmin-...-400"}));
  EXPECT_EQ(RunNames({"a_b.h5", "a.h5"}), (Text{"a_b", "a"})) << "other numbers of parts";
  EXPECT_EQ(RunNames({"one/r.h5", "two/r.h5"}), (Text{"one/r.h5", "two/r.h5"}));
}

TEST(Report, EqualNamesBecomePaths) {
  const std::string path = WriteRun("r.h5", {});
  const Json data = DataOf({path, path});
  EXPECT_EQ(data["runs"][0]["name"], path);
  EXPECT_EQ(RunOf(path)["name"].get<std::string>().find('/'), std::string::npos);
}

}  // namespace
}  // namespace heddle
