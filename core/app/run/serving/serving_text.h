// SPDX-License-Identifier: GPL-2.0-only
/// What is printed of served requests: text, one object of JSON, a line of CSV a request.
#pragma once

#include <string>

#include "core/app/run/serving/serving_outcome.h"
#include "io/table/json_document.h"

namespace heddle {

/// Sums of the instances of one pool.
struct PoolTotals {
  std::string name;
  InstanceRole role = InstanceRole::kMixed;
  std::int64_t instances = 0, gpus = 0, blocks = 0;  ///< GPUs and blocks of one instance
  std::int64_t steps = 0, computed = 0, generated = 0, preempted = 0;
  std::int64_t most_blocks = 0;  ///< of one instance at once
  std::int64_t cached = 0;       ///< tokens of prompts that prefix caches had
  double busy = 0;               ///< share of the time of the run that its instances are in steps
  double collectives = 0;        ///< share of that time beyond computing
};
/// Returns the pools, in the order of the deployment.
std::vector<PoolTotals> TotalsOfPools(const ServingOutcome& outcome);

/// Tokens of the prompts that began to be computed, over all requests.
struct CachedTokens {
  std::int64_t prompts = 0;  ///< all of them
  std::int64_t cached = 0;   ///< that the prefix cache of the first instance had
  std::int64_t unsent = 0;   ///< that the prefix cache of the decode instance had
};
CachedTokens CachedOf(const ServingOutcome& outcome);

std::string ServingText(const ServingOutcome& outcome);  ///< for people
/// The figures alone, as the object of `heddle run` has them.
OrderedJson ServingFiguresJson(const ServingOutcome& outcome);
OrderedJson ServingJson(const ServingOutcome& outcome);  ///< docs/formats/json/serve.json
std::string ServingCsv(const ServingOutcome& outcome);   ///< docs/formats/serving.md

}  // namespace heddle
