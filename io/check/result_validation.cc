// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/result_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/check.h"
#include "core/base/units.h"
#include "io/check/attribute_validation.h"
#include "io/check/congestion_totals.h"
#include "io/check/result_totals.h"
#include "io/result/graph_table.h"
#include "io/result/result_graph.h"
#include "io/schema/congestion_schema.h"
#include "io/schema/result_schema.h"
#include "io/table/result_format.h"

namespace heddle {
namespace {

/// Checks one file, from its attributes to its sums.
class Validator {
 public:
  Validator(const std::string& path, SealRule rule, ResultValidation* result)
      : path_(path),
        content_(ResultReader::ContentOf(path, rule)),
        reader_(path, rule, content_),
        result_(result),
        names_(reader_.TableNames()),
        attributes_(reader_.ReadAttributes()),
        kind_(KindOf(attributes_)) {}

  void Run() {
    result_->version = fmt::format("{}.{}", kResultFormatMajor, ResultFormatMinor());
    result_->complete = !kind_.cut;
    result_->until_ps = IntegerOf(attributes_, "until_ps").value_or(0);
    ValidateAttributes(is_run() ? RootAttributes() : CongestionAttributes(), attributes_, kind_,
                       "attribute ", findings());
    if (is_run()) {
      CheckRun();
    } else {
      CheckTables();
      if (findings()->empty())
        Guarded("/congestion", [&] { CheckCongestionTotals(reader_, attributes_, findings()); });
    }
  }

 private:
  bool is_run() const { return content_ == ResultContent::kRun; }
  const std::vector<TableSchema>& tables() const {
    return is_run() ? ResultTables() : CongestionTables();
  }
  const TableSchema* Find(const std::string& name) const {
    for (const TableSchema& table : tables()) {
      if (table.name == name) return &table;
    }
    return nullptr;
  }

  void CheckRun() {
    if (Guarded("/run", [&] { run_attributes_ = reader_.ReadAttributes(kRunGroup); })) {
      ValidateAttributes(RunAttributes(), run_attributes_, kind_, "attribute /run@", findings());
    }
    SetBounds();
    CheckTables();
    if (!findings()->empty() || kind_.cut)
      return;  // sums of a damaged or incomplete file prove nothing
    CheckDeadlock();
    if (findings()->empty()) totals_.Check(Stated(), findings());
    if (findings()->empty()) CheckDigest();
  }

  void CheckTables() {
    CheckNames();
    for (const TableSchema& schema : tables()) CheckTable(schema);
  }

  std::vector<Finding>* findings() { return &result_->findings; }
  bool Has(const std::string& table) const {
    return std::binary_search(names_.begin(), names_.end(), table);
  }

  /// Runs `action`; its error becomes a finding at `place`, and the result is false.
  template <class Action>
  bool Guarded(const std::string& place, Action action) {
    try {
      action();
      return true;
    } catch (const UserError& error) {
      std::string text = error.what();
      const std::string prefix = path_ + ": ";
      if (text.rfind(prefix, 0) == 0) text = text.substr(prefix.size());
      findings()->push_back({place, text});
      return false;
    }
  }

  /// Finds groups and datasets that should not exist.
  void CheckNames() {
    const std::vector<std::string> parents =
        is_run() ? std::vector<std::string>{"controller", "monitors", "run",
                                            "schedule",   "serving",  "topology"}
                 : std::vector<std::string>{"congestion"};
    for (const std::string& name : names_) {
      const TableSchema* schema = Find(name);
      if (schema != nullptr && PresenceOf(schema->present, name, kind_).may) continue;
      findings()->push_back(
          {"/" + name,
           schema == nullptr
               ? "an unknown table. Expected: the tables of docs/formats/result.md"
               : "a table that this run cannot have, by its attributes. Expected: none"});
    }
    for (const std::string& name : reader_.NamesOutsideTables()) {
      const bool known =
          std::find(parents.begin(), parents.end(), name) != parents.end() || Find(name) != nullptr;
      if (!known)
        findings()->push_back(
            {"/" + name, "an unknown group or dataset. Expected: those of docs/formats/result.md"});
    }
  }

  void SetBounds() {
    const std::int64_t end =
        IntegerOf(attributes_, "simulated_ps").value_or(std::numeric_limits<std::int64_t>::max());
    bounds_.end_ps = kind_.cut ? std::numeric_limits<std::int64_t>::max() : end;
    const auto rows = [this](const char* table) {
      std::int64_t count = 0;
      if (Has(table))
        Guarded(std::string("/") + table,
                [&] { count = static_cast<std::int64_t>(reader_.CountRows(table)); });
      return count;
    };
    bounds_.jobs = rows("jobs");
    bounds_.requests = rows("controller/requests");
    if (!Has(kShapeTable) || !Has(kLinkTable)) return;
    Guarded("/topology", [&] { graph_ = ReadGraph(reader_); });
    if (graph_) bounds_.graph = &*graph_;
  }

  void CheckTable(const TableSchema& schema) {
    if (!Has(schema.name)) {
      if (PresenceOf(schema.present, schema.name, kind_).must)
        findings()->push_back(
            {"/" + schema.name, "no such table. Expected: one, maybe without rows"});
      return;
    }
    Guarded("/" + schema.name, [&] {
      ++result_->tables;
      if (!ValidateColumns(schema, reader_.ReadHeader(schema.name), kind_, findings())) return;
      result_->rows += ValidateRows(
          reader_, schema, bounds_,
          [this](const Table& block) {
            if (is_run()) totals_.Add(block);
          },
          findings());
    });
  }

  StatedTotals Stated() const {
    const auto integer = [this](const char* name) {
      return IntegerOf(attributes_, name).value_or(0);
    };
    return {integer("flows_planned"),
            integer("flows_finished"),
            integer("packet_hops"),
            integer("simulated_ps"),
            IntegerOf(run_attributes_, "ranks").value_or(0),
            TextOf(attributes_, "flows_recorded").value_or(""),
            TextOf(attributes_, "failures_digest").has_value(),
            TextOf(attributes_, "backend") == "physical"};
  }

  void CheckDeadlock() {
    const StatedTotals stated = Stated();
    if (TextOf(attributes_, "deadlock") && stated.flows_finished == stated.flows_planned) {
      findings()->push_back({"attribute deadlock",
                             "there, and all flows finished. Expected: only where flows are left"});
    }
  }

  /// Only if the rows contain everything that the digest covers.
  void CheckDigest() {
    const StatedTotals stated = Stated();
    if (stated.flows_recorded != "all") return;
    const Time timeout =
        ParseTime(TextOf(attributes_, "option reliability.timeout").value_or("0ps"));
    if (stated.flows_finished != stated.flows_planned || stated.failures ||
        !totals_.NothingSentAgain(timeout.ps))
      return;
    const std::uint64_t found = totals_.flows_digest();
    result_->digest_checked = true;
    const std::string text = fmt::format("{:016x}", found);
    const std::string expected = TextOf(attributes_, "flows_digest").value_or("");
    if (text != expected)
      findings()->push_back(
          {"attribute flows_digest",
           fmt::format("{}. Expected: {}, the digest of /flows", expected, text)});
  }

  const std::string path_;
  const ResultContent content_;
  ResultReader reader_;
  ResultValidation* result_;
  std::vector<std::string> names_;
  std::vector<Attribute> attributes_, run_attributes_;
  ResultKind kind_;
  ResultTotals totals_;
  ValueBounds bounds_;
  std::optional<Graph> graph_;
};

}  // namespace

ResultValidation ValidateResult(const std::string& path, SealRule rule) {
  ResultValidation result;
  try {
    Validator(path, rule, &result).Run();
  } catch (const UserError& error) {
    std::string text = error.what();
    if (text.rfind(path + ": ", 0) == 0) text = text.substr(path.size() + 2);
    result.findings.push_back({"", text});
  }
  return result;
}

}  // namespace heddle
