// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/infiniband_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

struct LaneSpeed {
  std::string_view name;
  std::int64_t bps;  ///< data, after 8b/10b up to QDR and 64b/66b from FDR10 on
};

constexpr LaneSpeed kLaneSpeeds[] = {{"SDR", 2'000'000'000},   {"DDR", 4'000'000'000},
                                     {"QDR", 8'000'000'000},   {"FDR10", 10'000'000'000},
                                     {"FDR", 13'636'363'636},  // 14.0625 * 64 / 66
                                     {"EDR", 25'000'000'000},  {"HDR", 50'000'000'000},
                                     {"NDR", 100'000'000'000}, {"XDR", 200'000'000'000}};
constexpr std::uint32_t kWidths[] = {1, 2, 4, 8, 12};

const char* NameOf(InfinibandKind kind) {
  switch (kind) {
    case InfinibandKind::kSwitch:
      return "switch";
    case InfinibandKind::kCa:
      return "CA";
    default:
      return "router";
  }
}

}  // namespace

BitRate InfinibandRate(std::uint32_t width, std::string_view speed) {
  if (std::find(std::begin(kWidths), std::end(kWidths), width) == std::end(kWidths)) return {0};
  for (const LaneSpeed& lane : kLaneSpeeds) {
    if (lane.name == speed) return {lane.bps * width};
  }
  return {0};
}

const InfinibandPort& PortNumbered(const InfinibandNode& node, std::uint8_t number) {
  const auto at =
      std::lower_bound(node.ports.begin(), node.ports.end(), number,
                       [](const InfinibandPort& port, std::uint8_t n) { return port.number < n; });
  HEDDLE_EXPECT(at != node.ports.end() && at->number == number);
  return *at;
}

std::string Describe(const InfinibandNode& node) {
  return fmt::format("{} 0x{:016x} {}", NameOf(node.kind), node.guid, Quote(node.description));
}

}  // namespace heddle
