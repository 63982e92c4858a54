// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_perfetto.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "io/result/graph_table.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U16 = std::vector<std::uint16_t>;
using Texts = std::vector<std::string>;
using nlohmann::json;

/// GPU 0 computes, waits for an AllReduce, and computes while two more overlap; GPU 1 computes.
/// Times in us.
Table Steps() {
  I64 start = {0, 100, 200, 150, 210, 0};
  I64 end = {100, 200, 300, 250, 260, 50};
  for (I64* times : {&start, &end}) {
    for (std::int64_t& time : *times) time *= 1'000'000;
  }
  end[0] += 999;  // rounded down to ns
  return {"steps",
          "",
          {{"job", "1", "", U32{0, 0, 0, 0, 0, 0}},
           {"gpu", "1", "", U32{0, 0, 0, 0, 0, 1}},
           {"pass", "1", "", U32{0, 0, 0, 0, 0, 0}},
           {"layer", "1", "", U32{0, 0, 1, 0, 0, 0}},
           {"phase", "1", "", Texts{"fwd", "fwd", "ig", "wg", "wg", "fwd"}},
           {"kind", "1", "",
            Texts{"compute", "communicate", "compute", "communicate", "communicate", "compute"}},
           {"operation", "1", "", I64{-1, 0, -1, 1, 2, -1}},
           {"group", "1", "", I64{-1, 3, -1, 3, 9, -1}},
           {"start_ps", "ps", "", start},
           {"end_ps", "ps", "", end}}};
}

Table Collectives() {
  return {"collectives",
          "",
          {{"job", "1", "", U32{0, 0}},
           {"operation", "1", "", U32{0, 1}},
           {"group", "1", "", U32{3, 3}},
           {"op", "1", "", Texts{"ALLREDUCE", "ALLGATHER"}},
           {"group_type", "1", "", Texts{"TP", "DP"}},
           {"layer_name", "1", "", Texts{"attention\xff\"", "mlp"}},
           {"algorithm", "1", "", Texts{"RING", "RING"}},
           {"protocol", "1", "", Texts{"SIMPLE", "LL"}},
           {"micro_batch", "1", "", U32{0, 0}},
           {"ranks", "1", "", U32{8, 4}},
           {"bytes", "byte", "", I64{4096, 8192}}}};
}

/// Two flows of GPU 0 at once, one of NVSwitch 4 to GPU 1, one unfinished, one of GPU 3, which has
/// no job.
Table TracedFlows() {
  return {"flows",
          "",
          {{"src", "1", "", U32{0, 0, 4, 0, 3}},
           {"dst", "1", "", U32{1, 4, 1, 1, 2}},
           {"number", "1", "", U32{0, 1, 0, 2, 0}},
           {"size_bytes", "byte", "", I64{10, 20, 30, 40, 50}},
           {"start_ps", "ps", "", I64{2'000'000, 1'000'000, 0, 0, 0}},
           {"fct_ps", "ps", "", I64{5'000'000, 4'000'000, 1'000'000, -1, 1'000'000}},
           {"operation", "1", "", U32{0, 0, 1, 0, 7}},
           {"channel", "1", "", U16{1, 2, 0, 0, 0}},
           {"chunk", "1", "", U32{5, 6, 0, 0, 0}}}};
}

TraceTables Tables() {
  Table layers{"layers",
               "",
               {{"job", "1", "", U32{0, 0}},
                {"layer", "1", "", U32{0, 1}},
                {"name", "1", "", Texts{"attention", "mlp"}}}};
  Table jobs{"jobs", "", {{"job", "1", "", U32{0}}, {"name", "1", "", Texts{"gpt"}}}};
  Table ranks{"ranks", "", {{"job", "1", "", U32{0, 0}}, {"gpu", "1", "", U32{0, 1}}}};
  return {ShapeTable(SmallGraph()), jobs, ranks, layers, Collectives(), Steps(), {}};
}

json Trace(const TraceTables& tables) {
  std::ostringstream out;
  ExportPerfetto(tables, out);
  return json::parse(out.str());
}

/// Names of tracks by process and thread.
std::map<std::pair<int, int>, std::string> TrackNames(const json& trace) {
  std::map<std::pair<int, int>, std::string> names;
  for (const json& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") names[{event["pid"], event["tid"]}] = event["args"]["name"];
  }
  return names;
}

std::vector<json> IntervalsOn(const json& trace, const std::string& track) {
  const auto names = TrackNames(trace);
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && names.at({event["pid"], event["tid"]}) == track)
      found.push_back(event);
  }
  return found;
}

TEST(ExportPerfetto, StepsAreIntervalsOfNamedTracks) {
  const json trace = Trace(Tables());
  EXPECT_EQ(trace["displayTimeUnit"], "ns");
  EXPECT_EQ(trace["traceEvents"][0]["name"], "process_name");
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "job 0: gpt");
  const auto compute = IntervalsOn(trace, "GPU 0 compute");
  ASSERT_EQ(compute.size(), 2u);
  EXPECT_EQ(compute[0]["name"], "attention fwd");
  EXPECT_EQ(compute[0]["dur"], 100.0);
  EXPECT_EQ(compute[1]["ts"], 200.0);
  EXPECT_EQ(compute[1]["args"]["layer_name"], "mlp");
  const auto communication = IntervalsOn(trace, "GPU 0 communication");
  ASSERT_EQ(communication.size(), 2u);
  EXPECT_EQ(communication[0]["name"], "ALLREDUCE TP");
  EXPECT_EQ(communication[0]["args"]["bytes"], 4096);
  EXPECT_EQ(communication[0]["args"]["algorithm"], "RING");
  EXPECT_EQ(communication[0]["args"]["group"], 3);
  EXPECT_EQ(communication[1]["name"], "attention wg")
      << "operation 2 of group 9 is not in the table";
  EXPECT_EQ(IntervalsOn(trace, "GPU 0 communication 2").size(), 1u);
  EXPECT_EQ(IntervalsOn(trace, "GPU 1 compute").size(), 1u);
}

TEST(ExportPerfetto, IntervalsOfATrackDoNotOverlap) {
  TraceTables tables = Tables();
  tables.flows = TracedFlows();
  std::map<std::pair<int, int>, double> ends;
  std::size_t intervals = 0;
  const json trace = Trace(tables);
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    double& end = ends[{event["pid"], event["tid"]}];
    EXPECT_GE(event["ts"].get<double>(), end) << event;
    end = event["ts"].get<double>() + event["dur"].get<double>();
    ++intervals;
  }
  EXPECT_EQ(intervals, 6u + 4u);
}

TEST(ExportPerfetto, FlowsAreLinkedToTheirCollective) {
  TraceTables tables = Tables();
  tables.flows = TracedFlows();
  const json trace = Trace(tables);
  const auto first = IntervalsOn(trace, "GPU 0 flows");
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0]["name"], "ALLREDUCE TP to NVSwitch 4") << "it starts before flow 0";
  EXPECT_EQ(first[0]["args"]["channel"], 2);
  EXPECT_EQ(first[0]["args"]["layer_name"], "attention\xEF\xBF\xBD\"")
      << "what is no UTF-8 is replaced";
  EXPECT_EQ(IntervalsOn(trace, "GPU 0 flows 2").size(), 1u);
  const auto down = IntervalsOn(trace, "NVSwitch 4 flows");
  ASSERT_EQ(down.size(), 1u);
  EXPECT_EQ(down[0]["pid"], 0);
  EXPECT_EQ(down[0]["name"], "ALLGATHER DP to GPU 1");
  const auto outside = IntervalsOn(trace, "GPU 3 flows");
  ASSERT_EQ(outside.size(), 1u);
  EXPECT_EQ(outside[0]["pid"], 1);
  EXPECT_EQ(outside[0]["name"], "to GPU 2");
}

TEST(ExportPerfetto, FlowsWithoutCollectivesAreNamedByTheirEnds) {
  TraceTables tables = Tables();
  tables.flows = TracedFlows();
  tables.flows->columns.resize(6);
  EXPECT_EQ(IntervalsOn(Trace(tables), "GPU 0 flows")[0]["name"], "to NVSwitch 4");
}

TEST(ExportPerfetto, EmptyTimeLinesAreATrace) {
  TraceTables tables = Tables();
  for (Column& column : tables.steps.columns)
    std::visit([](auto& values) { values.clear(); }, column.data);
  EXPECT_EQ(Trace(tables)["traceEvents"].size(), 2u);
}

TEST(ExportPerfetto, MissingColumnIsNamed) {
  TraceTables tables = Tables();
  tables.steps.columns.pop_back();
  std::ostringstream out;
  EXPECT_NE(MessageOf([&] { ExportPerfetto(tables, out); }).find("table steps: no column end_ps"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
