// SPDX-License-Identifier: GPL-2.0-only
/// Forwarding tables: one port for each switch and destination, fixed before a run, as the linear
/// forwarding tables of InfiniBand switches (IBA specification, volume 1, section 14.2.5.6).
///
/// Nodes with tables are switches, and NVSwitches that are linked to other switches. A GPU with
/// several ports chooses among those with the fewest links to its destination (table_routing.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

/// GPUs `first` to `last`, which a node sends through one port.
struct TableRun {
  NodeId node;
  std::uint32_t first = 0, last = 0;
  PortId port;
};

class ForwardingTables {
 public:
  static constexpr std::uint16_t kNone = 0xFFFF;
  /// Packets name destinations by classes of 16 bits, and every GPU is a class.
  static constexpr std::uint32_t kMaxGpus = 0xFFFF;

  /// Makes tables without an entry. Throws UserError for a graph with more than kMaxGpus GPUs, or
  /// with a node of more than 65,535 ports.
  explicit ForwardingTables(const Graph& graph);

  /// Sets or replaces an entry. `node` is no GPU and has the port.
  void Set(NodeId node, NodeId gpu, PortId port);
  /// Returns the port of a node for a GPU; kNone: it drops the packet. `node` is no GPU.
  std::uint16_t At(NodeId node, NodeId gpu) const {
    const std::vector<std::uint16_t>& row = rows_[node.value - gpus_];
    return row.empty() ? kNone : row[gpu.value];
  }
  /// Calls `visit` for each run of consecutive GPUs that a node sends through one port, in the
  /// order of nodes, then GPUs.
  void VisitRuns(const std::function<void(const TableRun&)>& visit) const;
  /// Sets the entries of a run. Returns false, and sets no more, at an entry that is there already.
  bool SetRun(const TableRun& run);
  /// Returns the number of destinations.
  std::uint32_t gpus() const { return gpus_; }
  /// Returns the number of nodes of the graph, GPUs included.
  std::uint32_t nodes() const { return gpus_ + static_cast<std::uint32_t>(rows_.size()); }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(rows_); }

 private:
  std::uint32_t gpus_;
  std::vector<std::vector<std::uint16_t>> rows_;  ///< by node after the GPUs, then GPU
};

}  // namespace heddle
