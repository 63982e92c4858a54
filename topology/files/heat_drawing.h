// SPDX-License-Identifier: GPL-2.0-only
/// A network drawn with the heat of its cables, as SVG and as text for Graphviz: hosts at the
/// bottom, each level of switches above the one before; or, if switches of one level are linked to
/// each other (dragonfly, torus, mesh), hosts on a circle and switches within it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct HeatDrawing {
  struct Node {
    std::string name;
    std::uint8_t level = 0;  ///< as LinkTiers::levels()
  };
  /// One direction.
  struct Cable {
    std::uint32_t from = 0, to = 0;  ///< nodes
    double share = 0;                ///< of the hottest, 0 to 1
    std::string label;               ///< shown where the pointer rests
  };
  std::vector<Node> nodes;
  std::vector<Cable> cables;
};

/// Larger drawings are illegible.
inline constexpr std::size_t kMostDrawnNodes = 1200, kMostDrawnCables = 12000;

/// Whether the network is small enough to be drawn.
inline bool IsDrawable(std::size_t nodes, std::size_t cables) {
  return nodes <= kMostDrawnNodes && cables <= kMostDrawnCables;
}

/// A cable's use by all runs of a study of static congestion.
struct CableUse {
  double messages = 0;            ///< of all runs
  double rate = 0;                ///< 0: all are as fast
  std::int64_t most_at_once = 0;  ///< messages that were on it together
};
/// Returns the heat of each cable: its messages over its rate, as a share of the largest. A cable
/// that never had two messages at once is cold, as nobody lost anything there.
std::vector<double> HeatOfUse(const std::vector<CableUse>& cables);

/// Returns "#1ee632" for 0 (green) to "#e61717" for 1 (red), over yellow.
std::string HeatColour(double share);

/// Returns the drawing as SVG, which needs no style sheet and no font. The two directions of a
/// cable lie beside each other.
std::string HeatSvg(const HeatDrawing& drawing);

/// Returns the drawing as a directed graph in DOT; edges have the attributes color, tooltip and
/// load (0 to 1).
std::string HeatDot(const HeatDrawing& drawing);

}  // namespace heddle
