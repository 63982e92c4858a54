// SPDX-License-Identifier: GPL-2.0-only
/// What a file or a command line says of a scale-up fabric, and the graph made of it.
///
/// Source: ASTRA-SIM (ISPASS 2020), section III: packages on local rings, packages joined by rings
/// or by global switches; ASTRA-sim 2 for dimensions of rings, full meshes and switches.
///
/// Cables: a ring of n NPUs has a cable from each NPU to its clockwise neighbour for each ring; the
/// cable carries a clockwise lane in one direction and an anticlockwise lane in the other, and both
/// lanes' credits. So two NPUs in a ring have two cables for each ring. A full mesh has `clockwise`
/// cables between any two; a switched dimension has `clockwise` switches a line, each with a cable
/// to every NPU of it. NPUs of the first dimension's line are a server.
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "topology/graph/scale_up.h"

namespace heddle {

/// The links of one dimension.
struct NetworkDimension {
  Dimension::Kind kind = Dimension::Kind::kRing;
  std::uint32_t size = 1;
  std::uint32_t clockwise = 1;      ///< lanes; parallel links of a mesh; switches of a line
  std::uint32_t anticlockwise = 0;  ///< of rings
  BitRate rate;                     ///< of one lane, > 0
  Time latency;                     ///< of a link
  Time router_latency;              ///< of an NPU's router or a switch
  ScaleUpLevel level;
  bool one_queue = false;  ///< Dimension::one_queue
};

struct ScaleUpNetwork {
  std::string gpu_type = "NPU";
  std::vector<NetworkDimension> dimensions;  ///< at least one
  bool whole_ns = false;                     ///< ScaleUpShape::whole_ns

  /// Returns the product of the sizes of all dimensions.
  std::uint64_t npus() const {
    std::uint64_t product = 1;
    for (const NetworkDimension& dimension : dimensions) product *= dimension.size;
    return product;
  }
};

/// Makes the graph, with levels and routing. Throws UserError for sizes, lanes or levels that make
/// no fabric.
Graph MakeScaleUpGraph(const ScaleUpNetwork& network);

}  // namespace heddle
