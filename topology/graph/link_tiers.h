// SPDX-License-Identifier: GPL-2.0-only
/// Tiers of directed links: which layer of a fabric a link leaves, and which it leads to.
///
/// By levels of the two ends: 0 a GPU (its NIC), 1 a switch with GPUs attached, 2 a switch next to
/// those of level 1, and so on (tiers.h finds them). Every link of an NVSwitch is in one tier,
/// whichever way it goes. In order: NVLink, then by the lower level, links within it first, then
/// those up, then those down.
#ifndef HEDDLE_TOPOLOGY_GRAPH_LINK_TIERS_H_
#define HEDDLE_TOPOLOGY_GRAPH_LINK_TIERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

class LinkTiers {
 public:
  /// Levels beyond are counted as this one: no fabric that anybody builds has as many.
  static constexpr std::uint32_t kMostLevel = 9;
  /// NVLink, and of each level the links within it, up and down.
  static constexpr std::uint32_t kMost = 1 + 3 * (kMostLevel + 1);

  struct Tier {
    std::string name;  ///< "NVLink", "host to leaf", "spine to core", "leaf to leaf", "level 4 to
                       ///< core", ...
    std::uint32_t links = 0;  ///< directed: a cable is two
    double rate_bps = 0;      ///< of its links together, nominal [bit/s]
  };

  explicit LinkTiers(const Graph& graph);

  /// Those that any fabric may have, in order.
  static std::vector<std::string> Names();

  /// Those that the fabric has, in order.
  const std::vector<Tier>& tiers() const { return tiers_; }
  /// Index into tiers() of a link from one node to another. Requires that there is one.
  std::uint8_t Of(NodeId from, NodeId to) const { return index_[Key(from, to)]; }

 private:
  static constexpr std::uint8_t kNvLevel = 255;

  std::uint32_t Key(NodeId from, NodeId to) const;

  std::vector<std::uint8_t> levels_;  ///< by node
  std::vector<std::uint8_t> index_;   ///< by key
  std::vector<Tier> tiers_;
};

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_GRAPH_LINK_TIERS_H_
