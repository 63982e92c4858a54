// SPDX-License-Identifier: GPL-2.0-only
#include "topology/shapes/shape_maker.h"

#include <fmt/format.h>

namespace heddle {

ServerOptions SingleGpuServers() {
  ServerOptions servers;
  servers.gpus_per_server = 1;
  servers.nvswitches_per_server = 0;
  return servers;
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
