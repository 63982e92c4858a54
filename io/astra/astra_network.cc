// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra_network.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/options/token_reader.h"
#include "io/astra/astra2_network.h"
#include "io/astra/astra_keys.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

// What a fabric may have (topology/scale_up/scale_up_network.cc).
constexpr std::int64_t kMostFlitBits = std::int64_t{8} << 20;
constexpr std::int64_t kMostPacketBytes = std::int64_t{1} << 19;
constexpr std::int64_t kMostWidth = 1'000'000;  ///< of a link, as rates are at most 1000000Gbps
constexpr std::int64_t kMostChannels = 255;

const std::vector<AstraKey>& NetworkKeys() {
  using Range = AstraKey::Range;
  static const std::vector<AstraKey> kKeys = {
      {"num-npus", Range::kPositive, kMaxNodes},
      {"num-packages", Range::kPositive, kMaxNodes},
      {"package-rows", Range::kPositive, kMaxNodes},
      {"topology", Range::kWord},
      {"local-rings", Range::kPositive, kMaxPorts},
      {"vertical-rings", Range::kPositive, kMaxPorts},
      {"horizontal-rings", Range::kPositive, kMaxPorts},
      {"links-per-tile", Range::kPositive, kMaxPorts},
      {"flit-width", Range::kPositive, kMostFlitBits},
      {"local-packet-size", Range::kPositive, kMostPacketBytes},
      {"package-packet-size", Range::kPositive, kMostPacketBytes},
      {"tile-link-width", Range::kPositive, kMostWidth},
      {"package-link-width", Range::kPositive, kMostWidth},
      {"vcs-per-vnet", Range::kPositive, kMostChannels},
      {"routing-algorithm", Range::kWord},
      {"router-latency", Range::kCount},
      {"local-link-latency", Range::kCount},
      {"package-link-latency", Range::kCount},
      {"buffers-per-vc", Range::kPositive},
      {"local-link-efficiency", Range::kShare},
      {"package-link-efficiency", Range::kShare}};
  return kKeys;
}

/// Credits of a channel must let a packet go.
void CheckBuffer(const AstraKeys& keys, const char* packet_key) {
  const std::int64_t flits = keys.Count("buffers-per-vc", 0);
  const std::int64_t flit = (keys.Count("flit-width") + 7) / 8, packet = keys.Count(packet_key);
  const std::int64_t needed = (packet + flit - 1) / flit;
  if (flits == 0 || flits >= needed) return;
  FailInput(keys.LineOf("buffers-per-vc"), fmt::format("buffers of {} flits", flits),
            fmt::format("at least {}, as a packet has so many ({} {}, flit-width {})", needed,
                        packet_key, packet, keys.Count("flit-width")));
}

NetworkDimension LineOf(const AstraKeys& keys, bool local, std::int64_t size) {
  const auto key = [&](const char* of_local, const char* of_package) {
    return local ? of_local : of_package;
  };
  if (size > 1) CheckBuffer(keys, key("local-packet-size", "package-packet-size"));
  NetworkDimension line;
  line.size = static_cast<std::uint32_t>(size);
  line.rate = BitRate{keys.Count(key("tile-link-width", "package-link-width")) * 1'000'000'000};
  line.latency = NanoSeconds(keys.Count(key("local-link-latency", "package-link-latency")));
  line.router_latency = NanoSeconds(keys.Count("router-latency", 1));
  line.level.name = local ? "local" : "package";
  line.level.packet_bytes = keys.Count(key("local-packet-size", "package-packet-size"));
  line.level.efficiency = keys.Share(key("local-link-efficiency", "package-link-efficiency"));
  line.level.flit_bytes = (keys.Count("flit-width") + 7) / 8;
  line.level.buffer_flits = keys.Count("buffers-per-vc", 0);
  line.level.virtual_channels = static_cast<std::uint32_t>(keys.Count("vcs-per-vnet", 1));
  return line;
}

void SetRings(const AstraKeys& keys, const char* key, bool both, NetworkDimension* line) {
  line->clockwise = static_cast<std::uint32_t>(keys.Count(key, 1));
  line->anticlockwise = both ? line->clockwise : 0;
}

/// The quotient of two keys' values, which must be whole.
std::int64_t Quotient(const AstraKeys& keys, const char* all, const char* parts) {
  const std::int64_t a = keys.Count(all), b = keys.Count(parts);
  if (a % b != 0)
    FailInput(keys.LineOf(parts), fmt::format("{} {} of {} {}", b, parts, a, all),
              fmt::format("a divisor of {}", all));
  return a / b;
}

}  // namespace

ScaleUpNetwork ParseAstraNetwork(std::string_view text, const std::string& name,
                                 AstraFileNote* note) {
  AstraFileNote unheard;
  if (note == nullptr) note = &unheard;
  if (IsAstra2Network(text)) {
    note->version = "ASTRA-sim 2";
    return ParseAstra2Network(text, name);
  }
  note->version = "ASTRA-SIM 1.0";
  const AstraKeys keys(text, name, NetworkKeys(), "network file");
  if (keys.has("routing-algorithm"))
    note->unused.emplace_back("routing-algorithm", "the topology says how packets go");
  const std::string& topology = keys.Word("topology");
  const std::int64_t local = Quotient(keys, "num-npus", "num-packages");
  ScaleUpNetwork network;
  network.dimensions.push_back(LineOf(keys, true, local));
  SetRings(keys, "local-rings", false, &network.dimensions.back());
  if (topology == "Torus3D") {
    const std::int64_t horizontal = Quotient(keys, "num-packages", "package-rows");
    network.dimensions.push_back(LineOf(keys, false, horizontal));
    SetRings(keys, "horizontal-rings", true, &network.dimensions.back());
    network.dimensions.push_back(LineOf(keys, false, keys.Count("package-rows")));
    SetRings(keys, "vertical-rings", true, &network.dimensions.back());
  } else if (topology == "NV_Switch") {
    network.dimensions.push_back(LineOf(keys, false, keys.Count("num-packages")));
    network.dimensions.back().kind = Dimension::Kind::kSwitch;
    network.dimensions.back().clockwise =
        static_cast<std::uint32_t>(keys.Count("links-per-tile", 1));
  } else {
    FailInput(keys.LineOf("topology"), "topology " + Quote(topology), "Torus3D or NV_Switch");
  }
  return network;
}

std::string AstraNetworkText(const ScaleUpNetwork& network) {
  HEDDLE_EXPECT(network.dimensions.size() == 2 || network.dimensions.size() == 3);
  const bool torus = network.dimensions.size() == 3;
  const NetworkDimension& local = network.dimensions[0];
  const NetworkDimension& package = network.dimensions[1];
  const std::uint32_t rows = torus ? network.dimensions[2].size : 1;
  std::string text = fmt::format("num-npus: {}\nnum-packages: {}\npackage-rows: {}\n",
                                 network.npus(), network.npus() / local.size, rows);
  text += fmt::format("topology: {}\nlocal-rings: {}\n", torus ? "Torus3D" : "NV_Switch",
                      local.clockwise);
  if (torus) {
    text += fmt::format("horizontal-rings: {}\nvertical-rings: {}\n", package.clockwise,
                        network.dimensions[2].clockwise);
  } else {
    text += fmt::format("links-per-tile: {}\n", package.clockwise);
  }
  constexpr std::int64_t kGiga = 1'000'000'000, kNanosecond = 1000;
  text += fmt::format("tile-link-width: {}\npackage-link-width: {}\n", local.rate.bps / kGiga,
                      package.rate.bps / kGiga);
  const auto add = [&](const char* key, auto of_local, auto of_package) {
    text += fmt::format("local-{}: {}\npackage-{}: {}\n", key, of_local, key, of_package);
  };
  add("packet-size", local.level.packet_bytes, package.level.packet_bytes);
  add("link-latency", local.latency.ps / kNanosecond, package.latency.ps / kNanosecond);
  add("link-efficiency", local.level.efficiency, package.level.efficiency);
  return text +
         fmt::format("router-latency: {}\nflit-width: {}\nvcs-per-vnet: {}\nbuffers-per-vc: {}\n",
                     local.router_latency.ps / kNanosecond, local.level.flit_bytes * 8,
                     local.level.virtual_channels, local.level.buffer_flits);
}

ScaleUpNetwork ReadAstraNetwork(const std::string& path, AstraFileNote* note) {
  return ParseAstraNetwork(ReadTextFile(path), path, note);
}

}  // namespace heddle
