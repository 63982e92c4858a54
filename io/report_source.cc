// SPDX-License-Identifier: GPL-2.0-only
#include "io/report_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "io/graph_table.h"
#include "io/table_column.h"
#include "topology/tiers.h"

namespace heddle {
namespace {

/// "host", "leaf", "spine", "core": how links name the tiers of their ends.
std::string LevelName(std::uint32_t tier) {
  if (tier == kGpuTier) return "host";
  return tier == kLeafTier + 2 ? "core" : TierName(tier);
}

/// A link's place on the way up and down again; links of equal names have equal keys.
int OrderOf(std::uint32_t from, std::uint32_t to) {
  constexpr int kTiers = 1000;
  if (from == kNvSwitchTier || to == kNvSwitchTier) return 0;
  const int low = static_cast<int>(std::min(from, to));
  if (from < to) return 1 + low;
  return from == to ? kTiers + low : 3 * kTiers - low;
}

std::vector<Attribute> RunAttributes(const ResultReader& reader) {
  std::vector<Attribute> attributes = reader.ReadAttributes();  // of results before format 2.0
  for (Attribute& attribute : reader.ReadAttributesOf("run")) attributes.push_back(std::move(attribute));
  return attributes;
}

}  // namespace

AttributeMap::AttributeMap(const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) by_name_[attribute.name] = attribute;
}

std::optional<std::string> AttributeMap::Text(const std::string& name) const {
  const auto found = by_name_.find(name);
  const auto* text = found == by_name_.end() ? nullptr : std::get_if<std::string>(&found->second.value);
  return text == nullptr ? std::nullopt : std::optional<std::string>(*text);
}

std::optional<std::int64_t> AttributeMap::Integer(const std::string& name) const {
  const auto found = by_name_.find(name);
  const auto* number = found == by_name_.end() ? nullptr : std::get_if<std::int64_t>(&found->second.value);
  return number == nullptr ? std::nullopt : std::optional<std::int64_t>(*number);
}

std::optional<double> AttributeMap::Number(const std::string& name) const {
  if (const auto whole = Integer(name)) return static_cast<double>(*whole);
  const auto found = by_name_.find(name);
  const auto* number = found == by_name_.end() ? nullptr : std::get_if<double>(&found->second.value);
  return number == nullptr ? std::nullopt : std::optional<double>(*number);
}

LinkTiers::LinkTiers(const Graph& graph, const HopNumbers& numbers) : tier_(numbers.count()) {
  const std::vector<std::uint32_t> level = FindTiers(graph);
  std::map<int, std::vector<HopIndex>> by_order;
  std::map<int, std::string> name_of;
  for (HopIndex hop = 0; hop < numbers.count(); ++hop) {
    const Hop at = numbers.At(hop);
    const std::uint32_t from = level[at.node.value];
    const std::uint32_t to = level[graph.ports(at.node)[at.port.value].peer.value];
    const int order = OrderOf(from, to);
    by_order[order].push_back(hop);
    name_of[order] = order == 0 ? "NVLink" : LevelName(from) + " to " + LevelName(to);
  }
  for (const auto& [order, hops] : by_order) {
    for (const HopIndex hop : hops) tier_[hop] = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name_of[order]);
    links_.push_back(static_cast<std::uint32_t>(hops.size()));
  }
}

ReportSource::ReportSource(const std::string& path)
    : path_(path),
      reader_(path),
      tables_(reader_.TableNames()),
      root_(reader_.ReadAttributes()),
      run_(RunAttributes(reader_)),
      graph_(GraphFromTables(reader_.ReadTable(kShapeTable), reader_.ReadTable(kLinkTable))),
      numbers_(graph_),
      tiers_(graph_, numbers_),
      end_ps_(std::max<std::int64_t>(1, FindEnd())) {}

bool ReportSource::Has(const std::string& table) const { return std::binary_search(tables_.begin(), tables_.end(), table); }

bool ReportSource::HasColumn(const std::string& table, const std::string& column) const {
  if (!Has(table)) return false;
  const std::vector<std::string> names = reader_.ColumnNames(table);
  return std::find(names.begin(), names.end(), column) != names.end();
}

HopIndex ReportSource::HopOf(const std::string& table, std::uint32_t node, std::uint32_t port) const {
  if (node >= graph_.node_count() || port >= graph_.ports(NodeId(node)).size()) {
    FailInput({path_, 0}, fmt::format("table {}: port {} of node {}", table, port, node), "a port of the result's topology");
  }
  return numbers_.Of(NodeId(node), PortId(port));
}

double ReportSource::RateOf(HopIndex hop) const {
  const Hop at = numbers_.At(hop);
  return static_cast<double>(graph_.link(graph_.ports(at.node)[at.port.value].link).rate.bps);
}

std::string ReportSource::NodeName(std::uint32_t node) const {
  return node < graph_.node_count() ? Describe(graph_, NodeId(node)) : fmt::format("node {}", node);
}

std::string ReportSource::PeerName(HopIndex hop) const {
  const Hop at = numbers_.At(hop);
  return Describe(graph_, graph_.ports(at.node)[at.port.value].peer);
}

std::string ReportSource::LinkName(HopIndex hop) const {
  const Hop at = numbers_.At(hop);
  const auto& ports = graph_.ports(at.node);
  const NodeId peer = ports[at.port.value].peer;
  const auto cables = std::count_if(ports.begin(), ports.end(), [&](const Attachment& port) { return port.peer == peer; });
  return fmt::format("{} to {}{}", Describe(graph_, at.node), Describe(graph_, peer),
                     cables > 1 ? fmt::format(" (port {})", at.port.value) : "");
}

std::int64_t ReportSource::FindEnd() const {
  for (const char* name : {"simulated_ps", "until_ps"}) {
    if (const auto known = root_.Integer(name)) return *known;
  }
  std::int64_t end = 0;
  if (Has("jobs")) {
    ForEachBlock(reader_, "jobs", {"end_ps"}, [&](const Table& block) {
      for (const std::int64_t at : GetColumn<std::int64_t>(block, "end_ps")) end = std::max(end, at);
    });
  }
  if (!Has("flows")) return end;
  ForEachBlock(reader_, "flows", {"start_ps", "fct_ps"}, [&](const Table& block) {
    const auto& start = GetColumn<std::int64_t>(block, "start_ps");
    const auto& fct = GetColumn<std::int64_t>(block, "fct_ps");
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (fct[i] >= 0) end = std::max(end, start[i] + fct[i]);
    }
  });
  return end;
}

}  // namespace heddle
