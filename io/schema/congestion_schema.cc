// SPDX-License-Identifier: GPL-2.0-only
#include "io/schema/congestion_schema.h"

#include "io/schema/schema_columns.h"
#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

using namespace schema;  // NOLINT(google-build-using-namespace): words of the table below

ColumnSchema Tier() { return Word("tier", LinkTiers::Names()); }

std::vector<TableSchema> MakeCongestionTables() {
  const Present always = Present::kAlways;
  return {
      Sorted("congestion/runs", always, {"run"},
             {Count("run"), Count("messages"), Count("no_route"), Count("loops"), Count("levels"),
              Real("bandwidth", "1"), Real("sum_of_maxima", "1"), Real("delay", "1")}),
      Sorted("congestion/weights", always, {"weight"},
             {Real("weight", "1"), {"messages", kI64, "1", Values::kPositive}}),
      Sorted("congestion/tiers", always, {"tier"},
             {Tier(),
              {"cables", kI64, "1", Values::kPositive},
              Count("unused"),
              Count("messages"),
              Count("peak_messages")}),
      Sorted("congestion/nodes", always, {"node"},
             {Number("node"),
              Free("name"),
              Small("level", 255),
              {"host", kI64, "1", Values::kCountOrNone}}),
      Sorted("congestion/cables", always, {"cable"},
             {Number("cable"),
              Number("from"),
              Number("to"),
              Tier(),
              {"rate_bps", kI64, "bit/s", Values::kCount},
              Count("messages"),
              Count("peak_messages"),
              Count("peak_run"),
              Count("peak_level")}),
      {"congestion/sharers",
       always,
       {},
       EqualKeys::kAnyOrder,
       {"rank"},
       {Number("rank"), Number("cable"), Number("source"), Number("destination")}},
      Sorted("congestion/queue_pairs", Present::kMayBe, {"run"},
             {Count("run"), Real("even_parts", "1"), Real("best_parts", "1")}),
  };
}

}  // namespace

const std::vector<TableSchema>& CongestionTables() {
  static const std::vector<TableSchema> tables = MakeCongestionTables();
  return tables;
}

const std::vector<AttributeSchema>& CongestionAttributes() {
  constexpr AttributeType kText = AttributeType::kText, kInteger = AttributeType::kI64,
                          kReal = AttributeType::kF64;
  static const std::vector<AttributeSchema> attributes = {
      {"filetype", kText},
      {"format_version", AttributeType::kTwoI32},
      {"complete", kInteger},
      {"heddle_version", kText},
      {"command_line", kText},
      {"network_digest", kText},
      {"tables_digest", kText, Present::kMayBe},
      {"mappings_digest", kText, Present::kMayBe},
      {"routing", kText, Present::kMayBe},
      {"pattern", kText},
      {"placement", kText},
      {"pattern_ranks", kInteger},
      {"runs", kInteger},
      {"seed", kInteger},
      {"fixed_subset", kInteger},
      {"unit_links", kInteger},
      {"messages", kInteger},
      {"no_route", kInteger},
      {"loops", kInteger},
      {"hops", kInteger},
      {"bandwidth_mean", kReal},
      {"bandwidth_error", kReal},
      {"sum_of_maxima_mean", kReal},
      {"delay_mean", kReal},
      {"queue_pairs", kInteger, Present::kMayBe},
      {"best_parts_tolerance", kReal, Present::kMayBe},
  };
  return attributes;
}

}  // namespace heddle
