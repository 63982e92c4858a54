// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/model_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr const char* kFirstLine = "embedding_layer";
/// How lines behind the layers begin: AICB's norm, and the output layer and the loss of `heddle
/// workload`.
constexpr const char* kLastLines[] = {"embedding_norm", "final_", "loss_"};

bool IsBehindLayers(const std::string& name) {
  return std::any_of(std::begin(kLastLines), std::end(kLastLines),
                     [&](const char* begin) { return name.rfind(begin, 0) == 0; });
}

/// The lines of a micro-batch that are layers.
LayerRange LayersOf(const Workload& workload, LayerRange batch) {
  if (workload.layers[batch.begin].name == kFirstLine && batch.begin + 1 < batch.end) ++batch.begin;
  while (batch.begin + 1 < batch.end && IsBehindLayers(workload.layers[batch.end - 1].name))
    --batch.end;
  return batch;
}

std::uint32_t NearestDivisor(std::uint32_t whole, std::uint32_t wanted) {
  std::uint32_t nearest = 1;
  const auto distance = [&](std::uint32_t divisor) {
    return std::abs(static_cast<std::int64_t>(divisor) - wanted);
  };
  for (std::uint32_t divisor = 1; divisor <= whole; ++divisor) {
    if (whole % divisor == 0 && distance(divisor) < distance(nearest)) nearest = divisor;
  }
  return nearest;
}

std::vector<LayerRange> CutOne(const Workload& workload, LayerRange batch, std::uint32_t chunks) {
  const LayerRange lines = LayersOf(workload, batch);
  const std::uint32_t count = lines.end - lines.begin;
  const bool has_layers = workload.virtual_pipeline > 1 && count % workload.virtual_pipeline == 0;
  const std::uint32_t layers =
      has_layers ? static_cast<std::uint32_t>(workload.virtual_pipeline) : count;
  if (layers % chunks != 0) {
    FailInput({workload.name, workload.layers[batch.begin].line},
              fmt::format("a micro-batch of {} {} in {} chunks of the model (pipeline.chunks)",
                          layers, has_layers ? "layers (vpp)" : "lines", chunks),
              fmt::format("a divisor, the nearest is {}", NearestDivisor(layers, chunks)));
  }
  std::vector<LayerRange> cut;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
    cut.push_back(
        {lines.begin + chunk * (count / chunks), lines.begin + (chunk + 1) * (count / chunks)});
  cut.front().begin = batch.begin;
  cut.back().end = batch.end;
  return cut;
}

}  // namespace

std::vector<std::vector<LayerRange>> CutIntoChunks(const Workload& workload,
                                                   const MicroBatches& parts,
                                                   std::uint32_t chunks) {
  HEDDLE_EXPECT(chunks >= 1);
  std::vector<std::vector<LayerRange>> cut;
  for (const LayerRange& batch : parts.batches)
    cut.push_back(chunks == 1 ? std::vector<LayerRange>{batch} : CutOne(workload, batch, chunks));
  return cut;
}

}  // namespace heddle
