// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/table.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Integers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

Table MakeTable() {
  return {"t",
          "a table",
          {{"a", "1", "numbers", Integers{1, 2, 3}}, {"b", "1", "texts", Texts{"x", "", "yz"}}}};
}

TEST(Digest, EqualTablesHaveEqualDigests) {
  Table other = MakeTable();
  EXPECT_EQ(Digest(MakeTable()), Digest(other));
  other.columns[0].description = "other words for the same numbers";
  EXPECT_EQ(Digest(MakeTable()), Digest(other));
}

TEST(Digest, EveryDifferenceCounts) {
  const std::uint64_t digest = Digest(MakeTable());
  Table table = MakeTable();
  table.columns[0].data = Integers{1, 2, 4};
  EXPECT_NE(Digest(table), digest) << "value";
  table = MakeTable();
  table.columns[0].data = Integers{1, 3, 2};
  EXPECT_NE(Digest(table), digest) << "order";
  table = MakeTable();
  table.columns[0].name = "c";
  EXPECT_NE(Digest(table), digest) << "name";
  table = MakeTable();
  std::swap(table.columns[0], table.columns[1]);
  EXPECT_NE(Digest(table), digest) << "order of columns";
  table = MakeTable();
  table.columns[1].data = Texts{"xy", "", "z"};
  EXPECT_NE(Digest(table), digest) << "the same letters, cut elsewhere";
  table = MakeTable();
  table.columns.pop_back();
  EXPECT_NE(Digest(table), digest) << "number of columns";
}

TEST(Digest, TypesCount) {
  const Table narrow{"t", "", {{"a", "1", "", std::vector<std::uint8_t>{}}}};
  const Table wide{"t", "", {{"a", "1", "", std::vector<std::uint16_t>{}}}};
  EXPECT_NE(Digest(narrow), Digest(wide));
}

}  // namespace
}  // namespace heddle
