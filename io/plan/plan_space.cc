// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/plan_space.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/check.h"
#include "io/workload_model/memory_use.h"

namespace heddle {
namespace {

/// Divisors of `number` up to `most`, ascending; `given` alone if that is above 1.
std::vector<std::int64_t> Divisors(std::int64_t number, std::int64_t most, std::int64_t given) {
  if (given > 1) return {given};
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= std::min(number, most); ++d) {
    if (number % d == 0) divisors.push_back(d);
  }
  return divisors;
}

std::vector<std::int64_t> MicroBatches(const PlanRequest& request, const PlanSpace& space) {
  if (request.parallel.micro_batch > 1) return {request.parallel.micro_batch};
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= space.most_micro_batch; size *= 2) sizes.push_back(size);
  return sizes;
}

/// The request without sizes: what is wrong with it is wrong with every division.
StepPlan ResolveAlone(const PlanRequest& request) {
  PlanRequest alone = request;
  alone.parallel.gpus = alone.parallel.global_batch = 1;
  alone.parallel.tensor = alone.parallel.pipeline = alone.parallel.expert = 1;
  alone.parallel.micro_batch = 1;
  return ResolvePlan(alone);
}

/// None if the division is not legal.
std::optional<StepPlan> TryPlan(const PlanRequest& request) {
  try {
    return ResolvePlan(request);
  } catch (const Error&) {
    return std::nullopt;
  }
}

class Finder {
 public:
  Finder(const PlanRequest& request, const PlanSpace& space)
      : request_(request), space_(space), alone_(ResolveAlone(request)) {}

  PlanChoices Find() {
    const std::int64_t gpus = request_.parallel.gpus;
    for (const std::int64_t tensor : Divisors(gpus, space_.most_tensor, request_.parallel.tensor)) {
      for (const std::int64_t pipeline :
           Divisors(alone_.shape.layers, gpus / tensor, request_.parallel.pipeline))
        AddReplicas(tensor, pipeline);
    }
    return std::move(choices_);
  }

 private:
  void AddReplicas(std::int64_t tensor, std::int64_t pipeline) {
    if (request_.parallel.gpus % (tensor * pipeline) != 0) return;
    const std::int64_t data = request_.parallel.gpus / (tensor * pipeline);
    const std::int64_t experts =
        alone_.shape.has_experts() ? std::gcd(alone_.shape.experts, data) : 1;
    for (const std::int64_t expert : Divisors(experts, experts, request_.parallel.expert)) {
      for (const std::int64_t micro_batch : MicroBatches(request_, space_)) {
        PlanRequest request = request_;
        request.parallel.tensor = tensor;
        request.parallel.pipeline = pipeline;
        request.parallel.expert = expert;
        request.parallel.micro_batch = micro_batch;
        Add(request);
      }
    }
  }

  void Add(const PlanRequest& request) {
    ++choices_.tried;
    std::optional<StepPlan> plan = TryPlan(request);
    if (!plan) return;
    const double used = MemoryOf(plan->whole, plan->parallel).total();
    if (used > plan->speed.gpu.memory * 1e9) {
      ++choices_.too_large;
      double& least = choices_.least_memory;
      least = least == 0 ? used : std::min(least, used);
      return;
    }
    choices_.plans.push_back(std::move(*plan));
    choices_.requests.push_back(request);
  }

  const PlanRequest& request_;
  const PlanSpace space_;
  const StepPlan alone_;
  PlanChoices choices_;
};

}  // namespace

PlanChoices FindPlans(const PlanRequest& request, const PlanSpace& space) {
  return Finder(request, space).Find();
}

double ModelOperations(const ModelShape& shape, const ParallelPlan& plan) {
  const auto of = [](std::int64_t number) { return static_cast<double>(number); };
  const double tokens = of(plan.global_batch) * of(shape.sequence);
  const double attention = of(shape.layers) * of(shape.sequence) * of(shape.heads) *
                           (of(shape.score_dim()) + of(shape.value_dim())) / 2;
  const ParameterCount count = CountParameters(shape);
  const double parameters = of(count.active() - (shape.tied ? 0 : count.embedding));
  return 6 * tokens * (parameters + attention);
}

}  // namespace heddle
