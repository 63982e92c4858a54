// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "core/base/check.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/toml/toml_table.h"

namespace heddle {
namespace {

constexpr const char* kPage = "a plan in TOML, as in docs/formats/plan.md";

/// "kv_heads" of "--kv-heads".
std::string KeyOf(std::string_view flag) {
  std::string key(flag.substr(2));
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// The key of a flag, and the value that the flag has there if it is a switch.
std::string KeyOrSetting(std::string_view flag) {
  if (flag == "--no-sequence-parallel") return "sequence_parallel = false";
  if (flag == "--no-zero") return "zero = 0";
  if (flag == "--no-overlap-gradients") return "overlap_gradients = false";
  return KeyOf(flag);
}

/// A number that a flag would take as text; keeps the text if the key is missing.
void TakeNumber(TomlTable* table, const char* key, double most, std::string* text) {
  if (table->Find(key) == nullptr) return;
  *text = fmt::format("{}", table->Number(key, 1e-3, most, 1));
}

void TakeWord(TomlTable* table, const char* key, std::string* text) {
  if (const std::optional<std::string> word = table->Text(key)) *text = *word;
}

void TakeSwitches(TomlTable* table, PlanRequest* plan) {
  plan->scale = table->Truth("scale", plan->scale);
  plan->no_sequence_parallel = !table->Truth("sequence_parallel", !plan->no_sequence_parallel);
  plan->no_zero = table->Whole("zero", 0, 1, plan->no_zero ? 0 : 1) == 0;
  if (table->Find("overlap_gradients") == nullptr) return;
  plan->overlap_gradients = table->Truth("overlap_gradients", false);
  plan->no_overlap_gradients = !plan->overlap_gradients;
}

/// Takes the keys of a table, each of which replaces what the plan has.
void TakeKeys(TomlTable* table, const std::string& folder, PlanRequest* plan) {
  TakeWord(table, "model", &plan->model);
  for (std::size_t i = 0; i < ShapeNumbers().size(); ++i) {
    const ShapeNumber& number = ShapeNumbers()[i];
    const std::string key = KeyOf(number.name);
    if (table->Find(key) != nullptr)
      plan->shape[i] = table->Whole(key, number.least, number.most, number.least);
  }
  for (const PlanNumber& number : PlanNumbers())
    plan->parallel.*number.number =
        table->Whole(KeyOf(number.name), 1, number.most, plan->parallel.*number.number);
  constexpr std::int64_t kMostLayers = 1 << 20;
  plan->model_layers = table->Whole("model_layers", 1, kMostLayers, plan->model_layers);
  TakeSwitches(table, plan);
  TakeWord(table, "rules", &plan->rules);
  TakeWord(table, "gpu", &plan->gpu);
  TakeNumber(table, "peak", 1e6, &plan->peak);
  TakeNumber(table, "memory_bandwidth", 1e7, &plan->bandwidth);
  TakeNumber(table, "efficiency", 1, &plan->efficiency);
  if (const std::optional<std::string> path = table->Text("compute_table"))
    plan->compute_table = (std::filesystem::path(folder) / *path).string();
  table->ExpectNoOthers();
}

}  // namespace

std::string InWordsOfPlan(const std::string& message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    std::size_t end = at + 2;
    const bool flag = message.compare(at, 2, "--") == 0 && end < message.size() &&
                      std::islower(static_cast<unsigned char>(message[end])) != 0 &&
                      (at == 0 || message[at - 1] == ' ');
    if (!flag) {
      text += message[at++];
      continue;
    }
    while (end < message.size() &&
           (std::islower(static_cast<unsigned char>(message[end])) != 0 || message[end] == '-'))
      ++end;
    text += KeyOrSetting(message.substr(at, end - at));
    at = end;
  }
  return text;
}

bool IsPlanFile(const std::string& path) {
  return std::filesystem::path(path).extension() == ".toml";
}

PlanRequest ParsePlan(std::string_view text, const std::string& name, const std::string& folder) {
  const toml::table table = ParseToml(text, name, kPage);
  TomlTable keys(table, name, "");
  PlanRequest plan;
  TakeKeys(&keys, folder, &plan);
  if (plan.model.empty()) keys.Fail("model", "no model", "model = \"llama3-70b\" or another");
  return plan;
}

void ReplaceKey(const std::string& text, PlanRequest* plan) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0)
    throw UsageError(
        fmt::format("--plan: found '{}'. Expected: KEY=VALUE, such as tp=4", Printable(text)));
  const std::string name = "--plan " + Printable(text);
  toml::table table;
  try {
    table = ParseToml(text, name, kPage);
  } catch (const UserError&) {
    const std::string quoted = text.substr(0, equal) + " = \"" + text.substr(equal + 1) + "\"";
    table = ParseToml(quoted, name, "KEY=VALUE, such as tp=4");
  }
  TomlTable keys(table, name, "");
  TakeKeys(&keys, "", plan);
}

PlanRequest ReadPlan(const std::string& path, const std::vector<std::string>& replaced) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  PlanRequest plan =
      ReadAs(FileKind::kUnknown, path, [&] { return ParsePlan(ReadTextFile(path), path, folder); });
  for (const std::string& text : replaced) ReplaceKey(text, &plan);
  return plan;
}

StepPlan ResolvePlanFile(const PlanRequest& given, const std::string& path) {
  if (given.parallel.gpus == 0)
    throw UserError(
        fmt::format("{}: no gpus. Expected: gpus = 64 or another number of GPUs", Printable(path)));
  try {
    StepPlan plan = ResolvePlan(given);
    for (std::string& note : plan.notes) note = InWordsOfPlan(note);
    return plan;
  } catch (const Error& error) {
    throw UserError(Printable(path) + ": " + InWordsOfPlan(error.what()));
  }
}

std::string PlanText(const PlanRequest& given, const std::string& comment) {
  std::string text = fmt::format("# {}\nmodel = \"{}\"\n", comment, given.model);
  for (std::size_t i = 0; i < ShapeNumbers().size(); ++i) {
    if (given.shape[i])
      text += fmt::format("{} = {}\n", KeyOf(ShapeNumbers()[i].name), *given.shape[i]);
  }
  const PlanRequest usual;
  for (const PlanNumber& number : PlanNumbers()) {
    const std::int64_t value = given.parallel.*number.number;
    if (value != usual.parallel.*number.number)
      text += fmt::format("{} = {}\n", KeyOf(number.name), value);
  }
  if (given.scale) text += "scale = true\n";
  if (given.model_layers > 0) text += fmt::format("model_layers = {}\n", given.model_layers);
  if (given.no_sequence_parallel) text += "sequence_parallel = false\n";
  if (given.no_zero) text += "zero = 0\n";
  if (given.overlap_gradients || given.no_overlap_gradients)
    text += fmt::format("overlap_gradients = {}\n", given.overlap_gradients);
  if (given.rules != usual.rules) text += fmt::format("rules = \"{}\"\n", given.rules);
  text += fmt::format("gpu = \"{}\"\n", given.gpu.empty() ? kUsualGpu : given.gpu);
  const auto number = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, value);
  };
  number("peak", given.peak);
  number("memory_bandwidth", given.bandwidth);
  number("efficiency", given.efficiency);
  if (!given.compute_table.empty())
    text += fmt::format("compute_table = \"{}\"\n",
                        std::filesystem::absolute(given.compute_table).string());
  return text;
}

}  // namespace heddle
