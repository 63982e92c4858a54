// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/fabric/serving_driver.h"

#include <algorithm>

namespace heddle {

ServingDriver::ServingDriver(const ServingPlan& plan, const ServingRequests& requests,
                             Time send_latency, std::vector<std::uint32_t> groups)
    : ground_{plan, requests, std::max(send_latency, kLeastLatency), std::move(groups)} {
  for (std::uint32_t i = 0; i < plan.instances.size(); ++i) {
    for (const NodeId gpu : plan.instances[i].gpus) {
      if (gpu.value >= instance_of_.size()) instance_of_.resize(gpu.value + 1, kNoInstance);
      instance_of_[gpu.value] = i;
    }
  }
}

ServingDriver::~ServingDriver() = default;

NodeId ServingDriver::FindDivided(const std::vector<DomainId>& domain_of) const {
  const std::vector<InstancePlan>& instances = ground_.plan.instances;
  for (std::uint32_t i = 0; i < instances.size(); ++i) {
    const std::vector<NodeId>& gpus = instances[i].gpus;
    for (std::uint32_t rank = 0; rank < gpus.size(); ++rank) {
      const NodeId gpu = gpus[rank];
      const auto parted = [&](NodeId from) {
        return domain_of[gpu.value] != domain_of[from.value];
      };
      if (ground_.Near(gpu, gpus[0]) && parted(gpus[0])) return gpu;
      if (!instances[i].sends_in_steps()) continue;
      const std::uint32_t group = instances[i].collectives.layout().GroupOf(rank);
      if (parted(ground_.GpuAt(i, group, 0))) return gpu;
    }
  }
  return {};
}

bool ServingDriver::Owns(const FlowCookie& cookie) {
  return TagOf(cookie).mark == ParcelTag::kMark;
}

FlowAgent* ServingDriver::AgentOf(DomainId /*domain*/, const std::vector<NodeId>& nodes) {
  std::vector<NodeId> gpus;
  std::vector<std::uint32_t> instances;
  for (const NodeId node : nodes) {
    const std::uint32_t instance = InstanceOf(node);
    if (instance == kNoInstance) continue;
    gpus.push_back(node);
    if (ground_.FirstOf(instance) == node) instances.push_back(instance);
  }
  if (gpus.empty()) return nullptr;
  std::sort(gpus.begin(), gpus.end(), [](NodeId a, NodeId b) { return a.value < b.value; });
  std::sort(instances.begin(), instances.end());
  agents_.push_back(std::make_unique<ServingAgent>(ground_, instances, std::move(gpus)));
  return agents_.back().get();
}

std::uint64_t ServingDriver::open() const {
  std::uint64_t sum = 0;
  for (const auto& agent : agents_) {
    sum += agent->machine().not_arrived();
    if (agent->machine().router() != nullptr) sum += agent->machine().router()->open();
    for (const ServingInstance& instance : agent->machine().instances()) sum += instance.open();
  }
  return sum;
}

Time ServingDriver::end() const {
  Time end;
  for (const auto& agent : agents_) end = std::max(end, agent->machine().now());
  return end;
}

std::int64_t ServingDriver::sent_bytes() const {
  std::int64_t sum = 0;
  for (const auto& agent : agents_) sum += agent->sent();
  return sum;
}

std::int64_t ServingDriver::step_bytes() const {
  std::int64_t sum = 0;
  for (const auto& agent : agents_) sum += agent->step_sent();
  return sum;
}

std::vector<ServingRecord> ServingDriver::records() const {
  std::vector<ServingRecord> all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) instance.AddRecords(&all);
  }
  return all;
}

std::vector<InstanceTotals> ServingDriver::totals() const {
  std::vector<InstanceTotals> all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances())
      all.push_back(instance.totals());
  }
  return all;
}

TokenGaps ServingDriver::gaps() const {
  TokenGaps all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) {
      for (const auto& [gap, count] : instance.gaps()) all[gap] += count;
    }
  }
  return all;
}

std::vector<std::pair<std::uint32_t, std::string>> ServingDriver::Waiting(std::size_t most) const {
  std::vector<std::pair<std::uint32_t, std::string>> all;
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) {
      if (instance.open() == 0) continue;
      const std::uint32_t first = instance.first_open();
      all.emplace_back(instance.number(), "instance " + std::to_string(instance.number()) +
                                              ": request " + std::to_string(first) + " waits " +
                                              instance.WaitsFor(first));
    }
  }
  for (const auto& agent : agents_) {
    const ServingRouter* router = agent->machine().router();
    if (router != nullptr && router->open() > 0 && all.empty())
      all.emplace_back(ServingPlan::kRouterInstance,
                       "router: request " + std::to_string(router->first_open()) +
                           " waits for a message to or from its instances");
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), most));
  return all;
}

void ServingDriver::CheckBlocks() const {
  for (const auto& agent : agents_) {
    for (const ServingInstance& instance : agent->machine().instances()) instance.CheckBlocks();
  }
}

void ServingDriver::AddMemory(MemoryAccount* account) const {
  std::size_t sum = MemoryOf(instance_of_);
  for (const auto& agent : agents_) sum += agent->memory();
  account->Add(Structure::kExecution, sum);
}

}  // namespace heddle
