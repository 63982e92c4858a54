// SPDX-License-Identifier: GPL-2.0-only
/// Messages that are made by hand, on the fabric of tests/unit/io/two_leaves.h.
#pragma once

#include <cstdint>
#include <vector>

#include "io/step/message_causes.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {

/// At 100 Gbps a byte takes 80 ps.
inline constexpr std::int64_t kSize = 1000, kAlone = 80 * kSize;

struct MadeFlow {
  std::uint32_t src, dst;
  std::int64_t start, fct;
  std::int64_t size = kSize, ideal = kAlone;
};

inline MessageTables CauseTables(const std::vector<MadeFlow>& rows) {
  std::vector<std::uint32_t> src, dst, number;
  std::vector<std::int64_t> start, fct, ideal, size;
  for (const MadeFlow& row : rows) {
    number.push_back(static_cast<std::uint32_t>(number.size()));
    src.push_back(row.src);
    dst.push_back(row.dst);
    start.push_back(row.start);
    fct.push_back(row.fct);
    ideal.push_back(row.ideal);
    size.push_back(row.size);
  }
  MessageTables tables;
  tables.flows = {"flows",
                  "",
                  {{"src", "1", "", src},
                   {"dst", "1", "", dst},
                   {"number", "1", "", number},
                   {"start_ps", "ps", "", start},
                   {"fct_ps", "ps", "", fct},
                   {"received_ps", "ps", "", fct},
                   {"ideal_ps", "ps", "", ideal},
                   {"size_bytes", "byte", "", size}}};
  return tables;
}

/// From GPU 0 or 1 over leaf 6, spine 8 and leaf 7 to GPU 2 or 3.
inline PortLists OverSpine8(const Graph& graph, const std::vector<MadeFlow>& rows) {
  const HopNumbers numbers(graph);
  PortLists paths;
  for (const MadeFlow& row : rows) {
    paths.Push(numbers.Of(NodeId(6), PortId(2)));
    paths.Push(numbers.Of(NodeId(8), PortId(1)));
    paths.Push(numbers.Of(NodeId(7), PortId(row.dst - 2)));
    paths.EndFlow();
  }
  return paths;
}

}  // namespace heddle
