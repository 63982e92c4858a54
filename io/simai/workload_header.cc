// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/workload_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

/// Bound on numbers of GPUs, that of a topology's nodes, and on numbers of micro-batches.
constexpr std::int64_t kMostParts = 1'048'576;
constexpr std::int64_t kMostLayers = 1'000'000'000;

using SetKey = std::function<void(WorkloadWords*, Workload*)>;

SetKey Count(const char* name, const std::function<std::int64_t*(Workload*)>& field) {
  return [name, field](WorkloadWords* words, Workload* workload) {
    *field(workload) = words->Number(name, 0, kMostParts);
  };
}

/// "N l1 l2 ...": the number of layers, then their numbers.
SetKey LayerList(const char* name, std::vector<std::int64_t> Workload::*field) {
  return [name, field](WorkloadWords* words, Workload* workload) {
    for (std::int64_t left = words->Number(name, 0, kMostLayers); left > 0; --left) {
      (workload->*field).push_back(words->Number("layer", 0, kMostLayers));
    }
  };
}

void SetPipelineBytes(WorkloadWords* words, Workload* workload) {
  workload->pipeline_bytes = words->CutBytesOf("pp_comm");
}

/// AICB's inference generator writes mode: 1.
void SetMode(WorkloadWords* words, Workload* workload) {
  workload->inference = words->Number("mode", 0, 1) == 1;
}

const std::vector<std::pair<std::string, SetKey>>& HeaderKeys() {
  static const std::vector<std::pair<std::string, SetKey>> keys = {
      {"model_parallel_NPU_group:",
       Count("model_parallel_NPU_group", [](Workload* w) { return &w->sizes.tensor; })},
      {"ep:", Count("ep", [](Workload* w) { return &w->sizes.expert; })},
      {"expert_parallel_npu_group:",
       Count("expert_parallel_npu_group", [](Workload* w) { return &w->sizes.expert; })},
      {"pp:", Count("pp", [](Workload* w) { return &w->sizes.pipeline; })},
      {"vpp:", Count("vpp", [](Workload* w) { return &w->virtual_pipeline; })},
      {"ga:", Count("ga", [](Workload* w) { return &w->gradient_accumulation; })},
      {"all_gpus:", Count("all_gpus", [](Workload* w) { return &w->all_gpus; })},
      {"checkpoints:", LayerList("checkpoints", &Workload::checkpoints)},
      {"checkpoint_initiates:", LayerList("checkpoint_initiates", &Workload::checkpoint_initiates)},
      {"pp_comm:", SetPipelineBytes},
      {"pp_comm", SetPipelineBytes},
      {"mode:", SetMode},
  };
  return keys;
}

/// Equal for keys that mean the same: AICB's generators have two names for the expert parallel
/// size.
std::string BareName(const std::string& key) {
  const std::string bare = key.substr(0, key.find(':'));
  return bare == "expert_parallel_npu_group" ? "ep" : bare;
}

[[noreturn]] void FailUnknownKey(std::string_view word, const WorkloadWords& words) {
  std::vector<std::string> names;
  for (const auto& key : HeaderKeys()) names.push_back(key.first);
  words.Fail(fmt::format("unknown key {}", Quote(word)),
             "a known key with its colon" + NearestIs(word.substr(0, 60), names));
}

}  // namespace

void ReadWorkloadHeader(WorkloadWords* words, Workload* workload) {
  if (IsDlrm(workload->policy)) {
    workload->last_bottom_layer = words->Number("last bottom layer", 0, kMostLayers);
  }
  std::vector<std::string> given;
  for (std::string_view word = words->Next(); !word.empty(); word = words->Next()) {
    const auto key = std::find_if(HeaderKeys().begin(), HeaderKeys().end(),
                                  [&](const auto& k) { return k.first == word; });
    if (key == HeaderKeys().end()) FailUnknownKey(word, *words);
    const std::string bare = BareName(key->first);
    if (std::find(given.begin(), given.end(), bare) != given.end()) {
      words->Fail(fmt::format("key {} was already given", Quote(word)), "each key once");
    }
    given.push_back(bare);
    key->second(words, workload);
  }
  // ASTRA-SIM 1.0's training loops have no keys; SimAI's and AICB's always have. All-gathers alone,
  // MICRO, are as heddle says them.
  workload->gathers_shards = given.empty() && workload->policy != Policy::kMicro &&
                             workload->policy != Policy::kTransformerFwdInBckwd;
  workload->virtual_pipeline = std::max<std::int64_t>(1, workload->virtual_pipeline);
  workload->gradient_accumulation = std::max<std::int64_t>(1, workload->gradient_accumulation);
}

void CheckNamedLayers(const Workload& workload, const SourceLine& where) {
  const auto layers = static_cast<std::int64_t>(workload.layers.size());
  const auto check = [&](std::int64_t layer, const char* key) {
    if (layer < layers) return;
    FailInput(where, fmt::format("{} names layer {}", key, layer),
              fmt::format("a layer of the file, 0 to {}", layers - 1));
  };
  for (const std::int64_t layer : workload.checkpoints) check(layer, "checkpoints:");
  const auto first = std::min_element(workload.checkpoints.begin(), workload.checkpoints.end());
  for (const std::int64_t layer : workload.checkpoint_initiates) {
    check(layer, "checkpoint_initiates:");
    if (first != workload.checkpoints.end() && *first <= layer) continue;
    FailInput(where,
              fmt::format(
                  "checkpoint_initiates: names layer {}, and no layer of checkpoints: is before it",
                  layer),
              "a checkpoint from which its activations can be computed again");
  }
  if (IsDlrm(workload.policy) && workload.last_bottom_layer + 1 >= layers) {
    FailInput(where,
              fmt::format("{} says that layer {} is the last bottom layer, of {}",
                          ToText(workload.policy), workload.last_bottom_layer, layers),
              "a bottom layer with a top layer behind it");
  }
}

}  // namespace heddle
