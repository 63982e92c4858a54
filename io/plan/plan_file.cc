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

/// A value of the table [experts] as a run's option has it.
std::string ExpertValue(TomlTable* table, const ExpertKey& key, const std::string& folder) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  switch (key.kind) {
    case ExpertKeyKind::kNumber:
      return fmt::format("{}", table->Number(key.key, 0, kMost, 0));
    case ExpertKeyKind::kTruth:
      return table->Truth(key.key, true) ? "true" : "false";
    case ExpertKeyKind::kFile:
      return (std::filesystem::path(folder) / *table->Text(key.key)).string();
    case ExpertKeyKind::kWord:
      break;
  }
  return *table->Text(key.key);
}

/// A number of the shape; of experts it is that of the key, or `count` of the table.
void TakeShape(TomlTable* table, const std::string& key, std::size_t number, PlanRequest* plan) {
  const ShapeNumber& known = ShapeNumbers()[number];
  if (table->Find(key) != nullptr)
    plan->shape[number] = table->Whole(key, known.least, known.most, known.least);
}

/// The table [experts].
void TakeExperts(const toml::table& given, const std::string& name, const std::string& folder,
                 std::size_t count, PlanRequest* plan) {
  TomlTable table(given, name, "[experts]");
  TakeShape(&table, "count", count, plan);
  for (const ExpertKey& key : ExpertKeys()) {
    if (table.Find(key.key) != nullptr) plan->experts[key.key] = ExpertValue(&table, key, folder);
  }
  table.ExpectNoOthers();
}

constexpr const char* kScheduleFilePrefix = "file:";  // of pipeline.schedule

/// The file that a schedule names; empty: it is a word.
std::string ScheduleFileOf(const std::string& schedule) {
  const std::string begin = kScheduleFilePrefix;
  return schedule.rfind(begin, 0) == 0 ? schedule.substr(begin.size()) : "";
}

/// The name of a schedule, or of a file with one's own, relative to the plan's folder.
void TakeSchedule(TomlTable* table, const std::string& folder, PlanRequest* plan) {
  TakeWord(table, "schedule", &plan->schedule);
  const std::string file = ScheduleFileOf(plan->schedule);
  if (table->Find("schedule") == nullptr || file.empty()) return;
  plan->schedule = kScheduleFilePrefix + (std::filesystem::path(folder) / file).string();
}

void TakeSwitches(TomlTable* table, PlanRequest* plan) {
  plan->scale = table->Truth("scale", plan->scale);
  plan->no_sequence_parallel = !table->Truth("sequence_parallel", !plan->no_sequence_parallel);
  plan->zero = table->Whole("zero", 0, 3, plan->zero);
  if (plan->zero == 2) table->Fail("zero", "zero = 2", "0, 1 or 3");
  plan->overlap_experts = table->Truth("overlap_experts", plan->overlap_experts);
  plan->tp_comm_overlap = table->Truth("tp_comm_overlap", plan->tp_comm_overlap);
  if (table->Find("overlap_gradients") == nullptr) return;
  plan->overlap_gradients = table->Truth("overlap_gradients", false);
  plan->no_overlap_gradients = !plan->overlap_gradients;
}

/// Takes the keys of a table, each of which replaces what the plan has.
void TakeKeys(TomlTable* table, const std::string& name, const std::string& folder,
              PlanRequest* plan) {
  TakeWord(table, "model", &plan->model);
  for (std::size_t i = 0; i < ShapeNumbers().size(); ++i) {
    const std::string key = KeyOf(ShapeNumbers()[i].name);
    const toml::node* const node = table->Find(key);
    if (key == "experts" && node != nullptr && node->is_table())
      TakeExperts(*node->as_table(), name, folder, i, plan);
    else
      TakeShape(table, key, i, plan);
  }
  for (const PlanNumber& number : PlanNumbers())
    plan->parallel.*number.number =
        table->Whole(KeyOf(number.name), 1, number.most, plan->parallel.*number.number);
  constexpr std::int64_t kMostLayers = 1 << 20;
  plan->model_layers = table->Whole("model_layers", 1, kMostLayers, plan->model_layers);
  TakeSwitches(table, plan);
  TakeWord(table, "cp_comm_type", &plan->cp_comm_type);
  TakeSchedule(table, folder, plan);
  TakeWord(table, "senders", &plan->senders);
  TakeWord(table, "recompute", &plan->recompute);
  TakeWord(table, "precision", &plan->precision);
  TakeWord(table, "rules", &plan->rules);
  TakeWord(table, "gpu", &plan->gpu);
  TakeNumber(table, "peak", 1e6, &plan->peak);
  TakeNumber(table, "memory_bandwidth", 1e7, &plan->bandwidth);
  TakeNumber(table, "efficiency", 1, &plan->efficiency);
  TakeNumber(table, "fp8_efficiency", 1, &plan->fp8_efficiency);
  if (const std::optional<std::string> path = table->Text("compute_table"))
    plan->compute_table = (std::filesystem::path(folder) / *path).string();
  table->ExpectNoOthers();
}

/// A text in TOML: quoted, with what TOML does not take as it is escaped.
std::string Quoted(const std::string& text) {
  constexpr unsigned char kFirstLetter = 0x20, kDelete = 0x7f;
  std::string quoted = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < kFirstLetter || code == kDelete) {
      quoted += fmt::format("\\u{:04x}", code);
      continue;
    }
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + '"';
}

/// A file's name that holds in any folder.
std::string Absolute(const std::string& path) { return std::filesystem::absolute(path).string(); }

/// A schedule as a plan in another folder has it.
std::string ScheduleText(const std::string& schedule) {
  const std::string file = ScheduleFileOf(schedule);
  return file.empty() ? schedule : kScheduleFilePrefix + Absolute(file);
}

/// Whether a number of the shape stands in the table [experts].
bool InTable(const PlanRequest& given, std::size_t number) {
  return !given.experts.empty() && KeyOf(ShapeNumbers()[number].name) == "experts";
}

/// The table [experts] as text; empty: it says nothing.
std::string ExpertsText(const PlanRequest& given) {
  if (given.experts.empty()) return "";
  std::string text = "\n[experts]\n";
  for (std::size_t i = 0; i < ShapeNumbers().size(); ++i) {
    if (given.shape[i] && InTable(given, i)) text += fmt::format("count = {}\n", *given.shape[i]);
  }
  for (const ExpertKey& key : ExpertKeys()) {
    const auto found = given.experts.find(key.key);
    if (found == given.experts.end()) continue;
    const std::string& value = found->second;
    const bool bare = key.kind == ExpertKeyKind::kNumber || key.kind == ExpertKeyKind::kTruth;
    const bool file = key.kind == ExpertKeyKind::kFile;
    text +=
        fmt::format("{} = {}\n", key.key, bare ? value : Quoted(file ? Absolute(value) : value));
  }
  return text;
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
  TakeKeys(&keys, name, folder, &plan);
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
  TakeKeys(&keys, name, "", plan);
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

std::vector<std::string> FilesOfPlan(const PlanRequest& given) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& file) {
    if (!file.empty()) files.push_back(file);
  };
  add(given.compute_table);
  add(ScheduleFileOf(given.schedule));
  for (const ExpertKey& key : ExpertKeys()) {
    const auto found = given.experts.find(key.key);
    if (key.kind == ExpertKeyKind::kFile && found != given.experts.end()) add(found->second);
  }
  return files;
}

std::string PlanText(const PlanRequest& given, const std::string& comment) {
  std::string text = fmt::format("# {}\nmodel = \"{}\"\n", comment, given.model);
  for (std::size_t i = 0; i < ShapeNumbers().size(); ++i) {
    if (given.shape[i] && !InTable(given, i))
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
  if (given.zero != usual.zero) text += fmt::format("zero = {}\n", given.zero);
  if (given.overlap_gradients || given.no_overlap_gradients)
    text += fmt::format("overlap_gradients = {}\n", given.overlap_gradients);
  if (given.overlap_experts) text += "overlap_experts = true\n";
  if (given.tp_comm_overlap) text += "tp_comm_overlap = true\n";
  const auto word = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, Quoted(value));
  };
  word("cp_comm_type", given.cp_comm_type);
  word("schedule", ScheduleText(given.schedule));
  word("senders", given.senders);
  word("recompute", given.recompute);
  word("precision", given.precision);
  if (given.rules != usual.rules) text += fmt::format("rules = \"{}\"\n", given.rules);
  text += fmt::format("gpu = \"{}\"\n", given.gpu.empty() ? kUsualGpu : given.gpu);
  const auto number = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, value);
  };
  number("peak", given.peak);
  number("memory_bandwidth", given.bandwidth);
  number("efficiency", given.efficiency);
  number("fp8_efficiency", given.fp8_efficiency);
  if (!given.compute_table.empty())
    text += fmt::format("compute_table = \"{}\"\n",
                        std::filesystem::absolute(given.compute_table).string());
  return text + ExpertsText(given);
}

}  // namespace heddle
