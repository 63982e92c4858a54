// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/plan_builder.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle {

void CheckWholeServers(const std::string& fabric, std::uint32_t gpus,
                       const ServerOptions& servers) {
  const std::uint32_t each = servers.gpus_per_server;
  if (gpus % each == 0) return;
  RefuseFabric(fabric, fmt::format("{} GPUs (-g) in servers of {} (-gps)", gpus, each),
               fmt::format("a multiple of {}, such as {}", each,
                           std::uint64_t{DivideUp(gpus, each)} * each));
}

void CheckSize(const std::string& fabric, const ServerOptions& servers, const FabricSize& size) {
  const double nvswitches =
      std::ceil(size.gpus / servers.gpus_per_server) * servers.nvswitches_per_server;
  const double nodes = size.gpus + nvswitches + size.switches;
  const double links = size.gpus * servers.nvswitches_per_server + size.nics + size.cables;
  if (nodes <= kMaxNodes && links <= kMaxLinks) return;
  RefuseFabric(fabric, fmt::format("{:.15g} nodes and {:.15g} links", nodes, links),
               fmt::format("at most {} nodes and {} links", kMaxNodes, kMaxLinks));
}

PlanBuilder::PlanBuilder(const ServerOptions& servers, std::uint32_t gpus, std::uint32_t switches)
    : error_rate_(servers.error_rate), nvswitches_per_server_(servers.nvswitches_per_server) {
  plan_.gpus = gpus;
  plan_.nvswitches = gpus / servers.gpus_per_server * nvswitches_per_server_;
  plan_.switches = switches;
  plan_.gpus_per_server = servers.gpus_per_server;
  plan_.gpu_type = servers.gpu_type;
  AddType(servers.nvlink_bandwidth, servers.nvlink_latency);
  AddType(servers.bandwidth, servers.latency);
}

std::uint8_t PlanBuilder::AddType(const std::string& rate, const std::string& delay) {
  plan_.types.push_back({rate, delay, error_rate_});
  return static_cast<std::uint8_t>(plan_.types.size() - 1);
}

void PlanBuilder::AddNvLinks(std::uint32_t gpu) {
  const std::uint32_t first = plan_.gpus + gpu / plan_.gpus_per_server * nvswitches_per_server_;
  for (std::uint32_t j = 0; j < nvswitches_per_server_; ++j) {
    plan_.cables.push_back({gpu, first + j, kNvLink});
  }
}

void PlanBuilder::AddNic(std::uint32_t gpu, std::uint32_t index) {
  plan_.cables.push_back({gpu, id_of(index), kNic});
}

void PlanBuilder::AddCables(std::uint32_t a, std::uint32_t b, std::uint8_t type,
                            std::uint32_t count) {
  plan_.cables.insert(plan_.cables.end(), count, {id_of(a), id_of(b), type});
}

}  // namespace heddle
