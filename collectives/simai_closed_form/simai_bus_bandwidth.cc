// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_bus_bandwidth.h"

#include <cstdint>
#include <initializer_list>

namespace heddle {
namespace {

/// A type in small letters and in capitals, and its rate.
struct RatedType {
  const char* small;
  const char* capital;
  double rate;
};

constexpr RatedType kGpuTypes[] = {{"a100", "A100", 12 * 20.0},
                                   {"a800", "A800", 8 * 20.0},
                                   {"h100", "H100", 18 * 20.6},
                                   {"h800", "H800", 8 * 20.6},
                                   {"h20", "H20", 18 * 20.6}};
constexpr RatedType kNicTypes[] = {
    {"cx6", "CX6", 23.5}, {"cx7", "CX7", 48.5}, {"bf3", "BF3", 48.5}};

template <class Types>
double RatedBandwidth(const std::string& name, const Types& types) {
  for (const RatedType& type : types) {
    if (name == type.small || name == type.capital) return type.rate;
  }
  return -1;
}

SimaiBusBandwidth Ring(const SimaiServers& servers, const SimaiRates& rates) {
  if (servers.nodes == 1) return {rates.nvlink, false};
  const float network = rates.nic * static_cast<float>(servers.nics);
  if (servers.gpus == 1) return {network, false};
  float inside = rates.nvlink;
  if (network > rates.nvlink) {  // "cross NIC": the NVLinks carry (g - 1) / g of the ring
    inside = rates.nvlink * static_cast<float>(servers.gpus) / static_cast<float>(servers.gpus - 1);
  }
  if (inside < network) return {inside, true};
  return {network, false};
}

SimaiBusBandwidth AllToAll(const SimaiServers& servers, const SimaiRates& rates) {
  if (servers.nodes == 1) return {rates.nvlink, true};
  const std::int64_t ranks = std::int64_t{servers.nodes} * servers.gpus;
  const std::int64_t others = (std::int64_t{servers.nodes} - 1) * servers.gpus;
  const float network = rates.nic * static_cast<float>(servers.nics);
  return {network / static_cast<float>(servers.gpus) * static_cast<float>(ranks - 1) /
              static_cast<float>(others),
          false};
}

}  // namespace

double RatedNvlink(const std::string& gpu_type) { return RatedBandwidth(gpu_type, kGpuTypes); }

double RatedNic(const std::string& nic_type) { return RatedBandwidth(nic_type, kNicTypes); }

float SimaiNvlinkRate(float given, const std::string& gpu_type) {
  return given > 0 ? given : static_cast<float>(RatedNvlink(gpu_type));
}

float SimaiNicRate(float given, const std::string& nic_type) {
  return given > 0 ? given : static_cast<float>(RatedNic(nic_type));
}

SimaiBusBandwidth SimaiBusBandwidthOf(Operation operation, const SimaiServers& servers,
                                      const SimaiRates& rates) {
  if (servers.nodes < 1 || (servers.nodes == 1 && servers.gpus == 1)) return {0, false};
  if (rates.nvlink <= 0 || rates.nic <= 0 || servers.gpus < 1 || servers.nics < 1)
    return {-1, false};
  return operation == Operation::kAllToAll ? AllToAll(servers, rates) : Ring(servers, rates);
}

}  // namespace heddle
