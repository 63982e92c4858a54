// SPDX-License-Identifier: GPL-2.0-only
/// Columns and rows of two results that are made by hand: table "recovery" of SmallGraph(), whose
/// keys are the source and the number of a flow.
#include "io/compare/column_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/compare/row_matcher.h"
#include "tests/support/made_result.h"

namespace heddle {
namespace {

/// A result with one table.
ResultReader ReaderOf(const std::string& name, const Table& table) {
  MadeResult result;
  result.tables = {ShapeTable(SmallGraph()), LinkTable(SmallGraph()), table};
  const std::string path = TempPath(name);
  result.Write(path);
  return ResultReader(path);
}

Table RecoveryRows(const U32& src, const U32& number) {
  return TableOf("recovery", src.size(), {{"src", src}, {"number", number}});
}

struct Pairs {
  std::vector<std::string> both, only_a, only_b;
};

/// The names of all rows, by the keys of the schema, or by number without it.
Pairs PairsOfRows(const Table& a, const Table& b, bool with_keys = true) {
  const ResultReader reader_a = ReaderOf("a.h5", a), reader_b = ReaderOf("b.h5", b);
  const TableSchema* schema = with_keys ? FindTableSchema("recovery") : nullptr;
  RowMatcher matcher(reader_a, reader_b, "recovery", schema, {"src", "number"});
  Pairs pairs;
  MatchedRows matched;
  while (matcher.Next(&matched)) {
    EXPECT_EQ(matched.rows_a.size(), matched.rows_b.size());
    for (const std::size_t row : matched.rows_a)
      pairs.both.push_back(matcher.Name(*matched.a, row, matched.first_a));
    for (const std::size_t row : matched.only_a)
      pairs.only_a.push_back(matcher.Name(*matched.a, row, matched.first_a));
    for (const std::size_t row : matched.only_b)
      pairs.only_b.push_back(matcher.Name(*matched.b, row, matched.first_b));
  }
  return pairs;
}

TEST(RowMatcher, PairsRowsOfEqualKeys) {
  const Pairs pairs =
      PairsOfRows(RecoveryRows({0, 0, 2}, {1, 4, 0}), RecoveryRows({0, 1, 2, 3}, {4, 0, 0, 7}));
  EXPECT_EQ(pairs.both, (Texts{"src 0, number 4", "src 2, number 0"}));
  EXPECT_EQ(pairs.only_a, (Texts{"src 0, number 1"}));
  EXPECT_EQ(pairs.only_b, (Texts{"src 1, number 0", "src 3, number 7"}));
}

TEST(RowMatcher, PairsEqualKeysInTheirOrder) {
  const Pairs pairs = PairsOfRows(RecoveryRows({0, 0, 0}, {1, 1, 1}), RecoveryRows({0, 0}, {1, 1}));
  EXPECT_EQ(pairs.both.size(), 2u);
  EXPECT_EQ(pairs.only_a.size(), 1u);
}

TEST(RowMatcher, WithoutKeysPairsByNumber) {
  const Pairs pairs =
      PairsOfRows(RecoveryRows({3, 1}, {0, 0}), RecoveryRows({7, 7, 7}, {0, 0, 0}), false);
  EXPECT_EQ(pairs.both, (Texts{"row 0", "row 1"}));
  EXPECT_EQ(pairs.only_b, (Texts{"row 2"}));
}

TEST(RowMatcher, OfTablesWithoutRowsHasNoPairs) {
  const Pairs none = PairsOfRows(RecoveryRows({}, {}), RecoveryRows({}, {}));
  EXPECT_TRUE(none.both.empty() && none.only_a.empty() && none.only_b.empty());
  EXPECT_EQ(PairsOfRows(RecoveryRows({1}, {1}), RecoveryRows({}, {})).only_a.size(), 1u);
}

/// The difference of two columns of a table whose rows are paired by number.
ColumnDifference DifferenceOf(const ColumnData& a, const ColumnData& b, const std::string& unit,
                              double tolerance = 0, std::size_t worst = 2) {
  const Table table_a{"t", "", {{"value", unit, "", a}}},
      table_b{"t", "", {{"value", unit, "", b}}};
  const ResultReader reader = ReaderOf("rows.h5", RecoveryRows({}, {}));
  const RowMatcher matcher(reader, reader, "recovery", nullptr, {"src"});
  MatchedRows matched;
  matched.a = &table_a;
  matched.b = &table_b;
  const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, a);
  for (std::size_t row = 0; row < rows; ++row) {
    matched.rows_a.push_back(row);
    matched.rows_b.push_back(row);
  }
  ColumnComparison comparison(table_a.columns[0], tolerance, worst);
  comparison.Add(matched, 0, matcher);
  return comparison.Result();
}

// Differences 0, 10 of 110, 5 of 10 and 30 of 330: 1/11, 1/2, 1/11 of the larger value.
TEST(ColumnDifference, IsRelativeToTheLargerValue) {
  const ColumnDifference found = DifferenceOf(I64{7, 100, 10, 330}, I64{7, 110, 5, 300}, "byte");
  EXPECT_EQ(found.rows, 3u);
  EXPECT_EQ(found.largest_absolute, 30);
  EXPECT_DOUBLE_EQ(found.largest_relative, 0.5);
  EXPECT_EQ(found.first.row, "row 1");
  EXPECT_EQ(found.first.a, "100");
  EXPECT_EQ(found.first.b, "110");
  EXPECT_EQ(found.mean_a, 447.0 / 4) << "over all rows";
  EXPECT_EQ(found.mean_b, 422.0 / 4);
  ASSERT_EQ(found.worst.size(), 2u);
  EXPECT_EQ(found.worst[0].row, "row 2");
  EXPECT_EQ(found.worst[1].row, "row 1") << "the first of equal ones";
}

TEST(ColumnDifference, WithinTheToleranceIsNone) {
  EXPECT_EQ(DifferenceOf(I64{100}, I64{101}, "ps", 0.01).rows, 0u);
  EXPECT_EQ(DifferenceOf(I64{100}, I64{102}, "ps", 0.01).rows, 1u);
  EXPECT_EQ(DifferenceOf(F64{100}, F64{101}, "1", 0.01).rows, 0u);
  EXPECT_EQ(DifferenceOf(I64{100}, I64{101}, "byte", 0.01).rows, 1u)
      << "whole numbers that are no times are exact";
}

// -1 means never in many columns: it differs wholly from any time.
TEST(ColumnDifference, OfANumberAndNoneIsWhole) {
  EXPECT_EQ(DifferenceOf(I64{-1}, I64{1'000'000}, "ps", 0.9).largest_relative, 1);
  EXPECT_EQ(
      DifferenceOf(F64{1}, F64{std::numeric_limits<double>::infinity()}, "1").largest_relative, 1);
  EXPECT_EQ(DifferenceOf(F64{std::nan("")}, F64{std::nan("")}, "1").rows, 0u)
      << "two NaN are equal";
  EXPECT_EQ(DifferenceOf(F64{std::nan("")}, F64{1}, "1").rows, 1u);
}

TEST(ColumnDifference, OfTextsHasNoFigures) {
  const ColumnDifference found = DifferenceOf(Texts{"a", "b"}, Texts{"a", "c"}, "1", 0.5);
  EXPECT_TRUE(found.text);
  EXPECT_EQ(found.rows, 1u);
  EXPECT_EQ(found.first.a, "'b'");
  EXPECT_EQ(found.largest_absolute, 0);
}

TEST(ColumnDifference, OfNoRowsIsNone) {
  const ColumnDifference found = DifferenceOf(I64{}, I64{}, "ps");
  EXPECT_EQ(found.rows, 0u);
  EXPECT_EQ(found.mean_a, 0);
  EXPECT_TRUE(found.worst.empty());
  EXPECT_TRUE(DifferenceOf(I64{1}, I64{2}, "ps", 0, 0).worst.empty()) << "none are asked for";
}

}  // namespace
}  // namespace heddle
