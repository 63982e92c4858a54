// SPDX-License-Identifier: GPL-2.0-only
/// What serves requests on a fabric, and the requests, read and checked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "core/serving/deployment.h"
#include "core/serving/serving_figures.h"
#include "topology/graph/graph.h"

namespace heddle {

struct ServingInput {
  Deployment deployment;
  ServingPlan plan;
  ServingRequests requests;
  std::string source;  ///< of the requests: "Azure", or the law
  ServiceLevel slo;
  std::string backend;  ///< that carries the messages; empty: prices
  std::vector<std::string> warnings;

  /// Returns the bytes of the requests.
  std::size_t memory() const;
  /// Whether the requests name blocks of their prompts.
  bool names_blocks() const;
};

/// Reads the deployment and the requests; the collectives of steps get their times in closed form.
/// `seed`: of a law. `others`: GPUs of jobs, which no pool gets. Throws UserError, also for pools
/// without a path between them.
std::unique_ptr<ServingInput> LoadServing(const std::string& deployment,
                                          const ServingArguments& given, std::uint64_t seed,
                                          const Graph& graph,
                                          const std::vector<NodeId>& others = {});

}  // namespace heddle
