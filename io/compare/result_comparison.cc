// SPDX-License-Identifier: GPL-2.0-only
#include "io/compare/result_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "io/check/ends_with.h"
#include "io/result/result_reader.h"
#include "io/schema/result_schema.h"

namespace heddle {
namespace {

using AttributeMap = std::map<std::string, Attribute>;

bool IsRunTable(const std::string& name) {
  return name.rfind(std::string(kRunGroup) + "/", 0) == 0;
}

std::string ValueText(const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute.value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value))
    return fmt::format("{}", *number);
  return fmt::format("{}", std::get<double>(attribute.value));
}

bool IsNear(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b)) && (a < 0) == (b < 0);
}

class Comparison {
 public:
  Comparison(const std::string& a, const std::string& b, const ComparisonOptions& options)
      : options_(options),
        a_(a),
        b_(b),
        tables_a_(TablesOf(a_)),
        tables_b_(TablesOf(b_)),
        attributes_a_(AttributesOf(a_)),
        attributes_b_(AttributesOf(b_)) {
    for (const std::string& name : options.ignore)
      ignored_.insert(name.rfind('/', 0) == 0 ? name.substr(1) : name);
    CheckIgnored();
  }

  ResultComparison Run() {
    CompareAttributes();
    for (const std::string& table : tables_a_) {
      if (ignored_.count(table) > 0) continue;
      if (tables_b_.count(table) == 0) {
        result_.tables_only_a.push_back(table);
      } else {
        CompareTables(table);
      }
    }
    for (const std::string& table : tables_b_) {
      if (ignored_.count(table) == 0 && tables_a_.count(table) == 0)
        result_.tables_only_b.push_back(table);
    }
    result_.a = Summary(a_);
    result_.b = Summary(b_);
    return std::move(result_);
  }

 private:
  std::set<std::string> TablesOf(const ResultReader& reader) const {
    std::set<std::string> tables;
    for (const std::string& name : reader.TableNames()) {
      if (options_.with_run || !IsRunTable(name)) tables.insert(name);
    }
    return tables;
  }

  AttributeMap AttributesOf(const ResultReader& reader) const {
    AttributeMap attributes;
    for (Attribute& attribute : reader.ReadAttributes())
      attributes.emplace(attribute.name, attribute);
    if (!options_.with_run) return attributes;
    for (Attribute& attribute : reader.ReadAttributes(kRunGroup))
      attributes.emplace("/run@" + attribute.name, attribute);
    return attributes;
  }

  static std::optional<FlowSummary> Summary(const ResultReader& reader) {
    try {
      return ReadFlowSummary(reader);
    } catch (const UserError&) {
      return {};  // a file without these tables is still compared
    }
  }

  /// Throws for an ignored name that exists in neither result, as it is probably misspelt.
  void CheckIgnored() const {
    std::vector<std::string> known;
    for (const ResultReader* reader : {&a_, &b_}) {
      for (const std::string& table : reader->TableNames()) {
        known.push_back(table);
        for (const Column& column : reader->ReadHeader(table).columns)
          known.push_back(table + "/" + column.name);
      }
    }
    for (const AttributeMap* attributes : {&attributes_a_, &attributes_b_}) {
      for (const auto& [name, attribute] : *attributes) {
        known.push_back(name);
        if (name.rfind("option ", 0) == 0) known.push_back(name.substr(7));
      }
    }
    for (const std::string& name : ignored_) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw UsageError(
          fmt::format("--ignore {}: neither result has it. Expected: a table, TABLE/COLUMN or an "
                      "attribute{}",
                      name, NearestIs(name, known)));
    }
  }

  bool IsIgnored(const std::string& attribute) const {
    if (ignored_.count(attribute) > 0) return true;
    return attribute.rfind("option ", 0) == 0 && ignored_.count(attribute.substr(7)) > 0;
  }

  /// Whether a difference of this attribute makes the results different.
  bool Counts(const std::string& name) const {
    if (name == "heddle_version" || name == "command_line") return false;
    // How a run is simulated.
    if (name == "option engine.replay" || name == "option replay.memory" ||
        name == "option debug.refuse_replay" || name == "option chakra.window" ||
        name == "option goal.window")
      return false;
    if (name != "flows_digest") return true;
    // The digest covers all columns of /flows, bit for bit.
    return options_.tolerance == 0 &&
           std::none_of(ignored_.begin(), ignored_.end(), [](const std::string& ignored) {
             return ignored == "flows" || ignored.rfind("flows/", 0) == 0;
           });
  }

  bool SameValue(const Attribute& a, const Attribute& b) const {
    if (a.value == b.value) return true;
    if (a.value.index() != b.value.index()) return false;
    const auto* x = std::get_if<double>(&a.value);
    if (x != nullptr) return IsNear(*x, std::get<double>(b.value), options_.tolerance);
    const auto* time = std::get_if<std::int64_t>(&a.value);
    if (time == nullptr || !EndsWith(a.name, "_ps")) return false;
    return IsNear(static_cast<double>(*time), static_cast<double>(std::get<std::int64_t>(b.value)),
                  options_.tolerance);
  }

  void CompareAttributes() {
    std::set<std::string> names;
    for (const AttributeMap* attributes : {&attributes_a_, &attributes_b_}) {
      for (const auto& [name, attribute] : *attributes) names.insert(name);
    }
    for (const std::string& name : names) {
      const auto a = attributes_a_.find(name), b = attributes_b_.find(name);
      const bool in_a = a != attributes_a_.end(), in_b = b != attributes_b_.end();
      if (IsIgnored(name) || (in_a && in_b && SameValue(a->second, b->second))) continue;
      result_.attributes.push_back({name, in_a ? ValueText(a->second) : "-",
                                    in_b ? ValueText(b->second) : "-", Counts(name)});
    }
  }

  /// Columns that both tables have with the same type, including keys; adds other columns to
  /// `difference`.
  std::vector<std::string> CommonColumns(const Table& a, const Table& b,
                                         TableDifference* difference) const {
    std::vector<std::string> common;
    for (const Column& column : a.columns) {
      const auto other = std::find_if(b.columns.begin(), b.columns.end(),
                                      [&](const Column& c) { return c.name == column.name; });
      const bool ignored = ignored_.count(a.name + "/" + column.name) > 0;
      if (other == b.columns.end()) {
        if (!ignored)
          difference->structure.push_back(fmt::format("column {}: only in A", column.name));
      } else if (TypeOf(column) != TypeOf(*other) || column.unit != other->unit) {
        if (!ignored)
          difference->structure.push_back(fmt::format("column {}: {} [{}] | {} [{}]", column.name,
                                                      ToText(TypeOf(column)), column.unit,
                                                      ToText(TypeOf(*other)), other->unit));
      } else {
        common.push_back(column.name);
      }
    }
    for (const Column& column : b.columns) {
      const bool known = std::any_of(a.columns.begin(), a.columns.end(),
                                     [&](const Column& c) { return c.name == column.name; });
      if (!known && ignored_.count(b.name + "/" + column.name) == 0) {
        difference->structure.push_back(fmt::format("column {}: only in B", column.name));
      }
    }
    return common;
  }

  void CompareTables(const std::string& name) {
    TableDifference difference;
    difference.name = name;
    const std::vector<std::string> columns =
        CommonColumns(a_.ReadHeader(name), b_.ReadHeader(name), &difference);
    if (!columns.empty()) CompareRows(name, columns, &difference);
    ++result_.tables_compared;
    result_.rows_compared += difference.matched;
    if (difference.any()) result_.tables.push_back(std::move(difference));
  }

  void CompareRows(const std::string& name, const std::vector<std::string>& columns,
                   TableDifference* difference) {
    RowMatcher matcher(a_, b_, name, FindTableSchema(name), columns);
    std::vector<ColumnComparison> comparisons;
    for (const Column& column : a_.ReadRows(name, 0, 0, columns).columns) {
      comparisons.emplace_back(column, options_.tolerance, options_.worst);
    }
    for (MatchedRows matched; matcher.Next(&matched);) {
      const auto count = [&](const std::vector<std::size_t>& rows, const Table& table,
                             std::uint64_t first_row, std::uint64_t* sum, std::string* first) {
        if (*sum == 0 && !rows.empty()) *first = matcher.Name(table, rows.front(), first_row);
        *sum += rows.size();
      };
      difference->matched += matched.rows_a.size();
      count(matched.only_a, *matched.a, matched.first_a, &difference->only_a,
            &difference->first_only_a);
      count(matched.only_b, *matched.b, matched.first_b, &difference->only_b,
            &difference->first_only_b);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (ignored_.count(name + "/" + columns[i]) == 0) comparisons[i].Add(matched, i, matcher);
      }
    }
    for (const ColumnComparison& comparison : comparisons) {
      ColumnDifference found = comparison.Result();
      if (found.rows > 0) difference->columns.push_back(std::move(found));
    }
  }

  const ComparisonOptions& options_;
  ResultReader a_, b_;
  std::set<std::string> tables_a_, tables_b_;
  AttributeMap attributes_a_, attributes_b_;
  std::set<std::string> ignored_;
  ResultComparison result_;
};

}  // namespace

bool ResultComparison::equal() const {
  return tables.empty() && tables_only_a.empty() && tables_only_b.empty() &&
         std::none_of(attributes.begin(), attributes.end(),
                      [](const AttributeDifference& d) { return d.counts; });
}

ResultComparison CompareResults(const std::string& a, const std::string& b,
                                const ComparisonOptions& options) {
  return Comparison(a, b, options).Run();
}

}  // namespace heddle
