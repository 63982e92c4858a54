// SPDX-License-Identifier: GPL-2.0-only
/// Paths through a network that do not depend on its load, for the count of who shares what
/// (topology/load). A path is a list of cables; a cable here is one direction of a link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class WalkEnd : std::uint8_t {
  kArrived,
  kNoRoute,  ///< a node on the path does not know the destination; the path so far is given
  kLoop,     ///< the path comes back to one of its nodes; no path is given
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
  /// Returns the number of hosts: what a rank may be mapped to.
  virtual std::uint32_t host_count() const = 0;
  /// Returns the number of directions of links.
  virtual std::uint32_t cable_count() const = 0;
  /// Returns the number of hosts and switches.
  virtual std::uint32_t node_count() const = 0;
  /// Returns the number of the node that is this host.
  virtual std::uint32_t NodeOfHost(std::uint32_t host) const = 0;
  /// Returns the node that sends on the cable and the one that receives.
  virtual CableEnds EndsOf(std::uint32_t cable) const = 0;
  /// Sets `cables` to the path of a message from one host to another; empty for a message to
  /// itself.
  virtual WalkEnd Walk(std::uint32_t source, std::uint32_t destination,
                       std::vector<std::uint32_t>* cables) const = 0;
  /// Returns the rate of a direction [bit/s]; 0: unknown, and taken as equal to the source's own.
  virtual std::int64_t RateOf(std::uint32_t cable) const = 0;
  /// Returns what files of hosts call the node.
  virtual std::string NodeName(std::uint32_t node) const = 0;
  /// Returns what people call the node, without characters that a terminal obeys.
  virtual std::string Label(std::uint32_t node) const { return NodeName(node); }
  /// Returns the levels of nodes as LinkTiers has them: 0 a host, 1 a switch next to one, and so
  /// on; nodes that are linked differ by at most one, but for LinkTiers::kNvLevel.
  virtual std::vector<std::uint8_t> NodeLevels() const = 0;

  /// Returns NodeName() of the host's node, as files of hosts have it.
  std::string HostName(std::uint32_t host) const { return NodeName(NodeOfHost(host)); }
  /// Returns Label() of the host's node, for people.
  std::string HostLabel(std::uint32_t host) const { return Label(NodeOfHost(host)); }
  /// Returns the labels of both ends: "leaf 3 -> spine 1".
  std::string CableName(std::uint32_t cable) const {
    const CableEnds ends = EndsOf(cable);
    return Label(ends.from) + " -> " + Label(ends.to);
  }
};

}  // namespace heddle
