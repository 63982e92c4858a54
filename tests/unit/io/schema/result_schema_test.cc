// SPDX-License-Identifier: GPL-2.0-only
/// Tests that docs/formats/result.md and io/schema/result_schema.h agree.
#include "io/schema/result_schema.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "io/schema/congestion_schema.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

/// Words in backquotes; a star that follows is included.
std::vector<std::string> Quoted(const std::string& cell) {
  std::vector<std::string> names;
  const std::regex pattern("`([^`]+)`( \\*)?");
  for (auto at = std::sregex_iterator(cell.begin(), cell.end(), pattern);
       at != std::sregex_iterator(); ++at) {
    names.push_back((*at)[1].str() + ((*at)[2].matched ? " *" : ""));
  }
  return names;
}

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t at = 2;
  for (std::size_t end = line.find(" |", at); end != std::string::npos; end = line.find(" |", at)) {
    cells.push_back(line.substr(at, end - at));
    at = std::min(end + 3, line.size());
  }
  return cells;
}

/// "/flows/src * u32 [1]" of every column, "@complete i64" and "/run@ranks i64" of every attribute.
struct Page {
  std::vector<std::string> columns, attributes;
};

std::string WhenOf(const std::string& rest) {
  if (rest == " of workloads") return " of workloads";
  if (rest == " with the controller") return " with the controller";
  return "";
}

/// `file`: "result.md".
Page ReadPage(const std::string& file) {
  std::istringstream text(ReadBytes(HEDDLE_TEST_DATA "/../../docs/formats/" + file));
  Page page;
  std::string line, heading, when, header;
  const std::regex table_heading("#+ `(/[^`]+)`(.*)");
  while (std::getline(text, line)) {
    std::smatch match;
    if (line.rfind("#", 0) == 0) {
      heading = line == "## Root attributes" ? "root" : "";
      if (std::regex_match(line, match, table_heading)) heading = match[1], when = WhenOf(match[2]);
    }
    if (line.rfind("|", 0) != 0) header.clear();
    if (line.rfind("| ", 0) == 0 && header.empty()) header = line;
    if (line.rfind("| `", 0) != 0 || heading.empty()) continue;
    const std::vector<std::string> cells = Cells(line);
    for (const std::string& name : Quoted(cells.at(0))) {
      if (header == "| dataset | type | unit | meaning |") {
        page.columns.push_back(heading + "/" + name + " " + cells.at(1) + " [" + cells.at(2) + "]" +
                               when);
      } else if (header == "| name | type | meaning |") {
        page.attributes.push_back((heading == "root" ? "@" : heading + "@") + name + " " +
                                  cells.at(1));
      }
    }
  }
  return page;
}

std::string Describe(const TableSchema& table, const ColumnSchema& column) {
  const bool key = std::count(table.keys.begin(), table.keys.end(), column.name) > 0;
  std::string text = "/" + table.name + "/" + column.name + (key ? " * " : " ") +
                     ToText(column.type) + " [" + column.unit + "]";
  if (column.present == Present::kJobs) text += " of workloads";
  if (column.present == Present::kController) text += " with the controller";
  return text;
}

/// The page may list tables in another order, but columns of a table in the file's order.
std::map<std::string, std::vector<std::string>> ByTable(const std::vector<std::string>& columns) {
  std::map<std::string, std::vector<std::string>> tables;
  for (const std::string& column : columns) {
    tables[column.substr(0, column.rfind('/', column.find(' ')))].push_back(column);
  }
  return tables;
}

void ExpectColumns(const std::vector<TableSchema>& tables, const Page& page) {
  std::vector<std::string> columns;
  for (const TableSchema& table : tables) {
    for (const ColumnSchema& column : table.columns) columns.push_back(Describe(table, column));
  }
  const auto expected = ByTable(columns), found = ByTable(page.columns);
  EXPECT_EQ(found.size(), tables.size());
  for (const auto& [table, names] : expected) {
    const auto on_page = found.find(table);
    ASSERT_NE(on_page, found.end()) << table << " is not on the page";
    EXPECT_EQ(on_page->second, names);
  }
  for (const auto& [table, names] : found)
    EXPECT_EQ(expected.count(table), 1U) << table << " is not in the schema";
}

std::multiset<std::string> Describe(const std::vector<AttributeSchema>& attributes,
                                    const std::string& place) {
  std::multiset<std::string> described;
  for (const AttributeSchema& a : attributes)
    described.insert(place + a.name + " " + ToText(a.type));
  return described;
}

TEST(ResultSchema, ThePageHasEveryColumnWithTypeUnitAndKeys) {
  ExpectColumns(ResultTables(), ReadPage("result.md"));
}

TEST(ResultSchema, ThePageHasEveryAttributeWithItsType) {
  std::multiset<std::string> attributes = Describe(RootAttributes(), "@");
  attributes.merge(Describe(RunAttributes(), "/run@"));
  const std::vector<std::string> found = ReadPage("result.md").attributes;
  EXPECT_EQ(std::multiset<std::string>(found.begin(), found.end()), attributes);
}

TEST(ResultSchema, ThePageOfStaticCongestionHasAllOfIt) {
  const Page page = ReadPage("congestion.md");
  ExpectColumns(CongestionTables(), page);
  EXPECT_EQ(std::multiset<std::string>(page.attributes.begin(), page.attributes.end()),
            Describe(CongestionAttributes(), "@"));
}

/// Each word of the schema must be on the page.
TEST(ResultSchema, ThePageHasEveryWord) {
  const std::string page = ReadBytes(HEDDLE_TEST_DATA "/../../docs/formats/result.md");
  for (const TableSchema& table : ResultTables()) {
    for (const ColumnSchema& column : table.columns) {
      for (const std::string& word : column.words) {
        EXPECT_NE(page.find("`" + word + "`"), std::string::npos)
            << table.name << "/" << column.name << ": " << word;
      }
    }
  }
}

TEST(ResultSchema, EveryNameInItExists) {
  for (const TableSchema& table : ResultTables()) {
    EXPECT_EQ(FindTableSchema(table.name), &table);
    for (const std::string& key : table.keys)
      EXPECT_NE(FindColumnSchema(table, key), nullptr) << table.name << "/" << key;
    for (const std::string& entry : table.order) {
      const std::string name = entry[0] == '-' ? entry.substr(1) : entry;
      EXPECT_NE(FindColumnSchema(table, name), nullptr) << table.name << " is ordered by " << name;
    }
    for (const ColumnSchema& column : table.columns) {
      EXPECT_EQ(column.values == Values::kWord, !column.words.empty())
          << table.name << "/" << column.name;
      EXPECT_EQ(column.values == Values::kPort, FindColumnSchema(table, column.of) != nullptr)
          << column.name;
    }
  }
}

TEST(ResultSchema, PatternsOfAttributesFit) {
  const auto find = [](const std::string& name) {
    const AttributeSchema* found = FindAttributeSchema(RootAttributes(), name);
    return found == nullptr ? "" : found->name;
  };
  EXPECT_EQ(find("option nic.qps_per_connection"), "option KEY");
  EXPECT_EQ(find("option "), "");
  EXPECT_EQ(find("job 12 workload_digest"), "job N workload_digest");
  EXPECT_EQ(find("job  workload_digest"), "");
  EXPECT_EQ(find("job x workload_digest"), "");
  EXPECT_EQ(find("seed"), "seed");
  EXPECT_EQ(find("sead"), "");
}

TEST(ResultSchema, RowsSortByWordsNumbersAndDownwards) {
  const Table drops{"drops",
                    "",
                    {{"node", "1", "", std::vector<std::uint32_t>{4, 2}},
                     {"reason", "1", "", std::vector<std::string>{"no route", "buffer full"}}}};
  const TableSchema* schema = FindTableSchema("drops");
  ASSERT_NE(schema, nullptr);
  const auto keys = SortValues(*schema, {"-node", "reason"}, drops);
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0], (std::vector<std::int64_t>{-4, -2}));
  EXPECT_EQ(keys[1], (std::vector<std::int64_t>{3, 0}));
  const Table bins{"slowdown_histogram",
                   "",
                   {{"slowdown_from", "1", "", std::vector<double>{0.5, 1, 1.015625, 300}}}};
  const auto values = SortValues(*FindTableSchema("slowdown_histogram"), {"slowdown_from"}, bins);
  EXPECT_TRUE(std::is_sorted(values[0].begin(), values[0].end()));
}

}  // namespace
}  // namespace heddle
