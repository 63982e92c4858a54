// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/scale_up_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "topology/scale_up/scale_up_policy.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostChannels = 255;

[[noreturn]] void Refuse(std::size_t d, const std::string& found, const std::string& expected) {
  throw UserError(fmt::format("dimension {}: {}. Expected: {}", d, found, expected));
}

void CheckLevel(std::size_t d, const ScaleUpLevel& level) {
  // Together less than TransmissionTime takes.
  const bool whole = level.packet_bytes == ScaleUpLevel::kWholeMessages;
  if (whole && (level.padded || level.header_bytes != 0 || level.buffer_flits != 0))
    Refuse(d, "whole messages with padding, headers or buffers", "none of these");
  if (!whole && (level.packet_bytes < 1 || level.packet_bytes > (std::int64_t{1} << 19)))
    Refuse(d, fmt::format("packets of {} bytes", level.packet_bytes), "1 to 2^19");
  if (level.header_bytes < 0 || level.header_bytes > (std::int64_t{1} << 18))
    Refuse(d, fmt::format("headers of {} bytes", level.header_bytes), "0 to 2^18");
  if (!(level.efficiency > 0 && level.efficiency <= 1))
    Refuse(d, fmt::format("an efficiency of {}", level.efficiency), "above 0, at most 1");
  if (level.flit_bytes < 1 || level.flit_bytes > (std::int64_t{1} << 20))
    Refuse(d, fmt::format("flits of {} bytes", level.flit_bytes), "1 to 2^20");
  if (level.buffer_flits < 0 || level.buffer_flits > (std::int64_t{1} << 30))
    Refuse(d, fmt::format("buffers of {} flits", level.buffer_flits), "0 to 2^30");
  if (level.virtual_channels < 1 || level.virtual_channels > kMostChannels)
    Refuse(d, fmt::format("{} virtual channels", level.virtual_channels), "1 to 255");
  if (level.credit_delay < Time{0}) Refuse(d, "a negative delay of credits", "0 or above");
}

void CheckDimension(std::size_t d, const NetworkDimension& dimension) {
  if (dimension.size < 1) Refuse(d, "no NPUs", "at least 1");
  const bool ring = dimension.kind == Dimension::Kind::kRing;
  if (dimension.size > 1 && dimension.clockwise + dimension.anticlockwise < 1)
    Refuse(d, "no lanes", "at least 1");
  if (!ring && dimension.anticlockwise != 0) Refuse(d, "anticlockwise lanes", "none but in rings");
  if (dimension.clockwise > kMaxPorts || dimension.anticlockwise > kMaxPorts)
    Refuse(d, "too many lanes", fmt::format("at most {}", kMaxPorts));
  if (dimension.rate.bps < kLowestLinkRate.bps || dimension.rate.bps > kHighestLinkRate.bps)
    Refuse(d, fmt::format("a rate of {} bps", dimension.rate.bps), kLinkRateRange);
  if (dimension.latency < Time{0} || dimension.router_latency < Time{0})
    Refuse(d, "a negative latency", "0 or above");
  CheckLevel(d, dimension.level);
  const double rate = static_cast<double>(dimension.rate.bps) * dimension.level.efficiency;
  if (rate < static_cast<double>(kLowestLinkRate.bps))
    Refuse(d,
           fmt::format("an efficiency of {} at {} bps", dimension.level.efficiency,
                       dimension.rate.bps),
           "a rate that stays at 1Mbps or above");
}

std::uint32_t SwitchesOf(const NetworkDimension& dimension, std::uint32_t npus) {
  if (dimension.kind != Dimension::Kind::kSwitch || dimension.size < 2) return 0;
  return npus / dimension.size * dimension.clockwise;
}

/// Adds the cables of one dimension; its switches are numbered from *next_switch on.
void AddDimension(const NetworkDimension& dimension, std::uint32_t stride, std::uint8_t layer,
                  std::uint32_t* next_switch, Graph* graph) {
  const std::uint32_t n = dimension.size, npus = graph->gpu_count();
  const bool switched = dimension.kind == Dimension::Kind::kSwitch;
  const Time delay = dimension.latency + dimension.router_latency * (switched ? 1 : 2);
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    graph->AddLink({NodeId(a), NodeId(b), dimension.rate, delay, 0, layer});
  };
  if (n < 2) return;
  const std::uint32_t rings = std::max(dimension.clockwise, dimension.anticlockwise);
  for (std::uint32_t first = 0; first < npus; ++first) {
    if (first / stride % n != 0) continue;  // one line after the other
    if (switched) {
      for (std::uint32_t lane = 0; lane < dimension.clockwise; ++lane) {
        const std::uint32_t node = (*next_switch)++;
        for (std::uint32_t i = 0; i < n; ++i) add(first + i * stride, node);
      }
      continue;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t here = first + i * stride;
      if (dimension.kind == Dimension::Kind::kRing) {
        for (std::uint32_t ring = 0; ring < rings; ++ring) add(here, first + (i + 1) % n * stride);
        continue;
      }
      for (std::uint32_t j = i + 1; j < n; ++j) {
        for (std::uint32_t lane = 0; lane < dimension.clockwise; ++lane)
          add(here, first + j * stride);
      }
    }
  }
}

}  // namespace

Graph MakeScaleUpGraph(const ScaleUpNetwork& network) {
  if (network.dimensions.empty()) throw UserError("a fabric of no dimensions. Expected: 1 or more");
  auto shape = std::make_shared<ScaleUpShape>();
  std::uint64_t npus64 = 1;
  for (std::size_t d = 0; d < network.dimensions.size(); ++d) {
    CheckDimension(d, network.dimensions[d]);
    npus64 *= network.dimensions[d].size;
    if (npus64 > kMaxNodes) Refuse(d, "too many NPUs", fmt::format("at most {}", kMaxNodes));
  }
  const auto npus = static_cast<std::uint32_t>(npus64);
  std::uint32_t nvswitches = 0, switches = 0;
  for (std::size_t d = 0; d < network.dimensions.size(); ++d)
    (d == 0 ? nvswitches : switches) += SwitchesOf(network.dimensions[d], npus);
  Graph graph(npus, nvswitches, switches, network.dimensions[0].size, network.gpu_type);
  std::uint32_t next_switch = npus, stride = 1;
  for (std::size_t d = 0; d < network.dimensions.size(); ++d) {
    const NetworkDimension& dimension = network.dimensions[d];
    shape->levels.push_back(dimension.level);
    shape->dimensions.push_back({dimension.kind, dimension.size, dimension.clockwise,
                                 dimension.anticlockwise, static_cast<std::uint8_t>(d),
                                 dimension.one_queue});
    AddDimension(dimension, stride, static_cast<std::uint8_t>(d + 1), &next_switch, &graph);
    stride *= dimension.size;
  }
  shape->whole_ns = network.whole_ns;
  graph.SetScaleUp(std::move(shape));
  graph.SetRouting(std::make_shared<ScaleUpRouting>());
  return graph;
}

}  // namespace heddle
