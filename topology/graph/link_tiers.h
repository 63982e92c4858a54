// SPDX-License-Identifier: GPL-2.0-only
/// Tiers of directed links: the layers of the fabric that a link joins, and its direction.
///
/// Based on the levels of both ends: 0 is a GPU (its NIC), 1 a switch with GPUs attached, 2 a
/// switch next to those of level 1, and so on (see FindTiers()). Tiers have the names of levels
/// even if a fabric declares its own, as the result file has no other names. All links of
/// NVSwitches are in one tier, in both directions. Order: NVLink; then by the lower level: links
/// within it, links up, links down.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

class LinkTiers {
 public:
  /// Level of NVSwitches.
  static constexpr std::uint8_t kNvLevel = 255;
  /// Higher levels count as this one; real fabrics have fewer.
  static constexpr std::uint32_t kMostLevel = 9;
  /// NVLink, and for each level the links within it, up and down.
  static constexpr std::uint32_t kMost = 1 + 3 * (kMostLevel + 1);

  struct Tier {
    /// "NVLink", "host to leaf", "spine to core", "leaf to leaf", "level 4 to core", ...
    std::string name;
    std::uint32_t links = 0;  ///< number of directed links: a cable is two
    double rate_bps = 0;      ///< total nominal rate of its links [bit/s]
  };

  /// Finds the tiers of a graph, and copies what it needs.
  explicit LinkTiers(const Graph& graph);

  /// Returns the names of all tiers that a fabric may have, in order.
  static std::vector<std::string> Names();

  /// Returns the key of a link between nodes of these levels, which differ by at most one but for
  /// kNvLevel; below kMost. Tiers are in the order of their keys.
  static std::uint32_t KeyOf(std::uint8_t from, std::uint8_t to);
  /// Returns the name of the tier with this key.
  static std::string NameOf(std::uint32_t key);

  /// Returns the level by node: 0 to kMostLevel, or kNvLevel.
  const std::vector<std::uint8_t>& levels() const { return levels_; }
  /// Returns the tiers of this fabric, in order.
  const std::vector<Tier>& tiers() const { return tiers_; }
  /// Returns the index into tiers() of the link from one node to another, which must exist.
  std::uint8_t Of(NodeId from, NodeId to) const { return index_[Key(from, to)]; }

 private:
  /// Returns KeyOf() the levels of two nodes.
  std::uint32_t Key(NodeId from, NodeId to) const {
    return KeyOf(levels_[from.value], levels_[to.value]);
  }

  std::vector<std::uint8_t> levels_;  ///< by node
  std::vector<std::uint8_t> index_;   ///< by key
  std::vector<Tier> tiers_;
};

}  // namespace heddle
