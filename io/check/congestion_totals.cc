// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/congestion_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/result/attribute_map.h"
#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

class Totals {
 public:
  Totals(const ResultReader& reader, const std::vector<Attribute>& attributes,
         std::vector<Finding>* findings)
      : reader_(reader), attributes_(attributes), findings_(findings) {}

  void Check() {
    CheckRuns();
    Expect("/congestion/weights", "messages", Sum("congestion/weights", "messages"),
           Stated("messages"));
    Expect("/congestion/cables", "messages", Sum("congestion/cables", "messages"), Stated("hops"));
    CheckCables();
    CheckTiers();
    CheckSharers();
  }

 private:
  void Find(const std::string& place, const std::string& text) {
    findings_->push_back({place, text});
  }
  void Expect(const std::string& place, const char* what, std::int64_t found,
              std::int64_t expected) {
    if (found != expected)
      Find(place, fmt::format("{} {}. Expected: {}, as an attribute or another table says", found,
                              what, expected));
  }
  std::int64_t Stated(const char* name) const { return attributes_.Integer(name).value_or(0); }
  double StatedReal(const char* name) const { return attributes_.Number(name).value_or(0); }
  std::int64_t Sum(const char* table, const char* column) const {
    std::int64_t sum = 0;
    ForEachBlock(reader_, table, {column}, [&](const Table& block) {
      for (const std::int64_t value : GetColumn<std::int64_t>(block, column)) sum += value;
    });
    return sum;
  }

  void CheckRuns() {
    const char* table = "congestion/runs";
    const std::string place = "/congestion/runs";
    Expect(place, "rows", static_cast<std::int64_t>(reader_.CountRows(table)), Stated("runs"));
    for (const char* column : {"messages", "no_route", "loops"})
      Expect(place, column, Sum(table, column), Stated(column));
    std::int64_t next = 0, counted = 0;
    double bandwidth = 0;
    bool in_order = true;
    ForEachBlock(reader_, table, {"run", "messages", "bandwidth"}, [&](const Table& block) {
      const auto& run = GetColumn<std::int64_t>(block, "run");
      for (std::size_t row = 0; row < run.size(); ++row) {
        in_order = in_order && run[row] == next++;
        if (GetColumn<std::int64_t>(block, "messages")[row] == 0) continue;
        bandwidth += GetColumn<double>(block, "bandwidth")[row];
        ++counted;
      }
    });
    if (!in_order) Find(place + "/run", "a run is missing. Expected: all from 0");
    const double mean = counted == 0 ? 0 : bandwidth / static_cast<double>(counted);
    constexpr double kRounding = 1e-9;
    if (std::abs(mean - StatedReal("bandwidth_mean")) > kRounding)
      Find("attribute bandwidth_mean", fmt::format("{}. Expected: {}, the mean of /congestion/runs",
                                                   StatedReal("bandwidth_mean"), mean));
  }

  /// Numbers of cables and nodes are those of rows.
  void CheckCables() {
    const Table nodes = reader_.ReadTable("congestion/nodes");
    const Table cables = reader_.ReadTable("congestion/cables");
    const auto numbered = [&](const Table& table, const char* column) {
      const auto& numbers = GetColumn<std::uint32_t>(table, column);
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (numbers[row] != row)
          return Find("/" + table.name + "/" + column, "not the row. Expected: all from 0");
      }
    };
    numbered(nodes, "node");
    numbered(cables, "cable");
    nodes_ = GetColumn<std::uint32_t>(nodes, "node").size();
    cables_ = GetColumn<std::uint32_t>(cables, "cable").size();
    for (const std::uint8_t level : GetColumn<std::uint8_t>(nodes, "level")) {
      if (level <= LinkTiers::kMostLevel || level == LinkTiers::kNvLevel) continue;
      Find("/congestion/nodes/level", fmt::format("{}. Expected: 0 to {}, or {}", level,
                                                  LinkTiers::kMostLevel, LinkTiers::kNvLevel));
      break;
    }
    for (const char* end : {"from", "to"}) {
      for (const std::uint32_t node : GetColumn<std::uint32_t>(cables, end)) {
        if (node < nodes_) continue;
        Find(fmt::format("/congestion/cables/{}", end), fmt::format("{}. Expected: a node", node));
        break;
      }
    }
    const auto& tier = GetColumn<std::string>(cables, "tier");
    for (std::size_t row = 0; row < cables_; ++row) {
      Tier& sum = tiers_[tier[row]];
      const std::int64_t messages = GetColumn<std::int64_t>(cables, "messages")[row];
      ++sum.cables;
      sum.messages += messages;
      sum.unused += messages == 0 ? 1 : 0;
      sum.peak = std::max(sum.peak, GetColumn<std::int64_t>(cables, "peak_messages")[row]);
    }
  }

  void CheckTiers() {
    const Table table = reader_.ReadTable("congestion/tiers");
    const auto& name = GetColumn<std::string>(table, "tier");
    for (std::size_t row = 0; row < name.size(); ++row) {
      const auto value = [&](const char* column) {
        return GetColumn<std::int64_t>(table, column)[row];
      };
      const Tier& sum = tiers_[name[row]];
      if (value("cables") != sum.cables || value("messages") != sum.messages ||
          value("unused") != sum.unused || value("peak_messages") != sum.peak)
        Find("/congestion/tiers",
             fmt::format("row {}: not the sums of '{}'. Expected: those of /congestion/cables", row,
                         Printable(name[row])));
      tiers_.erase(name[row]);
    }
    if (!tiers_.empty())
      Find("/congestion/tiers", fmt::format("no row for '{}'. Expected: every tier of a cable",
                                            Printable(tiers_.begin()->first)));
  }

  void CheckSharers() {
    const Table table = reader_.ReadTable("congestion/sharers");
    const auto below = [&](const char* column, std::size_t limit) {
      for (const std::uint32_t value : GetColumn<std::uint32_t>(table, column)) {
        if (value >= limit)
          return Find(fmt::format("/congestion/sharers/{}", column),
                      fmt::format("{}. Expected: below {}", value, limit));
      }
    };
    below("cable", cables_);
    below("source", nodes_);
    below("destination", nodes_);
  }

  struct Tier {
    std::int64_t cables = 0, messages = 0, unused = 0, peak = 0;
  };

  const ResultReader& reader_;
  const AttributeMap attributes_;
  std::vector<Finding>* findings_;
  std::size_t nodes_ = 0, cables_ = 0;
  std::map<std::string, Tier> tiers_;
};

}  // namespace

void CheckCongestionTotals(const ResultReader& reader, const std::vector<Attribute>& attributes,
                           std::vector<Finding>* findings) {
  Totals(reader, attributes, findings).Check();
}

}  // namespace heddle
