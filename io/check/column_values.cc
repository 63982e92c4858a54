// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/column_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct Range {
  std::int64_t least, most;
  std::string text;
};

/// The valid range of numbers; that of ports differs by node, see FindPortMisfits.
Range RangeOf(const ColumnSchema& schema, const ValueBounds& bounds) {
  const auto below = [](std::int64_t count, const char* what) {
    return Range{0, count - 1, fmt::format("below {}, the number of {}", count, what)};
  };
  const auto end = bounds.end_ps == kMost ? std::string("a time, 0 or more")
                                          : fmt::format("0 to {} (simulated_ps)", bounds.end_ps);
  switch (schema.values) {
    case Values::kCount:
      return {0, kMost, "0 or more"};
    case Values::kCountOrNone:
      return {-1, kMost, "-1, or 0 or more"};
    case Values::kPositive:
      return {1, kMost, "more than 0"};
    case Values::kUpTo:
      return {0, schema.limit, fmt::format("0 to {}", schema.limit)};
    case Values::kTime:
      return {0, bounds.end_ps, end};
    case Values::kTimeOrNone:
      return {-1, bounds.end_ps, "-1, or " + end};
    case Values::kJob:
      return below(bounds.jobs, "rows of /jobs");
    case Values::kRequest:
      return below(bounds.requests, "rows of /controller/requests");
    case Values::kGpu:
      if (bounds.graph != nullptr) return below(bounds.graph->gpu_count(), "GPUs");
      break;
    case Values::kHost:
      if (bounds.graph != nullptr) {
        if (bounds.graph->switches_add()) return below(bounds.graph->node_count(), "nodes");
        return below(bounds.graph->gpu_count() + bounds.graph->nvswitch_count(),
                     "GPUs and NVSwitches");
      }
      break;
    case Values::kNode:
      if (bounds.graph != nullptr) return below(bounds.graph->node_count(), "nodes");
      break;
    case Values::kAny:
    case Values::kPort:
    case Values::kWord:
      break;
  }
  return {std::numeric_limits<std::int64_t>::min(), kMost, ""};
}

/// Counts the rows for which `fits` is false.
template <class Value, class Fits>
std::optional<Misfits> Count(const std::vector<Value>& values, const std::string& expected,
                             Fits fits) {
  Misfits found;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (fits(row)) continue;
    if (found.count++ > 0) continue;
    found.row = row;
    if constexpr (std::is_same_v<Value, std::string>) {
      found.value = '\'' + Printable(values[row]) + '\'';
    } else {
      found.value = fmt::format("{}", values[row]);
    }
  }
  if (found.count == 0) return {};
  found.expected = expected;
  return found;
}

/// The nodes to which the ports of a column belong; null if that column is missing.
const std::vector<std::uint32_t>* NodesOf(const ColumnSchema& schema, const Table& block) {
  for (const Column& column : block.columns) {
    if (column.name == schema.of) return std::get_if<std::vector<std::uint32_t>>(&column.data);
  }
  return nullptr;
}

template <class Value>
std::optional<Misfits> FindPortMisfits(const std::vector<Value>& ports,
                                       const std::vector<std::uint32_t>& nodes,
                                       const Graph& graph) {
  const auto ports_of = [&](std::size_t row) {
    return nodes[row] < graph.node_count() ? graph.ports(NodeId(nodes[row])).size() : kMaxPorts;
  };
  auto found = Count(ports, "", [&](std::size_t row) {
    return static_cast<std::uint64_t>(ports[row]) < ports_of(row);
  });
  if (found)
    found->expected = fmt::format("below {}, the number of ports of node {}", ports_of(found->row),
                                  nodes[found->row]);
  return found;
}

std::optional<Misfits> CheckTexts(const ColumnSchema& schema,
                                  const std::vector<std::string>& texts) {
  if (schema.values != Values::kWord) return {};
  return Count(texts, fmt::format("one of {}", fmt::join(schema.words, ", ")),
               [&](std::size_t row) {
                 return std::find(schema.words.begin(), schema.words.end(), texts[row]) !=
                        schema.words.end();
               });
}

std::optional<Misfits> CheckReals(const ColumnSchema& schema, const std::vector<double>& values) {
  const bool counts = schema.values == Values::kCount;
  return Count(
      values, counts ? "a finite number, 0 or more" : "a finite number",
      [&](std::size_t row) { return std::isfinite(values[row]) && (!counts || values[row] >= 0); });
}

}  // namespace

std::optional<Misfits> FindMisfits(const ColumnSchema& schema, const Column& column,
                                   const Table& block, const ValueBounds& bounds) {
  return std::visit(
      [&](const auto& values) -> std::optional<Misfits> {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::string>) {
          return CheckTexts(schema, values);
        } else if constexpr (std::is_same_v<Value, double>) {
          return CheckReals(schema, values);
        } else {
          const auto* nodes = schema.values == Values::kPort ? NodesOf(schema, block) : nullptr;
          if (nodes != nullptr && bounds.graph != nullptr)
            return FindPortMisfits(values, *nodes, *bounds.graph);
          const Range range = RangeOf(schema, bounds);
          return Count(values, range.text, [&](std::size_t row) {
            const auto value = static_cast<std::int64_t>(values[row]);
            return value >= range.least && value <= range.most;
          });
        }
      },
      column.data);
}

}  // namespace heddle
