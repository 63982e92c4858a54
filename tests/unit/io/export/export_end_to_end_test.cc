// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_end_to_end.h"

#include <sstream>

#include "tests/support/io_test_util.h"
#include "tests/unit/io/export/workload_tables.h"

namespace heddle {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

std::string Report(const EndToEndTables& tables, const ReportChoice& choice = {}) {
  std::ostringstream out;
  ExportEndToEnd(tables, choice, out);
  return out.str();
}

/// The lines that SimAI's report has, too.
std::string SimaisLines(const EndToEndTables& tables) {
  const std::string report = Report(tables);
  const std::size_t own = report.find("total time without the last wait,");
  EXPECT_EQ(report.find('\n', own), report.size() - 1) << "the last line";
  return report.substr(0, own);
}

/// The report that SimAI wrote for a case, with 0 for what it divided by 0.
std::string Reference(const std::string& name) {
  std::string text =
      ReadBytes(std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/ncclFlowModel_EndToEnd.csv");
  for (std::size_t at = text.find("-nan"); at != std::string::npos; at = text.find("-nan", at))
    text.replace(at, 4, "0.000000");
  return text;
}

/// The field of a line, both counted from 0.
std::string Field(const std::string& report, int line, int field,
                  const std::string& separator = ",") {
  std::istringstream lines(report);
  std::string text;
  for (int i = 0; i <= line; ++i) std::getline(lines, text);
  std::size_t at = 0;
  for (int i = 0; i < field; ++i) at = text.find(separator, at) + separator.size();
  return text.substr(at, text.find(separator, at) - at);
}

TEST(ExportEndToEnd, IsSimaisTextForTensorParallelGathersAndAWaitAtTheEnd) {
  const PhaseFigures fwd{1, 62588, 62588, "ALLGATHER", 16 * kMiB, "TP", 8, 7.0 / 8};
  const PhaseFigures ig{1, 62768, 62768, "REDUCESCATTER", 16 * kMiB, "TP", 8, 7.0 / 8};
  const PhaseFigures wg{1, 970'671, 1'033'438, "REDUCESCATTER", 64 * kMiB, "DP", 4, 3.0 / 4};
  const std::vector<LayerFigures> layers = {{"layer0", fwd, ig, {}},
                                            {"layer1", fwd, ig, wg, 970'671}};
  EXPECT_EQ(SimaisLines(TablesOf({0, 1'221'389}, layers)), Reference("c1_sx32_ag_rs"));
}

TEST(ExportEndToEnd, IsSimaisTextForADataParallelAllReduceOfTheFirstLayer) {
  const PhaseFigures wg{1, 2'066'844, 2'066'845, "ALLREDUCE", 64 * kMiB, "DP", 4, 1.5};
  const std::vector<LayerFigures> layers = {{"layer0", {}, {}, wg, 2'066'844}};
  EXPECT_EQ(SimaisLines(TablesOf({0, 2'066'850}, layers)), Reference("c1_sx32_dp4_ar64M"));
}

TEST(ExportEndToEnd, IsSimaisTextForLayersThatCompute) {
  const PhaseFigures small{556'000, 141'464, 141'464, "ALLREDUCE", 16 * kMiB};
  const PhaseFigures large{556'000, 434'556, 434'556, "ALLREDUCE", 64 * kMiB};
  const std::vector<LayerFigures> layers = {{"embedding_layer", small, {}, {}},
                                            {"embedding_layer", large, {}, {}}};
  EXPECT_EQ(SimaisLines(TablesOf({0, 1'688'030}, layers)), Reference("c2_sx128a100_micro"));
}

/// A spreadsheet computes no layer's name, and a name has one column.
TEST(ExportEndToEnd, NamesAreCellsOfText) {
  const PhaseFigures fwd{1, 62588, 62588, "ALLGATHER", 16 * kMiB, "TP", 8, 7.0 / 8};
  const std::string report =
      Report(TablesOf({0, 1'221'389}, {{"=1+1,x", fwd, {}, {}}, {"@SUM(A1)", fwd, {}, {}}}));
  EXPECT_NE(report.find("\n\"'=1+1,x\","), std::string::npos) << report;
  EXPECT_NE(report.find("\n'@SUM(A1),"), std::string::npos) << report;
}

TEST(ExportEndToEnd, IsSimaisTextForExperts) {
  const PhaseFigures fwd{1, 260'006, 260'006, "ALLTOALL", 16 * kMiB, "EP", 4, 3.0 / 4};
  const PhaseFigures ig{1, 259'636, 259'636, "ALLTOALL", 16 * kMiB, "EP", 4, 3.0 / 4};
  EXPECT_EQ(SimaisLines(TablesOf({0, 519'648}, {{"layer0", fwd, ig, {}}})),
            Reference("c1_sx32_ep4_ata"));
}

TEST(ExportEndToEnd, PassesStartAndNameCount) {
  // Two passes from 1 ms on: 32 MiB in all in 2 ms are 15.625 GB/s.
  const PhaseFigures fwd{0, 2'000'000, 2'000'000, "ALLREDUCE", 16 * kMiB, "TP", 8, 1.75};
  JobFigures job{1'000'000, 5'000'000};
  job.passes = 2;
  job.name = "gpt";
  const std::string report = Report(TablesOf(job, {{"a", fwd, {}, {}}}));
  EXPECT_EQ(Field(report, 3, 1), "gpt");
  EXPECT_EQ(Field(report, 3, 9), "15.625000");
  EXPECT_EQ(Field(report, 3, 10), "27.343750");
  EXPECT_EQ(Field(report, 3, 17), "4000.000000");
}

/// 100 us: 6 computing, 2 exposed, 90 waiting for the other stages, 70 of them before these sent.
/// By SimAI's formula the bubble is (1 us of exposed forward + 3 us of computing) * (4 - 1) / (2 *
/// 3) = 2 us; embedding_layer is left out.
TEST(ExportEndToEnd, StagesAndTheirBubbleAreMeasured) {
  JobFigures job{0, 100'000, 4, 3, 2};
  const PhaseFigures one_us{1000};
  const PhaseFigures fwd{1000, 1000, 1000, "ALLREDUCE", kMiB};
  const std::vector<LayerFigures> layers = {{"embedding_layer", fwd, one_us, one_us},
                                            {"a", fwd, one_us, one_us, 0, 90'000}};
  EndToEndTables tables = TablesOf(job, layers);
  tables.collectives = MessagesOf({{0, "PP", 0, 0, 40'000},
                                   {0, "PP", 0, 0, 30'000},
                                   {0, "PP", 0, 1, 1000},
                                   {0, "PP", 1, 0, 2000},
                                   {1, "PP", 0, 0, 3000},
                                   {0, "TP", 0, -1, 0}});
  const std::string report = Report(tables);
  EXPECT_EQ(Field(report, 1, 5, ", "), "20 (20.00%)") << "their messages";
  EXPECT_EQ(Field(report, 1, 6, ", "), "70 (70.00%)") << "the bubble";
  double sum = 0;
  for (int part = 1; part <= 7; ++part)
    sum +=
        std::stod(Field(report, 1, part, ", ").substr(Field(report, 1, part, ", ").find('(') + 1));
  EXPECT_NEAR(sum, 98, 0.05);
  EXPECT_EQ(Field(report, 7, 4), "bubble by SimAI's formula");
  EXPECT_EQ(Field(report, 7, 5), "2.000000");
}

TEST(ExportEndToEnd, TheLastLineHasTheTotalWithoutTheLastWait) {
  const PhaseFigures wg{1000, 7000, 7000, "REDUCESCATTER", kMiB, "DP", 2, 0.5};
  const std::string report =
      Report(TablesOf({0, 30'000}, {{"a", {}, {}, {}}, {"b", {}, {}, wg, 6000}}));
  EXPECT_EQ(Field(report, 6, 5), "30.000000");
  EXPECT_EQ(Field(report, 7, 0), "total time without the last wait");
  EXPECT_EQ(Field(report, 7, 1), "24.000000");
  EXPECT_EQ(Field(report, 7, 3), "6.000000");
  EXPECT_EQ(report.find("nan"), std::string::npos);
}

TEST(ExportEndToEnd, GroupsOfExpertReplicasHaveTheirOwnTotal) {
  const PhaseFigures wg{0, 7000, 7000, "ALLREDUCE", kMiB, "DP_EP", 2, 1};
  const std::string report = Report(TablesOf({0, 10'000}, {{"a", {}, {}, wg}}));
  EXPECT_EQ(Field(report, 1, 1, ", "), "0 (0.00%)");
  EXPECT_EQ(Field(report, 1, 2, ", "), "7 (70.00%)");
}

TEST(ExportEndToEnd, WhatIsNotThereIsNamed) {
  const EndToEndTables tables = TablesOf({0, 1000}, {{"a", {}, {}, {}}});
  EXPECT_EQ(Report(tables, {0, 0}), Report(tables));
  EXPECT_NE(MessageOf([&] {
              Report(tables, {3, {}});
            }).find("job 3 is not in the result"),
            std::string::npos);
  EXPECT_NE(MessageOf([&] {
              Report(tables, {{}, 4});
            }).find("GPU 4 of any job"),
            std::string::npos);
  EXPECT_NE(MessageOf([&] { Report(tables, {0, 4}); }).find("GPU 4 of job 0"), std::string::npos);
  EXPECT_NE(MessageOf([&] {
              Report(tables, {{}, 7});
            }).find("did not end on GPU 7 (rank 1 of job 0)"),
            std::string::npos);
  EndToEndTables broken = tables;
  broken.layers.columns.pop_back();
  EXPECT_NE(MessageOf([&] { Report(broken); }).find("table layers: no column wg_total_ps"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
