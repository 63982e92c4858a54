// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/plan_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "io/plan/plan_file.h"

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
  alone.parallel.context = 1;
  alone.parallel.micro_batch = alone.parallel.virtual_pipeline = 1;
  return ResolvePlan(alone);
}

class Finder {
 public:
  Finder(const PlanRequest& request, const PlanSpace& space)
      : request_(request), space_(space), alone_(ResolveAlone(request)) {}

  PlanChoices Find() {
    const std::int64_t gpus = request_.parallel.gpus;
    for (const std::int64_t tensor : Divisors(gpus, space_.most_tensor, request_.parallel.tensor)) {
      for (const std::int64_t context : Divisors(gpus, MostContext(), request_.parallel.context)) {
        const std::int64_t most = std::min(gpus / tensor / context, alone_.shape.layers);
        for (const std::int64_t pipeline : Divisors(gpus, most, request_.parallel.pipeline))
          AddReplicas(tensor, context, pipeline);
      }
    }
    return std::move(choices_);
  }

 private:
  std::int64_t MostContext() const {
    if (space_.most_context > 0) return space_.most_context;
    return std::max<std::int64_t>(1, alone_.shape.sequence / kUsualPositions);
  }

  void AddReplicas(std::int64_t tensor, std::int64_t context, std::int64_t pipeline) {
    if (request_.parallel.gpus % (tensor * context * pipeline) != 0) return;
    const std::int64_t data = request_.parallel.gpus / (tensor * pipeline);
    const std::int64_t experts =
        alone_.shape.has_experts() ? std::gcd(alone_.shape.experts, data) : 1;
    for (const std::int64_t expert : Divisors(experts, experts, request_.parallel.expert)) {
      for (const std::int64_t micro_batch : MicroBatches(request_, space_)) {
        PlanRequest request = request_;
        request.parallel.tensor = tensor;
        request.parallel.context = context;
        request.parallel.pipeline = pipeline;
        request.parallel.expert = expert;
        request.parallel.micro_batch = micro_batch;
        AddSchedules(request);
      }
    }
  }

  void AddSchedules(const PlanRequest& divided) {
    if (divided.parallel.pipeline == 1) return Add(divided, {"", 1, 1, UsualLoad}, 1);
    const std::int64_t layers = alone_.shape.layers / divided.parallel.pipeline;
    for (const ScheduleChoice& schedule : space_.schedules) {
      const std::int64_t given = request_.parallel.virtual_pipeline;
      if (given > 1) {
        schedule.takes_chunks() ? Add(divided, schedule, given) : RefuseChunks(divided, schedule);
        continue;
      }
      const std::int64_t most = std::max(schedule.least_chunks, schedule.most_chunks);
      for (std::int64_t chunks = schedule.least_chunks; chunks <= most; ++chunks) {
        // Without a number that divides the layers, the least is tried, and refused.
        if (layers % chunks != 0 && chunks > schedule.least_chunks) continue;
        Add(divided, schedule, chunks);
      }
    }
  }

  /// Chunks are given, and the schedule has none.
  void RefuseChunks(PlanRequest request, const ScheduleChoice& schedule) {
    ++choices_.tried;
    request.schedule = schedule.name;
    choices_.refused.push_back(
        {request, schedule.name,
         fmt::format("vpp: found {}, and the schedule {} takes no chunks. Expected: interleaved "
                     "among the schedules, or vpp = 1",
                     request.parallel.virtual_pipeline, schedule.name)});
  }

  void Add(PlanRequest request, const ScheduleChoice& schedule, std::int64_t chunks) {
    ++choices_.tried;
    request.schedule = schedule.name;
    request.parallel.virtual_pipeline = chunks;
    if (chunks == 1) request.parallel.in_a_row = 0;
    FoundPlan found{{}, request, schedule.name, {}};
    try {
      found.plan = ResolvePlan(request);
      found.memory =
          MemoryOf(found.plan.whole, found.plan.parallel, schedule.load(found.plan.parallel));
    } catch (const Error& error) {
      choices_.refused.push_back({request, schedule.name, InWordsOfPlan(error.what())});
      return;
    }
    const double used = found.memory.total();
    if (used > space_.most_memory * found.plan.speed.gpu.memory * 1e9) {
      ++choices_.too_large;
      double& least = choices_.least_memory;
      least = least == 0 ? used : std::min(least, used);
      return;
    }
    choices_.plans.push_back(std::move(found));
  }

  const PlanRequest& request_;
  const PlanSpace& space_;
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
