// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/explicit_flows_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace heddle {
namespace {

std::string Join(const std::vector<std::uint32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, " "));
}

std::string Join(const std::vector<NodeId>& nodes) {
  std::vector<std::uint32_t> values;
  for (const NodeId node : nodes) values.push_back(node.value);
  return Join(values);
}

constexpr std::size_t kColumns = 11;
using Row = std::array<std::string, kColumns>;

Row RowOf(const SingleFlow& flow) {
  Row row = {std::to_string(flow.id),
             std::to_string(flow.channel),
             std::to_string(flow.chunk),
             std::to_string(flow.chunk_count),
             ToText(flow.connection),
             std::to_string(flow.src.value),
             std::to_string(flow.dst.value),
             std::to_string(flow.bytes),
             Join(flow.prev),
             Join(flow.parents),
             Join(flow.children)};
  for (std::string& cell : row) {
    if (cell.empty()) cell = "-";
  }
  return row;
}

}  // namespace

std::string FlowsAsTable(const std::vector<SingleFlow>& flows) {
  const Row names = {"flow", "channel", "chunk", "chunks",  "connection", "src",
                     "dst",  "bytes",   "prev",  "parents", "children"};
  std::array<std::size_t, kColumns> widths{};
  const auto widen = [&](const Row& row) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  };
  widen(names);
  for (const SingleFlow& flow : flows) widen(RowOf(flow));
  std::string text;
  const auto print = [&](const Row& row) {
    for (std::size_t i = 0; i + 1 < kColumns; ++i)
      fmt::format_to(std::back_inserter(text), "{:>{}}  ", row[i], widths[i]);
    text += row.back() + "\n";
  };
  print(names);
  for (const SingleFlow& flow : flows) print(RowOf(flow));
  return text;
}

std::string FlowsAsCsv(const std::vector<SingleFlow>& flows) {
  std::string text =
      "flow_id,src,dst,flow_size_bytes,prev,parents,children,channel,chunk,chunk_count,"
      "connection\n";
  for (const SingleFlow& flow : flows) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{}\n", flow.id,
                   flow.src.value, flow.dst.value, flow.bytes, Join(flow.prev), Join(flow.parents),
                   Join(flow.children), flow.channel, flow.chunk, flow.chunk_count,
                   ToText(flow.connection));
  }
  return text;
}

std::string FlowsAsDot(const std::vector<SingleFlow>& flows) {
  std::string text = "digraph collective {\n  node [shape=box];\n";
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const SingleFlow& flow = flows[i];
    if (i == 0 || flow.channel != flows[i - 1].channel) {
      fmt::format_to(out, "  subgraph cluster_{} {{\n    label=\"channel {}\";\n", flow.channel,
                     flow.channel);
    }
    fmt::format_to(out, "    f{} [label=\"{}: {} -> {}\\n{} {}, {} B\"];\n", flow.id, flow.id,
                   flow.src.value, flow.dst.value, ToText(flow.connection), flow.chunk, flow.bytes);
    if (i + 1 == flows.size() || flow.channel != flows[i + 1].channel) text += "  }\n";
  }
  for (const SingleFlow& flow : flows) {
    for (const std::uint32_t child : flow.children)
      fmt::format_to(out, "  f{} -> f{};\n", flow.id, child);
  }
  return text + "}\n";
}

}  // namespace heddle
