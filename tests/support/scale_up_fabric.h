// SPDX-License-Identifier: GPL-2.0-only
/// Small scale-up fabrics: Table IV of ASTRA-SIM (ISPASS 2020), with rates at which a packet takes
/// round numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/scale_up/scale_up_network.h"

namespace heddle::testing {

/// 256 bytes at 200 Gbps take 10,240 ps; a hop takes 202 ns more.
constexpr std::int64_t kPacketTime = 10'240;
constexpr std::int64_t kHop = 202'000;

inline NetworkDimension Line(Dimension::Kind kind, std::uint32_t size, std::uint32_t clockwise,
                             std::uint32_t anticlockwise = 0) {
  NetworkDimension dimension;
  dimension.kind = kind;
  dimension.size = size;
  dimension.clockwise = clockwise;
  dimension.anticlockwise = anticlockwise;
  dimension.rate = BitRate{200'000'000'000};
  dimension.latency = NanoSeconds(200);
  dimension.router_latency = NanoSeconds(1);
  dimension.level.name = "package";
  dimension.level.packet_bytes = 256;
  dimension.level.virtual_channels = 50;
  dimension.level.buffer_flits = 5000;
  return dimension;
}
inline NetworkDimension Loop(std::uint32_t size, std::uint32_t clockwise,
                             std::uint32_t anticlockwise = 0) {
  return Line(Dimension::Kind::kRing, size, clockwise, anticlockwise);
}
inline NetworkDimension Mesh(std::uint32_t size, std::uint32_t links = 1) {
  return Line(Dimension::Kind::kFullyConnected, size, links);
}
inline NetworkDimension Switched(std::uint32_t size, std::uint32_t switches = 1) {
  return Line(Dimension::Kind::kSwitch, size, switches);
}

inline Graph ScaleUpFabric(std::vector<NetworkDimension> dimensions) {
  ScaleUpNetwork network;
  network.dimensions = std::move(dimensions);
  return MakeScaleUpGraph(network);
}

}  // namespace heddle::testing
