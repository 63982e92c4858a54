// SPDX-License-Identifier: GPL-2.0-only
#include "io/compare/result_comparison.h"

#include <functional>

#include "tests/support/made_result.h"

namespace heddle {
namespace {

using Change = std::function<void(MadeResult&)>;

ResultComparison Compare(const MadeResult& a, const MadeResult& b,
                         const ComparisonOptions& options = {}) {
  a.Write(TempPath("a.h5"));
  b.Write(TempPath("b.h5"));
  return CompareResults(TempPath("a.h5"), TempPath("b.h5"), options);
}

/// Compares a trace's result with a changed copy.
ResultComparison CompareChanged(const Change& change, const ComparisonOptions& options = {}) {
  MadeResult b = TraceResult();
  change(b);
  return Compare(TraceResult(), b, options);
}

TEST(ResultComparison, EqualResultsAreEqual) {
  const ResultComparison found = Compare(TraceResult(), TraceResult());
  EXPECT_TRUE(found.equal());
  EXPECT_TRUE(found.attributes.empty());
  EXPECT_EQ(found.tables_compared, 20U);
  EXPECT_EQ(found.rows_compared, 35U);
  ASSERT_TRUE(found.a.has_value());
  EXPECT_EQ(found.a->fct_ps.mean, 1500);
  EXPECT_EQ(found.a->fct_ps.p50, 1000);
  EXPECT_EQ(found.a->fct_ps.p99, 2000);
  EXPECT_EQ(found.a->slowdown.largest, 2);
  EXPECT_EQ(found.a->finished, 2);
}

TEST(ResultComparison, MeanSlowdownIsOfFlowsWithAnIdealTime) {
  const MadeResult result = ResultWithoutAnIdealTime();
  const ResultComparison found = Compare(TraceResult(), result);
  ASSERT_TRUE(found.a.has_value() && found.b.has_value());
  EXPECT_EQ(found.a->slowdown.mean, 1.5);
  EXPECT_EQ(found.b->slowdown.mean, 2);
  EXPECT_EQ(found.b->slowdown.p50, 2);
  EXPECT_EQ(found.b->fct_ps.mean, 1500);
}

TEST(ResultComparison, ValuesThatDifferAreShownWithTheirRow) {
  const ResultComparison found = CompareChanged([](MadeResult& b) {
    b.values<std::int64_t>("flows", "fct_ps") = {1000, 2500, 3000};
    b.values<std::string>("drops", "reason")[1] = "no route";
  });
  EXPECT_FALSE(found.equal());
  ASSERT_EQ(found.tables.size(), 2U);
  const TableDifference& drops = found.tables[0];
  EXPECT_EQ(drops.name, "drops");
  EXPECT_EQ(drops.matched, 1U) << "the reason is a key";
  EXPECT_EQ(drops.only_a, 1U);
  EXPECT_EQ(drops.first_only_a, "node 6, port 2, reason wire error");
  EXPECT_EQ(drops.first_only_b, "node 6, port 2, reason no route");
  const TableDifference& flows = found.tables[1];
  EXPECT_EQ(flows.matched, 3U);
  ASSERT_EQ(flows.columns.size(), 1U);
  const ColumnDifference& fct = flows.columns[0];
  EXPECT_EQ(fct.name, "fct_ps");
  EXPECT_EQ(fct.rows, 2U);
  EXPECT_EQ(fct.first.row, "src 0, number 1");
  EXPECT_EQ(fct.first.a + "|" + fct.first.b, "2000|2500");
  EXPECT_EQ(fct.largest_absolute, 3001);
  EXPECT_EQ(fct.largest_relative, 1) << "-1 is no time that 3000 could be near to";
  EXPECT_EQ(fct.worst.front().row, "src 1, number 0");
  EXPECT_DOUBLE_EQ(fct.mean_a, 2999.0 / 3);
  EXPECT_DOUBLE_EQ(fct.mean_b, 6500.0 / 3);
}

TEST(ResultComparison, ToleranceIsForTimesAndRealNumbers) {
  const Change change = [](MadeResult& b) {
    b.values<std::int64_t>("flows", "fct_ps")[1] = 2010;
    b.values<double>("tier_load", "utilisation")[0] = 0;
    b.root["flows_digest"] = "0123456789abcdef";
    b.root["simulated_ps"] = std::int64_t{3010};
  };
  ComparisonOptions options;
  EXPECT_EQ(CompareChanged(change).tables.size(), 1U);
  options.tolerance = 0.01;
  const ResultComparison near = CompareChanged(change, options);
  EXPECT_TRUE(near.equal());
  ASSERT_EQ(near.attributes.size(), 1U) << "the digest is named";
  EXPECT_FALSE(near.attributes[0].counts);
  options.tolerance = 0.001;
  EXPECT_FALSE(CompareChanged(change, options).equal());
  options.tolerance = 0.5;
  const Change bytes = [](MadeResult& b) {
    b.values<std::int64_t>("flows", "size_bytes")[1] = 3001;
  };
  EXPECT_FALSE(CompareChanged(bytes, options).equal()) << "bytes are exact";
}

TEST(ResultComparison, AttributesAreCompared) {
  const Change change = [](MadeResult& b) {
    b.root["heddle_version"] = "heddle 9";
    b.root["command_line"] = "other words";
  };
  EXPECT_TRUE(CompareChanged(change).equal());
  EXPECT_EQ(CompareChanged(change).attributes.size(), 2U);
  const Change option = [](MadeResult& b) {
    b.root["option CC_MODE"] = "3";
    b.root["seed"] = std::int64_t{2};
  };
  const ResultComparison found = CompareChanged(option);
  EXPECT_FALSE(found.equal());
  ASSERT_EQ(found.attributes.size(), 2U);
  EXPECT_EQ(found.attributes[0].name + ": " + found.attributes[0].a + " | " + found.attributes[0].b,
            "option CC_MODE: - | 3");
  ComparisonOptions options;
  options.ignore = {"CC_MODE", "seed"};
  EXPECT_TRUE(CompareChanged(option, options).equal());
}

TEST(ResultComparison, TheRunIsComparedOnlyIfAsked) {
  const Change change = [](MadeResult& b) {
    b.run["engine"] = "ns3";
    b.values<std::string>("run/ranks", "host")[0] = "elsewhere";
  };
  EXPECT_TRUE(CompareChanged(change).equal());
  ComparisonOptions options;
  options.with_run = true;
  const ResultComparison found = CompareChanged(change, options);
  ASSERT_EQ(found.attributes.size(), 1U);
  EXPECT_EQ(found.attributes[0].name, "/run@engine");
  ASSERT_EQ(found.tables.size(), 1U);
  EXPECT_EQ(found.tables[0].name, "run/ranks");
}

TEST(ResultComparison, StructureThatDiffersIsNamed) {
  const ResultComparison found = CompareChanged([](MadeResult& b) {
    b.table("flows").columns.pop_back();
    b.column("ports", 7).data = F64{0};
    b.Remove("pfc");
    b.tables.push_back({"extra", "x", {{"n", "1", "x", U32{1}}}});
  });
  EXPECT_EQ(found.tables_only_a, std::vector<std::string>{"pfc"});
  EXPECT_EQ(found.tables_only_b, std::vector<std::string>{"extra"});
  ASSERT_EQ(found.tables.size(), 2U);
  EXPECT_EQ(found.tables[0].structure, std::vector<std::string>{"column request: only in A"});
  EXPECT_EQ(found.tables[1].structure,
            std::vector<std::string>{"column paused_ps: i64 [ps] | f64 [ps]"});
}

TEST(ResultComparison, WhatIsIgnoredCountsNotAndMustExist) {
  const Change change = [](MadeResult& b) {
    b.values<std::int64_t>("flows", "fct_ps")[1] = 9;
    b.values<std::int64_t>("ports", "pauses")[0] = 9;
    b.Remove("pfc");
    b.root["flows_digest"] = "0123456789abcdef";
  };
  ComparisonOptions options;
  options.ignore = {"/flows/fct_ps", "ports", "pfc"};
  EXPECT_TRUE(CompareChanged(change, options).equal());
  options.ignore = {"flow/fct_ps"};
  const std::string message = MessageOf([&] { CompareChanged(change, options); }, ExitCode::kUsage);
  EXPECT_NE(message.find("the nearest is flows/fct_ps"), std::string::npos) << message;
}

/// Rows missing in one file shift all later ones; the keys match them, across blocks.
TEST(ResultComparison, RowsAreFoundByTheirKeysInLargeTables) {
  constexpr std::uint32_t kRows = 200'000;
  const auto flows = [](std::uint32_t missing, std::uint32_t changed) {
    MadeResult result = TraceResult();
    U32 number;
    I64 fct;
    for (std::uint32_t i = 0; i < kRows; ++i) {
      if (i >= missing && i < missing + 70'000) continue;
      number.push_back(i);
      fct.push_back(i == changed ? 7 : 1);
    }
    result.table("flows") = TableOf("flows", number.size(), {{"number", number}, {"fct_ps", fct}});
    return result;
  };
  ComparisonOptions options;
  options.ignore = {"flows_digest"};
  const ResultComparison found = Compare(flows(50'000, kRows - 1), flows(100, kRows - 2), options);
  ASSERT_EQ(found.tables.size(), 1U);
  const TableDifference& difference = found.tables[0];
  EXPECT_EQ(difference.only_a, 49'900U);  // 100 to 49,999
  EXPECT_EQ(difference.only_b, 49'900U);  // 70,100 to 119,999
  EXPECT_EQ(difference.first_only_a, "src 0, number 100");
  EXPECT_EQ(difference.first_only_b, "src 0, number 70100");
  EXPECT_EQ(difference.matched, kRows - 70'000 - 49'900);
  ASSERT_EQ(difference.columns.size(), 1U);
  EXPECT_EQ(difference.columns[0].rows, 2U);
}

/// Rows of these tables are not in the order of their keys.
TEST(ResultComparison, OtherOrdersAreNoDifferenceOfRows) {
  const ResultComparison found = CompareChanged([](MadeResult& b) {
    b.values<std::uint32_t>("pause_causes", "port") = {2, 3};
    b.values<std::int64_t>("pause_causes", "paused_ps") = {700, 500};
  });
  ASSERT_EQ(found.tables.size(), 1U);
  EXPECT_EQ(found.tables[0].matched, 2U);
  ASSERT_EQ(found.tables[0].columns.size(), 1U);
  EXPECT_EQ(found.tables[0].columns[0].rows, 1U);
  EXPECT_EQ(found.tables[0].columns[0].first.row, "node 6, port 2");
  EXPECT_EQ(found.tables[0].columns[0].first.b, "700");
}

TEST(ResultComparison, ATableMayHaveRowsInOneFileOnly) {
  const auto without_drops = [](MadeResult& result) {
    for (Column& column : result.table("drops").columns) {
      std::visit([](auto& values) { values.clear(); }, column.data);
    }
  };
  MadeResult empty = TraceResult();
  without_drops(empty);
  const ResultComparison more = Compare(empty, TraceResult());
  const ResultComparison less = Compare(TraceResult(), empty);
  ASSERT_EQ(more.tables.size(), 1U);
  EXPECT_EQ(more.tables[0].only_b, 2U);
  ASSERT_EQ(less.tables.size(), 1U);
  EXPECT_EQ(less.tables[0].only_a, 2U);
  EXPECT_TRUE(less.tables[0].columns.empty());
}

TEST(ResultComparison, OnlySoManyOfTheWorstRowsAreKept) {
  ComparisonOptions options;
  options.worst = 2;
  const auto with = [](F64 load) {
    MadeResult result = TraceResult();
    I64 from = {0, 1, 2, 3};
    result.table("tier_load") = TableOf(
        "tier_load", 4, {{"from_ps", from}, {"tier", Texts(4, "NVLink")}, {"utilisation", load}});
    return result;
  };
  const ResultComparison found = Compare(with({1, 1, 1, 1}), with({0.9, 0.5, 1, 0.25}), options);
  ASSERT_EQ(found.tables.size(), 1U);
  const ColumnDifference& column = found.tables[0].columns.at(0);
  EXPECT_EQ(column.rows, 3U);
  ASSERT_EQ(column.worst.size(), 2U);
  EXPECT_EQ(column.worst[0].b, "0.25");
  EXPECT_EQ(column.worst[1].b, "0.5");
  EXPECT_EQ(column.first.b, "0.9");
}

}  // namespace
}  // namespace heddle
