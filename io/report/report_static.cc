// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/report/report_parts.h"
#include "io/result/attribute_map.h"
#include "io/result/result_reader.h"
#include "topology/files/heat_drawing.h"

namespace heddle {
namespace {

Json Value(const AttributeMap& root, const std::string& name) {
  if (const auto text = root.Text(name)) return *text;
  if (const auto whole = root.Integer(name)) return *whole;
  if (const auto number = root.Number(name)) return Rounded(*number, 9);
  return nullptr;
}

Json Figure(const char* key, const char* group, const char* label, int better, const Json& value) {
  return {{"key", key}, {"group", group},   {"label", label},
          {"unit", ""}, {"better", better}, {"value", value}};
}

Json PatternFigures(const AttributeMap& root) {
  return {Figure("bandwidth", "Pattern", "Bandwidth, share of a host's rate", 1,
                 Value(root, "bandwidth_mean")),
          Figure("bandwidth_error", "Pattern", "Bandwidth, ± with 95 % confidence", 0,
                 Value(root, "bandwidth_error")),
          Figure("maxima", "Pattern", "Sum over levels of the largest weight", -1,
                 Value(root, "sum_of_maxima_mean")),
          Figure("delay", "Pattern", "Delay, in transfers without congestion", -1,
                 Value(root, "delay_mean")),
          Figure("messages", "Pattern", "Messages of all runs", 0, Value(root, "messages")),
          Figure("runs", "Pattern", "Runs", 0, Value(root, "runs"))};
}

Json About(const std::string& path, const AttributeMap& root) {
  Json about = {{"file", path}, {"digests", Json::array()}};
  for (const char* name : {"heddle_version", "command_line", "pattern", "pattern_ranks",
                           "placement", "routing", "seed", "fixed_subset", "unit_links"})
    about[name] = Value(root, name);
  // Another pattern or placement is other traffic.
  for (const char* name : {"pattern", "pattern_ranks", "placement", "mappings_digest"})
    about["digests"].push_back({{"name", name}, {"value", Value(root, name)}});
  about["network_digest"] = Value(root, "network_digest");
  return about;
}

Json Warnings(const AttributeMap& root) {
  Json warnings = Json::array();
  const auto warn = [&](const char* name, const char* what) {
    const std::int64_t count = root.Integer(name).value_or(0);
    if (count > 0) warnings.push_back(std::to_string(count) + what);
  };
  warn("no_route", " messages had no way; they count nowhere else.");
  warn("loops", " messages ran in a loop of the forwarding tables; they count nowhere else.");
  return warnings;
}

/// Bandwidths of runs as a histogram and as a distribution.
Json Bandwidths(const ResultReader& reader, const ReportLimits& limits) {
  std::vector<double> values;
  ForEachBlock(reader, "congestion/runs", {"messages", "bandwidth"}, [&](const Table& block) {
    const auto& messages = GetColumn<std::int64_t>(block, "messages");
    for (std::size_t row = 0; row < messages.size(); ++row) {
      const double share = GetColumn<double>(block, "bandwidth")[row];
      if (messages[row] > 0 && share >= 0 && share <= 1) values.push_back(share);
    }
  });
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end());
  Json x = Json::array(), share = Json::array();
  const std::size_t points = std::min(limits.points, values.size());
  for (std::size_t i = 1; i <= points; ++i) {
    const std::size_t below = i * values.size() / points;
    x.push_back(Rounded(values[below - 1]));
    share.push_back(Rounded(static_cast<double>(below) / static_cast<double>(values.size())));
  }
  constexpr double kBin = 0.02;
  constexpr int kLast = 49;  // 0.98 to 1, both included
  std::map<int, std::int64_t> counts;
  for (const double value : values)
    ++counts[std::min(static_cast<int>(value / kBin + 1e-9), kLast)];
  Json bins = Json::array();
  for (int bin = counts.begin()->first; bin <= counts.rbegin()->first; ++bin)
    bins.push_back(
        {{"from", Rounded(bin * kBin)}, {"to", Rounded((bin + 1) * kBin)}, {"runs", counts[bin]}});
  return {{"x", x}, {"share", share}, {"bins", bins}};
}

Json Weights(const ResultReader& reader, const ReportLimits& limits) {
  const Table table = reader.ReadTable("congestion/weights");
  const auto& weight = GetColumn<double>(table, "weight");
  const auto& messages = GetColumn<std::int64_t>(table, "messages");
  const double all = std::max(
      1.0, static_cast<double>(std::accumulate(messages.begin(), messages.end(), std::int64_t{0})));
  Json rows = Json::array();
  for (std::size_t row = 0; row < weight.size() && row < limits.table_rows; ++row)
    rows.push_back({{"weight", Rounded(weight[row])},
                    {"messages", messages[row]},
                    {"share", Rounded(static_cast<double>(messages[row]) / all)}});
  return {{"rows", rows}, {"all", weight.size()}};
}

/// The tables of the network, read once.
class Network {
 public:
  explicit Network(const ResultReader& reader)
      : nodes_(reader.ReadTable("congestion/nodes")),
        cables_(reader.ReadTable("congestion/cables")) {
    const auto& messages = Column("messages");
    const auto& rate = Column("rate_bps");
    const auto& peak = Column("peak_messages");
    std::vector<CableUse> cables;
    for (std::size_t i = 0; i < messages.size(); ++i)
      cables.push_back({static_cast<double>(messages[i]), static_cast<double>(rate[i]), peak[i]});
    heat_ = HeatOfUse(cables);
  }

  const std::vector<std::int64_t>& Column(const char* name) const {
    return GetColumn<std::int64_t>(cables_, name);
  }
  std::size_t cables() const { return heat_.size(); }
  double heat(std::size_t cable) const { return heat_[cable]; }
  const std::string& tier(std::size_t cable) const {
    return GetColumn<std::string>(cables_, "tier")[cable];
  }
  std::uint32_t from(std::size_t cable) const {
    return GetColumn<std::uint32_t>(cables_, "from")[cable];
  }
  std::uint32_t to(std::size_t cable) const {
    return GetColumn<std::uint32_t>(cables_, "to")[cable];
  }
  /// "?" for a number of no node, as a file from elsewhere may have.
  std::string NameOf(std::uint32_t node) const {
    return node < names().size() ? names()[node] : "?";
  }
  const std::vector<std::string>& names() const { return GetColumn<std::string>(nodes_, "name"); }
  const std::vector<std::uint8_t>& levels() const {
    return GetColumn<std::uint8_t>(nodes_, "level");
  }

 private:
  Table nodes_, cables_;
  std::vector<double> heat_;  ///< by cable, share of the hottest
};

/// Loads of each tier's cables: figures, and a strip of their heat in the order of numbers.
Json Tiers(const ResultReader& reader, const Network& network, double runs) {
  constexpr std::size_t kStrip = 512;
  std::map<std::string, std::vector<std::uint32_t>> of_tier;
  for (std::uint32_t cable = 0; cable < network.cables(); ++cable)
    of_tier[network.tier(cable)].push_back(cable);
  const Table table = reader.ReadTable("congestion/tiers");
  Json rows = Json::array();
  for (std::size_t row = 0; row < GetColumn<std::string>(table, "tier").size(); ++row) {
    const std::string& name = GetColumn<std::string>(table, "tier")[row];
    const std::vector<std::uint32_t>& cables = of_tier[name];
    std::vector<double> loads;
    for (const std::uint32_t cable : cables)
      loads.push_back(static_cast<double>(network.Column("messages")[cable]) / runs);
    std::sort(loads.begin(), loads.end());
    const std::size_t bins = std::min(kStrip, cables.size());
    std::vector<int> strip(bins, 0);
    for (std::size_t i = 0; i < cables.size(); ++i) {
      int& cell = strip[i * bins / cables.size()];
      cell = std::max(cell, static_cast<int>(1000 * network.heat(cables[i])));
    }
    rows.push_back({{"tier", name},
                    {"cables", cables.size()},
                    {"unused", GetColumn<std::int64_t>(table, "unused")[row]},
                    {"peak", GetColumn<std::int64_t>(table, "peak_messages")[row]},
                    {"least", loads.empty() ? 0 : Rounded(loads.front())},
                    {"median", loads.empty() ? 0 : Rounded(loads[loads.size() / 2])},
                    {"most", loads.empty() ? 0 : Rounded(loads.back())},
                    {"strip", strip}});
  }
  return rows;
}

/// The drawn network; null if it is too large.
Json Drawing(const Network& network, double runs) {
  const std::vector<std::string>& names = network.names();
  if (!IsDrawable(names.size(), network.cables())) return nullptr;
  HeatDrawing drawing;
  for (std::size_t node = 0; node < names.size(); ++node)
    drawing.nodes.push_back({names[node], network.levels()[node]});
  for (std::size_t cable = 0; cable < network.cables(); ++cable) {
    const std::uint32_t from = network.from(cable), to = network.to(cable);
    if (from >= names.size() || to >= names.size()) return nullptr;
    const double load = static_cast<double>(network.Column("messages")[cable]) / runs;
    drawing.cables.push_back(
        {from, to, network.heat(cable),
         names[from] + " to " + names[to] + ": " + std::to_string(Rounded(load, 3)).substr(0, 6) +
             " messages a run, at most " + std::to_string(network.Column("peak_messages")[cable]) +
             " at once"});
  }
  return HeatSvg(drawing);
}

Json Worst(const ResultReader& reader, const Network& network, const ReportLimits& limits) {
  constexpr std::size_t kNamed = 12;
  const Table table = reader.ReadTable("congestion/sharers");
  const auto& rank = GetColumn<std::uint32_t>(table, "rank");
  const auto& cable = GetColumn<std::uint32_t>(table, "cable");
  const auto name = [&](const char* column, std::size_t row) {
    return network.NameOf(GetColumn<std::uint32_t>(table, column)[row]);
  };
  Json rows = Json::array();
  for (std::size_t row = 0; row < rank.size() && rows.size() < limits.table_rows;) {
    const std::uint32_t at = cable[row];
    if (at >= network.cables()) break;
    Json pairs = Json::array();
    std::size_t all = 0;
    for (const std::uint32_t place = rank[row]; row < rank.size() && rank[row] == place; ++row) {
      if (++all <= kNamed) pairs.push_back(name("source", row) + " to " + name("destination", row));
    }
    rows.push_back({{"from", network.NameOf(network.from(at))},
                    {"to", network.NameOf(network.to(at))},
                    {"tier", network.tier(at)},
                    {"rate", network.Column("rate_bps")[at]},
                    {"peak", network.Column("peak_messages")[at]},
                    {"run", network.Column("peak_run")[at]},
                    {"level", network.Column("peak_level")[at]},
                    {"pairs", pairs},
                    {"all", all}});
  }
  return rows;
}

}  // namespace

Json ReportStaticCongestion(const std::string& path, const std::string& name,
                            const ReportLimits& limits) {
  const ResultReader reader(path, SealRule::kRequired, ResultContent::kCongestion);
  const AttributeMap root(reader.ReadAttributes());
  const Network network(reader);
  const auto runs =
      static_cast<double>(std::max<std::int64_t>(1, root.Integer("runs").value_or(1)));
  return {{"name", name},
          {"about", About(path, root)},
          {"warnings", Warnings(root)},
          {"figures", PatternFigures(root)},
          {"bandwidths", Bandwidths(reader, limits)},
          {"weights", Weights(reader, limits)},
          {"load", Tiers(reader, network, runs)},
          {"drawing", Drawing(network, runs)},
          {"worst", Worst(reader, network, limits)}};
}

}  // namespace heddle
