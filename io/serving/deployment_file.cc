// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/deployment_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/serving/model_table.h"
#include "io/toml/toml_replace.h"
#include "io/toml/toml_table.h"

namespace heddle {
namespace {

constexpr std::uintmax_t kMostBytes = 1 << 20;
constexpr std::int64_t kMostInstances = 100'000, kMostInstanceGpus = 65'536;
constexpr const char* kPage = "TOML, as in docs/formats/serving.md";

/// Adds the GPUs of "0-31" or "5". Returns false for another text, or more than `most` in all.
bool AddRange(std::string_view text, std::size_t most, std::vector<std::uint32_t>* gpus) {
  const std::size_t dash = text.find('-');
  const auto first = ReadNumber<std::uint32_t>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : ReadNumber<std::uint32_t>(text.substr(dash + 1));
  if (!first || !last || *last < *first || *last - *first >= most - gpus->size()) return false;
  for (std::uint32_t gpu = *first;; ++gpu) {
    gpus->push_back(gpu);
    if (gpu == *last) return true;
  }
}

/// The GPUs of "0-7,16-23".
std::vector<std::uint32_t> ReadGpus(TomlTable* table) {
  std::vector<std::uint32_t> gpus;
  const std::optional<std::string> text = table->Text("gpus");
  if (!text) return gpus;
  constexpr std::size_t kMostGpus = 1 << 22;
  for (std::string_view rest = *text;;) {
    const std::size_t comma = rest.find(',');
    if (!AddRange(Trim(rest.substr(0, comma)), kMostGpus, &gpus))
      table->Fail("gpus", fmt::format("gpus = \"{}\"", Printable(*text)),
                  "numbers of GPUs, such as \"0-7,16-23\"");
    if (comma == rest.npos) return gpus;
    rest.remove_prefix(comma + 1);
  }
}

BatchLimits ReadLimits(TomlTable* table) {
  constexpr std::int64_t kMost = 1'000'000'000;
  BatchLimits limits;
  limits.token_budget = table->Whole("token_budget", 1, kMost, limits.token_budget);
  limits.most_running = table->Whole("max_running", 1, 1'000'000, limits.most_running);
  limits.longest_chunk = table->Whole("longest_chunk", 0, kMost, limits.longest_chunk);
  limits.chunked = table->Truth("chunked", limits.chunked);
  if (!limits.chunked && limits.longest_chunk > 0)
    table->Fail("longest_chunk", "longest_chunk beside chunked = false", "one of them");
  return limits;
}

ServingPool ReadPool(const toml::table& found, const std::string& path, std::size_t number) {
  TomlTable table(found, path, "[[pool]]");
  ServingPool pool;
  pool.where = {path, found.source().begin.line};
  pool.role = table.Word("role", InstanceRole::kMixed);
  pool.name = table.Text("name").value_or(fmt::format("{} {}", ToText(pool.role), number));
  pool.instances = static_cast<std::uint32_t>(table.Whole("instances", 1, kMostInstances, 1));
  pool.tensor_parallel =
      static_cast<std::uint32_t>(table.Whole("tensor_parallel", 1, kMostInstanceGpus, 1));
  pool.expert_parallel = table.Truth("expert_parallel", false);
  pool.gpus = ReadGpus(&table);
  pool.limits = ReadLimits(&table);
  table.ExpectNoOthers();
  return pool;
}

void ReadPools(TomlTable* top, Deployment* deployment) {
  std::uint64_t instances = 0;
  for (const toml::table* found : top->Tables("pool")) {
    deployment->pools.push_back(ReadPool(*found, deployment->file, deployment->pools.size()));
    const ServingPool& pool = deployment->pools.back();
    instances += pool.instances;
    for (const ServingPool& other : deployment->pools) {
      if (&other != &pool && other.name == pool.name)
        FailInput(pool.where, fmt::format("pool '{}' a second time", Printable(pool.name)),
                  "a name of its own for each pool");
    }
  }
  if (deployment->pools.empty())
    FailInput({deployment->file, 0}, "no [[pool]]", "at least one [[pool]], with instances");
  if (instances > kMostInstances)
    FailInput({deployment->file, 0}, fmt::format("{} instances", instances),
              fmt::format("at most {}", kMostInstances));
}

void ReadSpeed(TomlTable* top, Deployment* deployment) {
  const toml::table* found = top->Table("speed");
  if (found == nullptr) return;
  TomlTable table(*found, deployment->file, "[speed]");
  constexpr double kLeast = 0.01;
  deployment->compute_share = table.Number("compute_share", kLeast, 1, deployment->compute_share);
  deployment->bandwidth_share =
      table.Number("bandwidth_share", kLeast, 1, deployment->bandwidth_share);
  deployment->prefill_overhead = table.Duration("prefill_overhead", deployment->prefill_overhead);
  deployment->decode_overhead = table.Duration("decode_overhead", deployment->decode_overhead);
  table.ExpectNoOthers();
}

void ReadMemory(TomlTable* top, Deployment* deployment) {
  const toml::table* found = top->Table("memory");
  if (found == nullptr) return;
  TomlTable table(*found, deployment->file, "[memory]");
  deployment->memory_share = table.Number("share", 0.01, 1, deployment->memory_share);
  deployment->activations = table.Size("activations", deployment->activations);
  deployment->block_tokens = table.Whole("block_tokens", 1, 1'000'000, deployment->block_tokens);
  table.ExpectNoOthers();
}

void ReadRouter(TomlTable* top, Deployment* deployment) {
  if (top->Find("router") != nullptr)
    deployment->router = top->Word("router", RouterKind::kRoundRobin);
  const bool weighs = deployment->router == RouterKind::kKvAware;
  if (!weighs && top->Find("overlap_weight") != nullptr)
    top->Fail("overlap_weight", "overlap_weight without its router", "router = \"kv-aware\"");
  constexpr double kMostWeight = 1000;
  deployment->overlap_weight =
      top->Number("overlap_weight", 0, kMostWeight, deployment->overlap_weight);
  deployment->prefix_cache = top->Truth("prefix_cache", deployment->prefix_cache);
}

/// `gpu = "H100"`, or [gpu] with its peaks.
void ReadGpu(TomlTable* top, const std::string& gpu_type, Deployment* deployment) {
  const toml::node* node = top->Find("gpu");
  if (node != nullptr && node->is_table()) {
    deployment->gpu = ReadGpuTable(*node->as_table(), deployment->file);
    return;
  }
  const std::string name = top->Text("gpu").value_or(gpu_type);
  const ServingGpu* known = FindServingGpu(name);
  if (known == nullptr) {
    top->Fail("gpu",
              fmt::format("GPU type '{}'{}", Printable(name), NearestIs(name, ServingGpuNames())),
              "gpu = \"H100\" or another known type, or [gpu] with its peaks");
  }
  deployment->gpu = *known;
}

/// `model = "llama-3.3-70b"`, or [model] with its shape.
void ReadModel(TomlTable* top, Deployment* deployment) {
  const toml::node* node = top->Find("model");
  if (node != nullptr && node->is_table()) {
    deployment->model = ReadModelTable(*node->as_table(), deployment->file);
    return;
  }
  const std::optional<std::string> name = top->Text("model");
  if (!name)
    FailInput({deployment->file, 0}, "no model",
              "model = \"llama-3.3-70b\" or another known one, or [model] with its shape");
  const ServedModel* known = FindServedModel(*name);
  std::vector<std::string> names;
  for (const ServedModel& model : ServedModels()) names.push_back(model.name);
  if (known == nullptr)
    top->Fail("model", fmt::format("model '{}'{}", Printable(*name), NearestIs(*name, names)),
              "a known model, or [model] with its shape");
  deployment->model = *known;
}

}  // namespace

Deployment ParseDeployment(std::string_view text, const std::string& path,
                           const std::string& gpu_type, const std::vector<std::string>& replaced) {
  toml::table root = ParseToml(text, path, kPage);
  for (const std::string& key : replaced) ReplaceTomlKey(key, "--deploy", &root);
  TomlTable top(root, path, "");
  Deployment deployment;
  deployment.file = path;
  ReadModel(&top, &deployment);
  ReadGpu(&top, gpu_type, &deployment);
  deployment.weights = top.Word("weights", deployment.weights);
  deployment.kv = top.Word("kv", deployment.kv);
  deployment.first_token = top.Word("first_token", deployment.first_token);
  deployment.kv_transfer = top.Word("kv_transfer", deployment.kv_transfer);
  deployment.collectives = top.Truth("collectives", deployment.collectives);
  deployment.steps = top.Word("steps", deployment.steps);
  ReadRouter(&top, &deployment);
  ReadSpeed(&top, &deployment);
  ReadMemory(&top, &deployment);
  ReadPools(&top, &deployment);
  top.ExpectNoOthers();
  return deployment;
}

Deployment ReadDeployment(const std::string& path, const std::string& gpu_type,
                          const std::vector<std::string>& replaced) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > kMostBytes)
    FailInput({path, 0}, fmt::format("{} bytes", bytes), "a deployment, at most 1 MiB");
  return ReadAs(FileKind::kUnknown, path,
                [&] { return ParseDeployment(ReadTextFile(path), path, gpu_type, replaced); });
}

}  // namespace heddle
