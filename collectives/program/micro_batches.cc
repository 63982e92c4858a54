// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/micro_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr const char* kFirstOfMicroBatch = "embedding_layer";
/// How the names of the lines after the last micro-batch begin.
constexpr const char* kBehindTheLast[] = {"cross_entropy", "optimizer"};

std::uint32_t CountLayers(const Workload& workload) {
  return static_cast<std::uint32_t>(workload.layers.size());
}

/// Indices of the layers with which micro-batches begin.
std::vector<std::uint32_t> Begins(const Workload& workload) {
  std::vector<std::uint32_t> begins;
  for (std::uint32_t i = 0; i < CountLayers(workload); ++i) {
    if (workload.layers[i].name == kFirstOfMicroBatch) begins.push_back(i);
  }
  return begins;
}

bool IsBehindTheLast(const Layer& layer) {
  return std::any_of(std::begin(kBehindTheLast), std::end(kBehindTheLast),
                     [&](const char* name) { return layer.name.rfind(name, 0) == 0; });
}

/// Names the first line too many, or the last one.
[[noreturn]] void FailCount(const Workload& workload, const std::vector<std::uint32_t>& begins) {
  const auto wanted = static_cast<std::size_t>(workload.gradient_accumulation);
  const bool fewer = begins.size() < wanted;
  const std::uint32_t at = fewer ? begins.back() : begins[wanted];
  FailInput({workload.name, workload.layers[at].line},
            fmt::format("{} line{} {} for {} micro-batch{} (ga)", begins.size(),
                        begins.size() == 1 ? "" : "s", kFirstOfMicroBatch, wanted,
                        wanted == 1 ? "" : "es"),
            fmt::format("one at the beginning of each micro-batch{}",
                        fewer ? "; the file may be truncated" : ""));
}

MicroBatches CutEvenly(const Workload& workload) {
  const std::uint64_t count = static_cast<std::uint64_t>(workload.gradient_accumulation);
  const std::uint64_t layers = workload.layers.size();
  if (count > layers) {
    FailInput(
        {workload.name, 1},
        fmt::format("{} micro-batches (ga) of {} layer{}", count, layers, layers == 1 ? "" : "s"),
        "a layer or more in each, as AICB writes the layers of all micro-batches");
  }
  MicroBatches cut;
  for (std::uint64_t m = 0; m < count; ++m) {
    cut.batches.push_back({static_cast<std::uint32_t>(m * layers / count),
                           static_cast<std::uint32_t>((m + 1) * layers / count)});
  }
  cut.after = {CountLayers(workload), CountLayers(workload)};
  return cut;
}

}  // namespace

MicroBatches OneMicroBatch(const Workload& workload) {
  const std::uint32_t layers = CountLayers(workload);
  return {{}, {{0, layers}}, {layers, layers}};
}

bool HasNoMarkedMicroBatches(const Workload& workload) { return Begins(workload).empty(); }

MicroBatches CutIntoMicroBatches(const Workload& workload) {
  const std::vector<std::uint32_t> begins = Begins(workload);
  if (begins.empty()) return CutEvenly(workload);
  if (static_cast<std::int64_t>(begins.size()) != workload.gradient_accumulation)
    FailCount(workload, begins);
  const auto behind =
      std::find_if(workload.layers.begin() + begins.back(), workload.layers.end(), IsBehindTheLast);
  const auto end = static_cast<std::uint32_t>(behind - workload.layers.begin());
  MicroBatches cut;
  cut.before = {0, begins.front()};
  for (std::size_t m = 0; m < begins.size(); ++m)
    cut.batches.push_back({begins[m], m + 1 < begins.size() ? begins[m + 1] : end});
  cut.after = {end, CountLayers(workload)};
  return cut;
}

}  // namespace heddle
