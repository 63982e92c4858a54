// SPDX-License-Identifier: GPL-2.0-only
/// Ways through a network that do not depend on its load, for the count of who shares what
/// (topology/load). A way is a list of cables; a cable here is one direction of a link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class WalkEnd : std::uint8_t {
  kArrived,
  kNoRoute,  ///< a node on the way does not know the destination; the way so far is given
  kLoop,     ///< the way comes back to one of its nodes; no way is given
};

/// The nodes that a cable joins.
struct CableEnds {
  std::uint32_t from = 0, to = 0;
};

/// Immutable while it is walked. Nodes, cables and hosts are numbered from 0 in the order of the
/// network's maker.
class StaticPaths {
 public:
  virtual ~StaticPaths() = default;
  virtual std::uint32_t host_count() const = 0;
  virtual std::uint32_t cable_count() const = 0;
  virtual std::uint32_t node_count() const = 0;
  virtual std::uint32_t NodeOfHost(std::uint32_t host) const = 0;
  virtual CableEnds EndsOf(std::uint32_t cable) const = 0;
  /// Sets `cables` to the way of a message from one host to another; empty for a message to itself.
  virtual WalkEnd Walk(std::uint32_t source, std::uint32_t destination,
                       std::vector<std::uint32_t>* cables) const = 0;
  /// Rate [bit/s] of each direction; 0: unknown, and taken as equal to the source's own.
  virtual std::int64_t RateOf(std::uint32_t cable) const = 0;
  /// What files of hosts call it.
  virtual std::string NodeName(std::uint32_t node) const = 0;
  /// What people call it, without characters that a terminal obeys.
  virtual std::string Label(std::uint32_t node) const { return NodeName(node); }
  /// Levels of nodes as LinkTiers has them: 0 a host, 1 a switch next to one, and so on; nodes that
  /// are linked differ by at most one, but for LinkTiers::kNvLevel.
  virtual std::vector<std::uint8_t> NodeLevels() const = 0;

  std::string HostName(std::uint32_t host) const { return NodeName(NodeOfHost(host)); }
  std::string HostLabel(std::uint32_t host) const { return Label(NodeOfHost(host)); }
  /// "leaf 3 -> spine 1".
  std::string CableName(std::uint32_t cable) const {
    const CableEnds ends = EndsOf(cable);
    return Label(ends.from) + " -> " + Label(ends.to);
  }
};

}  // namespace heddle
