// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/app/launch/plan/schedule_choices.h"

namespace heddle {
namespace {

double Share(Time part, Time whole) {
  return whole > Time{0} ? part.seconds() / whole.seconds() : 0;
}

/// Waiting for groups of experts counts what their gradients wait for too.
Time WaitedFor(const LockstepStage& stage, std::initializer_list<GroupType> types) {
  Time sum;
  for (const GroupType type : types) sum += stage.waited[static_cast<std::size_t>(type)];
  return sum;
}

/// A part of the step that the table has a column for.
struct StepPart {
  const char* name;  ///< of the column, and of the key of the object
  std::initializer_list<GroupType> types;
};
constexpr StepPart kParts[] = {{"TP", {GroupType::kTensor}},
                               {"DP", {GroupType::kData, GroupType::kDataExpert, GroupType::kAll}},
                               {"EP", {GroupType::kExpert}},
                               {"CP", {GroupType::kContext}},
                               {"PP", {GroupType::kPipeline}}};

/// The columns that depend on what is listed.
struct ListColumns {
  bool context = false;  ///< some plan has CP
  bool checked = false;

  bool Has(const StepPart& part) const {
    return context || part.types.begin()[0] != GroupType::kContext;
  }
};

std::string Row(const PricedPlan& one, std::size_t number, ListColumns columns) {
  const ParallelPlan& plan = one.found.plan.parallel;
  const Time end = one.end();
  std::string text = fmt::format("{:>3} {:>4}", number, plan.tensor);
  if (columns.context) text += fmt::format(" {:>4}", plan.context);
  text +=
      fmt::format(" {:>4} {:>4} {:>5} {:>6} x {:<5} {:<14} {:>11.3f} {:>10.0f} {:>6.1f} {:>7.1f}",
                  plan.pipeline, plan.expert, plan.data(), plan.micro_batches(), plan.micro_batch,
                  ScheduleText(one.found), end.seconds() * 1e3,
                  TokensPerSecond(one.found.plan, end) / static_cast<double>(plan.gpus),
                  100 * ModelUse(one.found.plan, end), 100 * Share(one.last.computed, end));
  for (const StepPart& part : kParts) {
    if (columns.Has(part))
      text += fmt::format(" {:>5.1f}", 100 * Share(WaitedFor(one.last, part.types), end));
  }
  text += fmt::format(" {:>7.1f}", one.found.memory.total() * 1e-9);
  if (columns.checked)
    text += one.checked > Time{0} ? fmt::format(" {:>11.3f}", one.checked.seconds() * 1e3)
                                  : fmt::format(" {:>11}", "-");
  return text + "\n";
}

std::string Head(const std::string& check, ListColumns columns) {
  std::string text = fmt::format("{:>3} {:>4}", "", "TP");
  if (columns.context) text += fmt::format(" {:>4}", "CP");
  text += fmt::format(" {:>4} {:>4} {:>5} {:>14} {:<14} {:>11} {:>10} {:>6} {:>7}", "PP", "EP",
                      "DP", "micro-batches", "schedule", "step ms", "tokens/s", "MFU %", "comp. %");
  for (const StepPart& part : kParts) {
    if (columns.Has(part)) text += fmt::format(" {:>5}", part.name);
  }
  text += fmt::format(" {:>7}", "GB");
  if (columns.checked) text += fmt::format(" {:>11}", check + " ms");
  return text + "\n";
}

/// " (6 by global_batch, 2 by tp)".
std::string RefusalText(const std::vector<RefusedPlan>& refused) {
  std::string text;
  for (const RefusalKind& kind : CountRefusals(refused))
    text += fmt::format("{}{} by {}", text.empty() ? " (" : ", ", kind.count, kind.key);
  return text.empty() ? text : text + ")";
}

}  // namespace

std::string PlanPathOf(const PlanSearchArguments& given, const PricedPlan& plan) {
  const ParallelPlan& sizes = plan.found.plan.parallel;
  std::string name = fmt::format("tp{}_pp{}_ep{}_mb{}", sizes.tensor, sizes.pipeline, sizes.expert,
                                 sizes.micro_batch);
  if (sizes.context > 1) name += fmt::format("_cp{}", sizes.context);
  if (!plan.found.schedule.empty()) {
    std::string schedule = ScheduleText(plan.found);
    schedule.erase(std::remove(schedule.begin(), schedule.end(), ' '), schedule.end());
    name += "_" + schedule;
  }
  return (std::filesystem::path(given.folder) / name).string();
}

double TokensPerSecond(const StepPlan& plan, Time step) {
  const double tokens =
      static_cast<double>(plan.parallel.global_batch) * static_cast<double>(plan.shape.sequence);
  return tokens / step.seconds();
}

double ModelUse(const StepPlan& plan, Time step) {
  const double peak = plan.speed.gpu.teraflops * 1e12 * static_cast<double>(plan.parallel.gpus);
  return ModelOperations(plan.shape, plan.parallel) / (step.seconds() * peak);
}

std::vector<RefusalKind> CountRefusals(const std::vector<RefusedPlan>& refused) {
  std::vector<RefusalKind> kinds;
  for (const RefusedPlan& one : refused) {
    // "key: found ...", and of schedules "schedule: pipeline.schedule=WORD: ...".
    std::string key = one.why.substr(0, one.why.find(": "));
    if (one.why.find("pipeline.") != std::string::npos) key = "pipeline.schedule";
    const auto same = [&](const RefusalKind& kind) { return kind.key == key; };
    auto at = std::find_if(kinds.begin(), kinds.end(), same);
    if (at == kinds.end()) at = kinds.insert(at, {key, 0, one.why});
    ++at->count;
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const RefusalKind& a, const RefusalKind& b) { return a.count > b.count; });
  return kinds;
}

std::string PlanSearchText(const PricedPlans& priced, std::size_t count,
                           const PlanSearchArguments& given) {
  const std::string& check = given.check;
  const StepPlan& first = priced.plans[0].found.plan;
  const PlanChoices& choices = priced.choices;
  std::string text = fmt::format(
      "model      {}, {} layers; steps of {} sequences of {} on {} GPUs ({}, {:g} GB)\n"
      "plans      {} tried: {} priced, {} beyond the memory {} recomputation, {} not legal{}\n"
      "priced     by closed forms, without collisions and queues{}\n",
      first.shape.name, first.shape.layers, first.parallel.global_batch, first.shape.sequence,
      first.parallel.gpus, first.speed.gpu.name, first.speed.gpu.memory, choices.tried,
      priced.plans.size(), choices.too_large, first.parallel.recompute ? "with" : "without",
      choices.refused.size(), RefusalText(choices.refused),
      check == "none" ? "; --check flow runs the best with them" : "");
  const GpuSpeed& gpu = first.speed.gpu;
  text += fmt::format(
      "memory     up to {:g} GB, {:g} % of a GPU's: the rest is for CUDA's context, NCCL's buffers "
      "and fragmentation (--most-memory)\n",
      given.most_memory * gpu.memory, 100 * given.most_memory);
  if (first.parallel.fp8)
    text += fmt::format(
        "MFU        of the peak in BF16, {:g} TFLOPS, as DeepSeek-V3's in FP8 was published\n",
        gpu.teraflops);
  text += "waiting    in % of the step, of the stage that ends last; tokens/s of a GPU\n";
  const std::size_t listed = std::min(count, priced.plans.size());
  ListColumns columns;
  columns.checked = check != "none";
  for (std::size_t i = 0; i < listed; ++i)
    columns.context = columns.context || priced.plans[i].found.plan.parallel.context > 1;
  text += Head(check, columns);
  for (std::size_t i = 0; i < listed; ++i) text += Row(priced.plans[i], i + 1, columns);
  return text;
}

OrderedJson PlanSearchDocument(const PricedPlans& priced, std::size_t count,
                               const PlanSearchArguments& given) {
  OrderedJson document = JsonDocument("plan search", kPlanSearchSchema);
  const StepPlan& first = priced.plans[0].found.plan;
  document["topology"] = given.fabric;
  document["model"] = first.shape.name;
  document["gpus"] = first.parallel.gpus;
  document["gpu"] = first.speed.gpu.name;
  document["global_batch"] = first.parallel.global_batch;
  document["most_memory_bytes"] = std::llround(given.most_memory * first.speed.gpu.memory * 1e9);
  document["tried"] = priced.choices.tried;
  document["too_large"] = priced.choices.too_large;
  document["refused"] = OrderedJson::array();
  for (const RefusalKind& kind : CountRefusals(priced.choices.refused))
    document["refused"].push_back(
        {{"key", kind.key}, {"plans", kind.count}, {"example", kind.example}});
  document["priced"] = priced.plans.size();
  document["check"] = NullIfEmpty(given.check == "none" ? "" : given.check);
  document["notes"] = priced.notes;
  document["plans"] = OrderedJson::array();
  for (std::size_t i = 0; i < std::min(count, priced.plans.size()); ++i) {
    const PricedPlan& one = priced.plans[i];
    const ParallelPlan& plan = one.found.plan.parallel;
    OrderedJson row = {{"tp", plan.tensor},
                       {"cp", plan.context},
                       {"pp", plan.pipeline},
                       {"ep", plan.expert},
                       {"dp", plan.data()},
                       {"micro_batch", plan.micro_batch},
                       {"micro_batches", plan.micro_batches()},
                       {"schedule", NullIfEmpty(one.found.schedule)},
                       {"chunks", plan.pipeline > 1 ? plan.chunks() : 1},
                       {"step_ps", one.end().ps},
                       {"tokens_per_second", TokensPerSecond(one.found.plan, one.end())},
                       {"mfu", ModelUse(one.found.plan, one.end())},
                       {"computing", Share(one.last.computed, one.end())}};
    for (const StepPart& part : kParts) {
      std::string key = part.name;
      std::transform(key.begin(), key.end(), key.begin(),
                     [](char letter) { return static_cast<char>(letter | 0x20); });
      row["waited_" + key] = Share(WaitedFor(one.last, part.types), one.end());
    }
    row["memory_bytes"] = std::llround(one.found.memory.total());
    row["checked_ps"] = one.checked > Time{0} ? OrderedJson(one.checked.ps) : OrderedJson();
    row["plan"] = PlanPathOf(given, one) + ".toml";
    document["plans"].push_back(std::move(row));
  }
  return document;
}

}  // namespace heddle
