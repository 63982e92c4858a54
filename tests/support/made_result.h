// SPDX-License-Identifier: GPL-2.0-only
/// Small consistent results in format 3.0, for tests to damage. The fabric is SmallGraph().
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/check/flow_digest.h"
#include "io/result/graph_table.h"
#include "io/result/result_writer.h"
#include "io/schema/result_schema.h"
#include "tests/support/io_test_util.h"

namespace heddle {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U16 = std::vector<std::uint16_t>;
using U8 = std::vector<std::uint8_t>;
using F64 = std::vector<double>;
using Texts = std::vector<std::string>;

/// A column of `rows` zeros or empty texts.
inline ColumnData Zeros(ColumnType type, std::size_t rows) {
  switch (type) {
    case ColumnType::kI64:
      return I64(rows);
    case ColumnType::kU32:
      return U32(rows);
    case ColumnType::kU16:
      return U16(rows);
    case ColumnType::kU8:
      return U8(rows);
    case ColumnType::kF64:
      return F64(rows);
    case ColumnType::kText:
      break;
  }
  return Texts(rows);
}

/// A table of the schema; columns missing in `values` are zeros. `optional`: optional features of
/// the run.
inline Table TableOf(const std::string& name, std::size_t rows,
                     const std::map<std::string, ColumnData>& values = {},
                     const std::vector<Present>& optional = {}) {
  const TableSchema* schema = FindTableSchema(name);
  if (schema == nullptr) throw std::out_of_range(name);
  Table table{name, "a table", {}};
  for (const ColumnSchema& column : schema->columns) {
    if (column.present != Present::kAlways &&
        std::count(optional.begin(), optional.end(), column.present) == 0)
      continue;
    const auto given = values.find(column.name);
    table.columns.push_back({column.name, column.unit, "a column",
                             given == values.end() ? Zeros(column.type, rows) : given->second});
  }
  return table;
}

struct MadeResult {
  std::vector<Table> tables;
  std::map<std::string, std::variant<std::string, std::int64_t, double>> root, run;

  Table& table(const std::string& name) {
    for (Table& table : tables) {
      if (table.name == name) return table;
    }
    throw std::out_of_range(name);
  }
  template <class T>
  std::vector<T>& values(const std::string& name, const std::string& column) {
    for (Column& c : table(name).columns) {
      if (c.name == column) return std::get<std::vector<T>>(c.data);
    }
    throw std::out_of_range(name + "/" + column);
  }
  Column& column(const std::string& name, std::size_t i) { return table(name).columns.at(i); }
  void Remove(const std::string& name) {
    tables.erase(std::remove_if(tables.begin(), tables.end(),
                                [&](const Table& t) { return t.name == name; }),
                 tables.end());
  }

  void Write(const std::string& path) const {
    ResultWriter writer(path, true);
    for (const Table& table : tables) writer.Write(table);
    std::vector<Attribute> attributes, of_run;
    for (const auto& [name, value] : root) attributes.push_back({name, value});
    for (const auto& [name, value] : run) of_run.push_back({name, value});
    writer.WriteAttributes(attributes);
    writer.WriteGroupAttributes("run", of_run);
    writer.Close();
  }
};

inline void AddCommon(MadeResult* result) {
  result->tables.push_back(ShapeTable(SmallGraph()));
  result->tables.push_back(LinkTable(SmallGraph()));
  result->tables.push_back(TableOf("ports", 1, {{"port", U32{1}}, {"sent_packets", I64{7}}}));
  result->tables.push_back(TableOf(
      "tier_load", 2, {{"to_ps", I64{3000, 3000}}, {"tier", Texts{"NVLink", "host to leaf"}}}));
  result->tables.push_back(
      TableOf("run/ranks", 2,
              {{"rank", U32{0, 1}}, {"packet_hops", I64{3, 4}}, {"host", Texts{"a", "b"}}}));
  result->tables.push_back(
      TableOf("run/progress", 2, {{"wall_seconds", F64{0.5, 1.5}}, {"time_ps", I64{100, 3000}}}));
  result->tables.push_back(TableOf("recovery", 0));
  result->tables.push_back(TableOf("failures", 0));
  const std::string digest = "0123456789abcdef";
  result->root = {{"heddle_version", "heddle"},
                  {"option transport.payload", "9000"},
                  {"command_line", "heddle run"},
                  {"topology_digest", digest},
                  {"option reliability.timeout", "4ms"},
                  {"option controller.enable", "false"},
                  {"option nic.qps_per_connection", "4"},
                  {"option monitor.kinds", "none"},
                  {"seed", std::int64_t{1}},
                  {"packet_hops", std::int64_t{7}},
                  {"simulated_ps", std::int64_t{3000}},
                  {"flows_planned", std::int64_t{3}},
                  {"flows_finished", std::int64_t{2}},
                  {"flows_recorded", "all"}};
  result->run = {{"ranks", std::int64_t{2}},
                 {"engine", "domain"},
                 {"partition", "block"},
                 {"grain", "auto"},
                 {"lookahead_ps", std::int64_t{500}},
                 {"setup_seconds", 0.1},
                 {"run_seconds", 0.1},
                 {"write_seconds", 0.1},
                 {"started", "2026-01-01T00:00:00Z"},
                 {"mpi", "x"},
                 {"hdf5", "x"},
                 {"ns3", "x"},
                 {"compiler", "x"}};
}

/// Three flows, two of them finished, with the controller, all monitors, a drop and pauses.
inline MadeResult TraceResult() {
  MadeResult result;
  AddCommon(&result);
  result.tables.push_back(TableOf("flows", 3,
                                  {{"src", U32{0, 0, 1}},
                                   {"dst", U32{2, 3, 2}},
                                   {"number", U32{0, 1, 0}},
                                   {"size_bytes", I64{1000, 3000, 70000}},
                                   {"fct_ps", I64{1000, 2000, -1}},
                                   {"received_ps", I64{900, 1500, -1}},
                                   {"ideal_ps", I64{1000, 1000, 1000}},
                                   {"state", U8{0, 0, 5}},
                                   {"request", U32{0, ~0U, 0}}},
                                  {Present::kController}));
  result.tables.push_back(TableOf("flow_sizes", 2,
                                  {{"from_bytes", I64{512, 2048}},
                                   {"to_bytes", I64{1024, 4096}},
                                   {"flows", I64{1, 1}},
                                   {"bytes", I64{1000, 3000}},
                                   {"fct_mean_ps", F64{1000, 2000}},
                                   {"fct_max_ps", I64{1000, 2000}},
                                   {"slowdown_mean", F64{1, 2}},
                                   {"slowdown_max", F64{1, 2}}}));
  result.tables.push_back(TableOf("slowdown_histogram", 2,
                                  {{"from_bytes", I64{512, 2048}},
                                   {"slowdown_from", F64{1, 2}},
                                   {"slowdown_to", F64{1.015625, 2.03125}},
                                   {"flows", I64{1, 1}}}));
  result.tables.push_back(TableOf(
      "fct_histogram", 2,
      {{"fct_from_ps", I64{992, 1984}}, {"fct_to_ps", I64{1008, 2016}}, {"flows", I64{1, 1}}}));
  result.tables.push_back(TableOf("drops", 2,
                                  {{"node", U32{6, 6}},
                                   {"port", U32{2, 2}},
                                   {"reason", Texts{"buffer full", "wire error"}},
                                   {"packets", I64{1, 1}}}));
  result.tables.push_back(TableOf(
      "pause_causes", 2, {{"node", U32{6, 6}}, {"port", U32{3, 2}}, {"paused_ps", I64{500, 100}}}));
  result.tables.push_back(
      TableOf("monitors/queues", 2, {{"time_ps", I64{10, 10}}, {"queued_bytes", I64{5, 6}}}));
  result.tables.push_back(TableOf("monitors/links", 1));
  result.tables.push_back(TableOf("monitors/rates", 1, {{"dst", U32{5}}, {"size_bytes", I64{1}}}));
  result.tables.push_back(TableOf("monitors/cnps", 0));
  result.tables.push_back(TableOf("pfc", 1, {{"depth", U8{255}}}));
  result.tables.push_back(TableOf("monitors/cast", 1, {{"dst", U32{1}}}));
  result.tables.push_back(TableOf("controller/requests", 2,
                                  {{"src", U32{1, 0}},
                                   {"dst", U32{2, 2}},
                                   {"decided_ps", I64{5, 6}},
                                   {"released_ps", I64{-1, 3000}}}));
  result.tables.push_back(
      TableOf("controller/paths", 2,
              {{"row", I64{0, 1}}, {"node", U32{6, 6}}, {"port", U16{2, 3}}, {"peer", U32{2, 3}}}));
  result.root["option controller.enable"] = "true";
  result.root["option monitor.kinds"] = "queues,links,rates,cnps,pfc,cast";
  result.root["flows_input_digest"] = result.root["topology_digest"];
  result.root["flows_digest"] = fmt::format("{:016x}", Digest(result.table("flows")));
  return result;
}

/// TraceResult without an ideal time for its first flow, which took 1000 ps: it has no slowdown.
inline MadeResult ResultWithoutAnIdealTime() {
  MadeResult result = TraceResult();
  result.values<std::int64_t>("flows", "ideal_ps")[0] = 0;
  result.values<double>("flow_sizes", "slowdown_mean")[0] = 0;
  result.values<double>("flow_sizes", "slowdown_max")[0] = 0;
  result.table("slowdown_histogram") = TableOf("slowdown_histogram", 1,
                                               {{"from_bytes", I64{2048}},
                                                {"slowdown_from", F64{2}},
                                                {"slowdown_to", F64{2.03125}},
                                                {"flows", I64{1}}});
  return result;
}

/// One job of two GPUs that sent each other a flow of 1000 bytes.
inline MadeResult JobResult() {
  MadeResult result;
  AddCommon(&result);
  result.tables.push_back(TableOf("flows", 2,
                                  {{"src", U32{0, 1}},
                                   {"dst", U32{1, 0}},
                                   {"size_bytes", I64{1000, 1000}},
                                   {"fct_ps", I64{1000, 2000}},
                                   {"received_ps", I64{900, 1500}},
                                   {"ideal_ps", I64{1000, 1000}}},
                                  {Present::kJobs}));
  result.tables.push_back(TableOf("flow_sizes", 1,
                                  {{"from_bytes", I64{512}},
                                   {"to_bytes", I64{1024}},
                                   {"flows", I64{2}},
                                   {"bytes", I64{2000}},
                                   {"fct_max_ps", I64{2000}}}));
  result.tables.push_back(
      TableOf("slowdown_histogram", 1,
              {{"from_bytes", I64{512}}, {"slowdown_to", F64{3}}, {"flows", I64{2}}}));
  result.tables.push_back(
      TableOf("fct_histogram", 1, {{"fct_to_ps", I64{3000}}, {"flows", I64{2}}}));
  result.tables.push_back(TableOf("drops", 0));
  result.tables.push_back(TableOf("pause_causes", 0));
  result.tables.push_back(TableOf(
      "jobs", 1, {{"gpus", U32{2}}, {"placement", Texts{"packed"}}, {"end_ps", I64{3000}}}));
  result.tables.push_back(
      TableOf("ranks", 2, {{"rank", U32{0, 1}}, {"gpu", U32{0, 1}}, {"end_ps", I64{2900, 3000}}}));
  result.tables.push_back(
      TableOf("operations", 1,
              {{"phase", Texts{"wg"}}, {"op", Texts{"ALLREDUCE"}}, {"group_type", Texts{"DP"}}}));
  result.tables.push_back(TableOf("collectives", 1,
                                  {{"phase", Texts{"wg"}},
                                   {"op", Texts{"ALLREDUCE"}},
                                   {"group_type", Texts{"DP"}},
                                   {"algorithm", Texts{"RING"}},
                                   {"protocol", Texts{"SIMPLE"}}}));
  result.tables.push_back(TableOf("layers", 2, {{"rank", U32{0, 1}}, {"gpu", U32{0, 1}}}));
  result.tables.push_back(TableOf("steps", 2,
                                  {{"gpu", U32{0, 1}},
                                   {"phase", Texts{"wg", "wg"}},
                                   {"kind", Texts{"compute", "communicate"}},
                                   {"end_ps", I64{5, 6}}}));
  result.root["workload_digest"] = result.root["topology_digest"];
  result.root["flows_planned"] = std::int64_t{2};
  result.root["collectives_recorded"] = std::string("all");
  result.root["flows_digest"] = fmt::format("{:016x}", DigestOfFlowRows(result.table("flows")));
  return result;
}

}  // namespace heddle
