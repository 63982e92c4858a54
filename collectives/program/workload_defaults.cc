// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/workload_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "collectives/pipeline/make_table.h"
#include "collectives/program/micro_batches.h"
#include "core/base/check.h"

namespace heddle {
namespace {

std::int64_t DefaultTensor(const Workload& workload, std::int64_t ranks, std::int64_t pipeline,
                           std::int64_t gpus_per_server) {
  switch (workload.policy) {
    case Policy::kMicro:
      return workload.named_groups ? std::gcd(ranks, gpus_per_server) : 1;
    case Policy::kData:
    case Policy::kHybridDlrm:
    case Policy::kHybridDlrmEnhanced:
      return 1;
    case Policy::kModel:
    case Policy::kDistributedInference:
    case Policy::kTransformerFwdInBckwd:
      return ranks % pipeline == 0 ? ranks / pipeline : ranks;  // ParallelGroups rejects the latter
    case Policy::kHybridDataModel:
    case Policy::kHybridModelData:
    case Policy::kHybridTransformer:
    case Policy::kHybridCustomized:
      return std::gcd(ranks, gpus_per_server);
  }
  return 1;
}

/// Number of the file's communications in groups of one rank.
std::size_t CountLonely(const Workload& workload, const ParallelGroups& groups) {
  std::size_t count = 0;
  for (const Layer& layer : workload.layers) {
    for (const LayerPhase* phase :
         {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if (phase->operation != Operation::kNone && phase->bytes > 0 &&
          groups.size(phase->group) == 1)
        ++count;
    }
  }
  return count;
}

/// Warns of what the schedule makes of the file's pipeline; nothing where there is one stage.
void WarnOfSchedule(const Workload& workload, const ParallelGroups& groups,
                    const PipelineOptions& pipeline, const std::function<void(std::string)>& warn) {
  const bool chosen = pipeline.schedule != PipelineOptions().schedule;
  if (groups.pipeline() == 1 || workload.policy != Policy::kTransformerFwdInBckwd) {
    if (chosen)
      warn(fmt::format("pipeline.schedule={} changes nothing: there is one pipeline stage (pp)",
                       pipeline.schedule));
    return;
  }
  if (workload.virtual_pipeline > 1 && !chosen) {
    warn(fmt::format("vpp {} is run as 1: pipeline stages are not interleaved",
                     workload.virtual_pipeline));
  }
  const PipelineUse use = UseOf(pipeline);
  Time inputs, weights;
  for (const Layer& layer : workload.layers) {
    inputs += layer.input_gradient.compute;
    weights += layer.weight_gradient.compute;
  }
  constexpr int kLittle = 100;
  if (use.splits_backward && weights * kLittle < inputs) {
    warn(
        fmt::format("pipeline.schedule={} gains little: the gradients of weights take {} of {} for "
                    "those of inputs",
                    pipeline.schedule, ToText(weights), ToText(inputs)));
  }
  if (use.holds_two_stages) {
    warn(
        fmt::format("pipeline.schedule={}: each GPU holds the parameters of two stages; lines "
                    "outside the micro-batches (gradients, optimizer) are run as of one",
                    pipeline.schedule));
  }
}

}  // namespace

ParallelSizes DefaultSizes(const Workload& workload, std::uint32_t ranks,
                           std::uint32_t gpus_per_server) {
  ParallelSizes sizes = workload.sizes;
  sizes.pipeline = std::max<std::int64_t>(1, sizes.pipeline);
  if (sizes.tensor == 0)
    sizes.tensor = DefaultTensor(workload, ranks, sizes.pipeline, gpus_per_server);
  if (sizes.expert == 0)
    sizes.expert = workload.named_groups ? std::max<std::int64_t>(1, ranks / sizes.tensor) : 1;
  return sizes;
}

std::string GatherWholes(const ParallelGroups& groups, Workload* workload) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  if (!workload->gathers_shards) return {};
  workload->gathers_shards = false;
  std::size_t count = 0;
  for (Layer& layer : workload->layers) {
    for (LayerPhase* phase : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if (phase->operation != Operation::kAllGather || phase->bytes == 0) continue;
      const std::int64_t size = groups.size(phase->group);
      if (phase->bytes > kMost / size)
        FailInput(
            {workload->name, layer.line},
            fmt::format("ALLGATHER of shards of {} bytes in groups of {}", phase->bytes, size),
            "at most 2^62 bytes in all");
      phase->bytes *= size;
      ++count;
    }
  }
  if (count == 0) return {};
  return fmt::format(
      "{}: the bytes of {} ALLGATHER{} are taken for one rank's, as in ASTRA-SIM 1.0's files, "
      "whose "
      "first line has no keys",
      workload->name, count, count == 1 ? "" : "s");
}

std::vector<std::string> WorkloadWarnings(const Workload& workload, const ParallelGroups& groups,
                                          const PipelineOptions& pipeline) {
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& text) {
    warnings.push_back(workload.name + ": " + text);
  };
  const auto layers = static_cast<std::int64_t>(workload.layers.size());
  if (layers < workload.announced_layers) {
    warn(fmt::format("announces {} layers and has {}, which are run; the file may be truncated",
                     workload.announced_layers, layers));
  }
  if (workload.all_gpus != 0 && workload.all_gpus != groups.ranks()) {
    warn(fmt::format("made for {} GPUs (all_gpus), and runs on {}", workload.all_gpus,
                     groups.ranks()));
  }
  WarnOfSchedule(workload, groups, pipeline, warn);
  const std::int64_t micro_batches = workload.gradient_accumulation;
  if (groups.pipeline() > 1 && layers % micro_batches != 0 && HasNoMarkedMicroBatches(workload)) {
    warn(fmt::format(
        "no embedding_layer: {} layers are cut into {} micro-batches (ga) of {} or {} layers",
        layers, micro_batches, layers / micro_batches, layers / micro_batches + 1));
  }
  if (groups.pipeline() > 1 && workload.pipeline_bytes == 0) {
    warn(fmt::format("{} pipeline stages and no pp_comm: their messages have 1 byte",
                     groups.pipeline()));
  }
  // DLRM's exchange of embeddings is in the column of TP and spans all GPUs.
  const std::size_t lonely = IsDlrm(workload.policy) ? 0 : CountLonely(workload, groups);
  if (lonely > 0) {
    warn(fmt::format("{} communication{} in groups of one GPU, and left out (TP {}, DP {}, EP {})",
                     lonely, lonely == 1 ? " is" : "s are", groups.tensor(), groups.data(),
                     groups.expert()));
  }
  return warnings;
}

}  // namespace heddle
