// SPDX-License-Identifier: GPL-2.0-only
#include "topology/shapes/shape_maker.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle {

ServerOptions SingleGpuServers() {
  ServerOptions servers;
  servers.gpus_per_server = 1;
  servers.nvswitches_per_server = 0;
  return servers;
}

SizeWish SizeWishOf(const FabricWish& wish, const ServerOptions& servers) {
  SizeWish size{wish.gpus, servers.gpus_per_server, wish.ratio()};
  constexpr std::int64_t k400G = 400'000'000'000;
  size.radix = wish.radix > 0                                 ? wish.radix
               : ParseBitRate(servers.bandwidth).bps <= k400G ? kRadixAt400G
                                                              : kUsualRadix;
  return size;
}

void DeclareRouters(std::uint32_t* gpus_per_router, ServerOptions* servers, FlagSet* flags,
                    const FlagSet::About& per_router) {
  flags->AddCount(per_router, gpus_per_router, 1, kMaxPorts);
  FlagSet::About per_server = kGpusPerServerFlag;
  per_server.help = "GPUs per server (0: those of a router)";
  servers->gpus_per_server = 0;
  DeclareServers(servers, flags, per_server, kMaxNodes, 0);
}

ServerOptions ServersOfRouters(const std::string& fabric, ServerOptions servers,
                               std::uint32_t gpus_per_router, double gpus,
                               const std::string& per_router) {
  const bool is_router = servers.gpus_per_server == 0;
  if (is_router) servers.gpus_per_server = gpus_per_router;
  CheckNvSwitches(fabric, servers, is_router ? per_router : "gps");
  const double servers_of_fabric = gpus / servers.gpus_per_server;
  if (servers_of_fabric == std::floor(servers_of_fabric)) return servers;
  RefuseFabric(fabric,
               fmt::format("{:.15g} GPUs in servers of {} (-gps)", gpus, servers.gpus_per_server),
               fmt::format("a divisor of {:.15g}", gpus));
}

void DeclareRates(std::string* rates, const std::string& help, FlagSet* flags) {
  flags->AddRates({"rates", "switch_rates", help, "rates between switches"}, rates);
}

std::vector<std::string> RatesOf(const std::string& fabric, const std::string& rates,
                                 std::size_t count, const std::string& parts,
                                 const std::string& otherwise) {
  if (rates == kNoList) return std::vector<std::string>(count, otherwise);
  std::vector<std::string> found = ReadRates(rates).value();
  if (found.size() == 1) found.resize(count, std::string(found[0]));
  if (found.size() != count) {
    RefuseFabric(fabric, fmt::format("{} rates (-rates {})", found.size(), rates),
                 fmt::format("{}, one for each of the {}; or one for all", count, parts));
  }
  return found;
}

void CheckNvSwitches(const std::string& fabric, const ServerOptions& servers,
                     const std::string& per_server) {
  if (servers.nvswitches_per_server == 0 || servers.gpus_per_server > 1) return;
  RefuseFabric(fabric,
               fmt::format("{} NVSwitches per server (-nsps) of 1 GPU (-{})",
                           servers.nvswitches_per_server, per_server),
               fmt::format("0, or more GPUs (-{})", per_server));
}

void AddServersInOrder(std::uint32_t gpus_per_switch, PlanBuilder* builder) {
  const std::uint32_t gpus = builder->plan().gpus;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    builder->AddNvLinks(gpu);
    builder->AddNic(gpu, gpu / gpus_per_switch);
  }
}

}  // namespace heddle
