// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/model_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "io/toml/toml_table.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostWidth = 1'000'000;

const std::vector<ServingGpu>& ServingGpus() {
  static const std::vector<ServingGpu> gpus = {
      {"A100", 312, 0, 2039, 80},         {"A800", 312, 0, 2039, 80},
      {"H100", 989.4, 1978.9, 3350, 80},  {"H800", 989.4, 1978.9, 3350, 80},
      {"H20", 148, 296, 4000, 96},        {"H20-3e", 148, 296, 4800, 141},
      {"H200", 989.4, 1978.9, 4800, 141}, {"B200", 2250, 4500, 8000, 180},
      {"GB200", 2500, 5000, 8000, 186},   {"MI300X", 1307.4, 2614.9, 5300, 192},
  };
  return gpus;
}

std::uint32_t Width(TomlTable* table, const char* key, std::int64_t least, std::int64_t otherwise) {
  return static_cast<std::uint32_t>(table->Whole(key, least, kMostWidth, otherwise));
}

/// Parameters in 10^9, as models are named.
std::int64_t Parameters(TomlTable* table, const char* key, double otherwise) {
  constexpr double kMost = 1e6;
  return std::llround(table->Number(key, 1e-6, kMost, otherwise) * 1e9);
}

/// Throws UserError for a key that is missing.
void Require(TomlTable* table, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (table->Find(key) == nullptr)
      table->Fail(key, fmt::format("no {}", key), fmt::format("{} = NUMBER", key));
  }
}

void CheckShape(TomlTable* table, const ServedModel& model) {
  if (model.attention_layers > model.layers)
    table->Fail("attention_layers",
                fmt::format("{} layers with attention of {}", model.attention_layers, model.layers),
                "at most layers");
  if (model.latent && model.kv_heads != 1)
    table->Fail("kv_heads", fmt::format("{} KV heads with a latent", model.kv_heads),
                "kv_heads = 1: a latent is one for all heads");
  if (model.experts > 0 && model.top_k >= model.experts)
    table->Fail("top_k", fmt::format("{} of {} experts", model.top_k, model.experts),
                "fewer than experts");
  if (model.experts > 0 && model.top_k == 0)
    table->Fail("top_k", "experts without top_k", "the number of experts that a token takes");
  if (model.active_parameters > model.parameters)
    table->Fail("active_parameters", "more active parameters than there are", "at most parameters");
}

}  // namespace

const ServingGpu* FindServingGpu(const std::string& name) {
  const std::vector<ServingGpu>& gpus = ServingGpus();
  const auto found = std::find_if(gpus.begin(), gpus.end(),
                                  [&](const ServingGpu& gpu) { return gpu.name == name; });
  return found == gpus.end() ? nullptr : &*found;
}

std::vector<std::string> ServingGpuNames() {
  std::vector<std::string> names;
  for (const ServingGpu& gpu : ServingGpus()) names.push_back(gpu.name);
  return names;
}

ServingGpu ReadGpuTable(const toml::table& found, const std::string& file) {
  TomlTable table(found, file, "[gpu]");
  constexpr double kMost = 1e6, kLeast = 1e-3;
  ServingGpu gpu;
  gpu.name = table.Text("name").value_or("GPU");
  Require(&table, {"teraflops", "bandwidth_gbytes", "memory_gbytes"});
  gpu.teraflops = table.Number("teraflops", kLeast, kMost, 0);
  gpu.fp8_teraflops = table.Number("fp8_teraflops", 0, kMost, 0);
  gpu.bandwidth = table.Number("bandwidth_gbytes", kLeast, kMost, 0);
  gpu.memory = table.Number("memory_gbytes", kLeast, kMost, 0);
  table.ExpectNoOthers();
  return gpu;
}

ServedModel ReadModelTable(const toml::table& found, const std::string& file) {
  TomlTable table(found, file, "[model]");
  ServedModel model;
  model.name = table.Text("name").value_or("model");
  Require(&table, {"layers", "hidden", "query_heads", "kv_heads", "head_size", "parameters"});
  model.layers = Width(&table, "layers", 1, 1);
  model.attention_layers = Width(&table, "attention_layers", 1, model.layers);
  model.hidden = Width(&table, "hidden", 1, 1);
  model.query_heads = Width(&table, "query_heads", 1, 1);
  model.kv_heads = Width(&table, "kv_heads", 1, 1);
  model.head_size = Width(&table, "head_size", 1, 1);
  model.latent = table.Truth("latent", false);
  model.latent_bytes = Width(&table, "latent_bytes", 0, 0);
  model.experts = Width(&table, "experts", 0, 0);
  model.top_k = Width(&table, "top_k", 0, 0);
  model.parameters = Parameters(&table, "parameters", 1);
  model.active_parameters =
      Parameters(&table, "active_parameters", static_cast<double>(model.parameters) * 1e-9);
  CheckShape(&table, model);
  table.ExpectNoOthers();
  return model;
}

}  // namespace heddle
