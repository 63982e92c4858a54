// SPDX-License-Identifier: GPL-2.0-only
/// How a fabric is drawn: which nodes make a box, and where the boxes are.
///
/// A server, its GPUs and NVSwitches are one box. Fabrics of levels (Clos, rails, planes) have a
/// row for each level, servers below; neighbours share a box where a row has too many. Tori, meshes
/// and rings are drawn by their coordinates: a router and its GPUs are one box. Others are not
/// drawn, nor are servers that share NVSwitches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/graph/node_names.h"

namespace heddle {

struct FabricPicture {
  enum class Shape : std::uint8_t { kUnknown, kLevels, kGrid, kRing };
  /// Most boxes of a grid and of a ring; larger ones are not drawn.
  static constexpr std::uint32_t kMostInGrid = 1536, kMostInRing = 128;

  struct Box {
    std::string name;          ///< "leaf 5 (rail 5)", "server 3", "leaf 0 to leaf 7"
    std::uint32_t x = 0;       ///< place in its row; coordinates of grids
    std::uint32_t y = 0;       ///< row from below; coordinates of grids
    std::int32_t part = -1;    ///< index into `parts`; -1: none
    std::uint32_t nodes = 1;   ///< servers, or switches
    std::uint32_t server = 0;  ///< the first, if it has servers
  };

  Shape shape = Shape::kUnknown;
  std::string
      text;  ///< "2 levels of switches", "torus or mesh of 4 x 4 x 4", or why it is not drawn
  std::vector<Box> boxes;                  ///< none of an unknown shape
  std::vector<std::uint32_t> box_of_node;  ///< by node
  std::vector<std::string> rows;           ///< of levels: "servers", "leaves", "spines"
  std::vector<std::string> parts;          ///< "plane 0", "pod 3"
  std::uint32_t most_merged = 1;           ///< nodes of the fullest box of a row
};

/// `most_in_row`: boxes of a row of levels, at least 2.
FabricPicture LayOut(const Graph& graph, const NodeNames& names, std::size_t most_in_row);

}  // namespace heddle
