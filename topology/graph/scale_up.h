// SPDX-License-Identifier: GPL-2.0-only
/// Scale-up links and the dimensions that they make: what a graph says of them beyond its cables.
///
/// Source: Rashidi et al., "ASTRA-SIM: Enabling SW/HW Co-Design Exploration for Distributed DL
/// Training Platforms", ISPASS 2020, sections III and IV, for packages, rings and lanes; ASTRA-sim
/// 2 for dimensions of rings, full meshes and switches. NPU n has the coordinates n mod s0, n / s0
/// mod s1, ..., the first dimension fastest.
///
/// A lane is what one logical scheduling queue of a dimension drives: a ring in one direction, one
/// of several parallel links, or a switch. Lanes that run clockwise (to the next higher coordinate)
/// come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

/// How the links of a level carry data: in packets that are cut into flits, under credits.
/// Lossless.
struct ScaleUpLevel {
  /// As packet_bytes: messages are sent whole, as single packets without padding and header.
  static constexpr std::int64_t kWholeMessages = std::int64_t{1} << 40;

  std::string name;                 ///< "local", "package", "dimension 0", "NVLink"
  std::int64_t packet_bytes = 256;  ///< payload of a full packet, > 0
  std::int64_t header_bytes = 0;    ///< of each packet on the wire, >= 0
  bool padded = true;               ///< the last packet of a message is as long as the others
  double efficiency = 1;            ///< share of the link's rate that packets get, in (0, 1]
  std::int64_t flit_bytes = 128;    ///< credits count flits; > 0
  std::int64_t buffer_flits = 0;    ///< of a virtual channel at the receiver; 0: never full
  std::uint32_t virtual_channels = 1;
  Time credit_delay;   ///< that a returned credit takes besides the link's delay
  bool turns = false;  ///< flows of a port take turns, packet by packet; else one after the other
};

/// One dimension: lines of `size` NPUs that differ in this coordinate only.
struct Dimension {
  enum class Kind : std::uint8_t {
    kRing,            ///< lane k: a ring of its own, clockwise for k < clockwise
    kFullyConnected,  ///< lane k: the k-th link between any two
    kSwitch,          ///< lane k: through the k-th switch of the line
  };
  Kind kind = Kind::kRing;
  std::uint32_t size = 1;
  std::uint32_t clockwise = 1;      ///< lanes; all lanes of a full mesh or switches
  std::uint32_t anticlockwise = 0;  ///< lanes of rings in the other direction
  std::uint8_t level = 0;           ///< index into ScaleUpShape::levels
  bool one_queue = false;  ///< all chunks queue at lane 0, and leave it for the shorter path

  /// Returns the lanes of an NPU in both directions; of a mesh, those to one peer.
  std::uint32_t lanes() const { return clockwise + anticlockwise; }
  /// Returns the number of lanes that chunks of collectives take in turn.
  std::uint32_t queues() const { return one_queue ? 1 : lanes(); }
};

/// Shape of a graph all of whose GPUs are NPUs at the crossings of dimensions.
struct ScaleUpShape {
  static constexpr std::uint32_t kNoPort = ~0U;

  std::vector<ScaleUpLevel> levels;
  std::vector<Dimension> dimensions;  ///< sizes multiply to the number of GPUs; may be empty
  bool whole_ns = false;  ///< times on links are cut down to whole nanoseconds, as in ASTRA-sim 2

  /// Ports by node and exit; see scale_up_routes.h, which alone reads it.
  std::vector<std::uint32_t> exits;

  /// Returns the number of a dimension's lane 0 among the lanes of all dimensions (FlowPost::lane).
  std::uint32_t FirstLaneOf(std::size_t dimension) const {
    std::uint32_t first = 0;
    for (std::size_t d = 0; d < dimension; ++d) first += dimensions[d].lanes();
    return first;
  }
  /// Returns the coordinate of an NPU, 0 to the dimension's size - 1.
  std::uint32_t CoordinateOf(std::uint32_t npu, std::size_t dimension) const {
    for (std::size_t d = 0; d < dimension; ++d) npu /= dimensions[d].size;
    return npu % dimensions[dimension].size;
  }
  /// Returns the difference of the numbers of NPUs that are neighbours in a dimension.
  std::uint32_t StrideOf(std::size_t dimension) const {
    std::uint32_t stride = 1;
    for (std::size_t d = 0; d < dimension; ++d) stride *= dimensions[d].size;
    return stride;
  }
};

}  // namespace heddle
