// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/serving_input.h"

#include <algorithm>
#include <utility>

#include "core/app/run/arguments/serving_arguments.h"
#include "core/app/run/serving/path_prices.h"
#include "core/app/run/serving/request_input.h"
#include "core/base/memory_account.h"
#include "io/serving/deployment_file.h"

namespace heddle {

namespace {

void AddCollectives(const PathPrices& prices, ServingInput* input) {
  const Deployment& deployment = input->deployment;
  if (!deployment.collectives) return;
  for (InstancePlan& instance : input->plan.instances) {
    instance.collectives =
        prices.CollectivesOf(instance, StepShapeOf(deployment, deployment.pools[instance.pool]));
    instance.collectives.messages = deployment.steps == StepTraffic::kMessages;
    if (instance.role == InstanceRole::kPrefill && instance.sends_in_steps() &&
        deployment.kv_transfer == KvTransfer::kLayer)
      FailInput(deployment.pools[instance.pool].where,
                "kv_transfer = \"layer\" of prefill instances whose collectives leave a server: "
                "when a layer ends is not known before",
                "kv_transfer = \"chunk\", or steps = \"closed-form\"");
  }
}

}  // namespace

std::size_t ServingInput::memory() const {
  std::size_t sum = MemoryOf(requests);
  for (const ServingRequest& request : requests) sum += MemoryOf(request.blocks);
  return sum;
}

bool ServingInput::names_blocks() const {
  return std::any_of(requests.begin(), requests.end(),
                     [](const ServingRequest& request) { return !request.blocks.empty(); });
}

std::unique_ptr<ServingInput> LoadServing(const std::string& deployment,
                                          const ServingArguments& given, std::uint64_t seed,
                                          const Graph& graph, const std::vector<NodeId>& others) {
  auto input = std::make_unique<ServingInput>();
  input->deployment = ReadDeployment(deployment, graph.gpu_type(), given.deploy);
  input->plan = MakeServingPlan(input->deployment, graph.gpu_count(), others);
  input->slo = ParseServiceLevel(given.slo);
  RequestFile file = LoadRequests(given, seed);
  input->requests = std::move(file.requests);
  input->source = std::move(file.format);
  input->warnings = std::move(file.warnings);
  CheckPromptBlocks(input->deployment, input->requests);
  const PathPrices prices(graph, input->plan);
  prices.CheckPaths();
  AddCollectives(prices, input.get());
  return input;
}

}  // namespace heddle
