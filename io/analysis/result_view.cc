// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/result_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/table.h"
#include "io/result/result_graph.h"
#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

std::vector<Attribute> RunAttributes(const ResultReader& reader) {
  std::vector<Attribute> attributes = reader.ReadAttributes();  // of results before format 2.0, too
  if (!reader.HasTable("run/ranks")) return attributes;
  for (Attribute& attribute : reader.ReadAttributes("run"))
    attributes.push_back(std::move(attribute));
  return attributes;
}

}  // namespace

PortTiers::PortTiers(const Graph& graph, const HopNumbers& numbers) {
  const LinkTiers tiers(graph);
  for (const LinkTiers::Tier& tier : tiers.tiers()) {
    names_.push_back(tier.name);
    links_.push_back(tier.links);
  }
  tier_.reserve(numbers.count());
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {  // ports are numbered by node
    for (const Attachment& port : graph.ports(NodeId(node)))
      tier_.push_back(tiers.Of(NodeId(node), port.peer));
  }
}

ReportSource::ReportSource(const std::string& path)
    : path_(path),
      reader_(path),
      tables_(reader_.TableNames()),
      root_(reader_.ReadAttributes()),
      run_(RunAttributes(reader_)),
      graph_(ReadGraph(reader_)),
      numbers_(graph_),
      tiers_(graph_, numbers_),
      names_(graph_),
      end_ps_(std::max<std::int64_t>(1, FindEnd())) {}

bool ReportSource::Has(const std::string& table) const {
  return std::binary_search(tables_.begin(), tables_.end(), table);
}

bool ReportSource::HasColumn(const std::string& table, const std::string& column) const {
  if (!Has(table)) return false;
  const Table header = reader_.ReadHeader(table);
  return std::any_of(header.columns.begin(), header.columns.end(),
                     [&](const Column& there) { return there.name == column; });
}

HopIndex ReportSource::HopOf(const std::string& table, std::uint32_t node,
                             std::uint32_t port) const {
  if (node >= graph_.node_count() || port >= graph_.ports(NodeId(node)).size()) {
    FailInput({path_, 0}, fmt::format("table {}: port {} of node {}", table, port, node),
              "a port of the result's topology");
  }
  return numbers_.Of(NodeId(node), PortId(port));
}

double ReportSource::RateOf(HopIndex hop) const {
  const Hop at = numbers_.At(hop);
  return static_cast<double>(graph_.link(graph_.ports(at.node)[at.port.value].link).rate.bps);
}

std::string ReportSource::NodeName(std::uint32_t node) const {
  return node < graph_.node_count() ? names_.Of(NodeId(node)) : fmt::format("node {}", node);
}

std::string ReportSource::PeerName(HopIndex hop) const {
  const Hop at = numbers_.At(hop);
  return names_.Of(graph_.ports(at.node)[at.port.value].peer);
}

std::string ReportSource::LinkName(HopIndex hop) const {
  const Hop at = numbers_.At(hop);
  return names_.Link(at.node, at.port);
}

std::int64_t ReportSource::FindEnd() const {
  for (const char* name : {"simulated_ps", "until_ps"}) {
    if (const auto known = root_.Integer(name)) return *known;
  }
  std::int64_t end = 0;
  if (Has("jobs")) {
    ForEachBlock(reader_, "jobs", {"end_ps"}, [&](const Table& block) {
      for (const std::int64_t at : GetColumn<std::int64_t>(block, "end_ps"))
        end = std::max(end, at);
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
