// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/workload/workload_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/base/cli/output_text.h"
#include "core/options/quantity_text.h"
#include "io/workload_model/memory_use.h"
#include "io/workload_model/step_summary.h"

namespace heddle {
namespace {

std::string Row(const char* name, const std::string& text) {
  return fmt::format("{:<11}{}\n", name, text);
}

/// "12.85 G", "46.70 G", "671.03 G", "85.21 M".
std::string CountText(std::int64_t count) {
  return count >= 1'000'000'000 ? fmt::format("{:.2f} G", static_cast<double>(count) * 1e-9)
                                : fmt::format("{:.2f} M", static_cast<double>(count) * 1e-6);
}

/// "1 replica", "8 replicas".
std::string Counted(std::int64_t count, const std::string& what, const char* plural) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : plural);
}

std::string BytesText(double bytes) { return ToText(Bytes{static_cast<std::int64_t>(bytes)}); }

std::string ShapeText(const StepPlan& request) {
  const ModelShape& shape = request.whole;
  const ParameterCount count = CountParameters(shape);
  std::string text = fmt::format("{}: {} layers, hidden {}, {} heads", shape.name, shape.layers,
                                 shape.hidden, shape.heads);
  if (shape.kv_heads != shape.heads) text += fmt::format(" ({} of keys)", shape.kv_heads);
  text += fmt::format(", MLP {}", shape.ffn);
  if (shape.has_experts())
    text += fmt::format(", {} of {} experts of {}", shape.top_k, shape.experts, shape.expert_ffn);
  text += fmt::format(", {} words, sequences of {}", shape.vocabulary, shape.sequence);
  std::string rows = Row("model", text);
  text = CountText(count.total()) + " parameters";
  if (shape.has_experts()) text += fmt::format(", {} for each token", CountText(count.active()));
  return rows + Row("", text);
}

/// "53.8 GB with gradients and optimizer, without activations", and with them.
std::string MemoryRows(const StepPlan& request) {
  const MemoryUse use = MemoryOf(request.shape, request.parallel);
  std::string rows =
      Row("", fmt::format("{:.1f} GB with gradients and optimizer, without activations",
                          (use.total() - use.activations) * 1e-9));
  return rows +
         Row("", fmt::format("{:.1f} GB with activations of {:.4g} micro-batch{} at once, "
                             "{}; {} has {:g} GB",
                             use.total() * 1e-9, use.open_micro_batches,
                             use.open_micro_batches == 1 ? "" : "es",
                             request.parallel.recompute ? "layers recomputed from their inputs"
                                                        : "nothing recomputed",
                             request.speed.gpu.name, request.speed.gpu.memory));
}

std::string PlanText(const StepPlan& request) {
  const ParallelPlan& plan = request.parallel;
  std::string text =
      fmt::format("{} GPUs: TP {} DP {} PP {}", plan.gpus, plan.tensor, plan.data(), plan.pipeline);
  if (plan.context > 1) text += fmt::format(" CP {} ({})", plan.context, ToText(plan.exchange));
  if (request.shape.has_experts())
    text += fmt::format(" EP {} DP_EP {}", plan.expert, plan.data_expert());
  text += fmt::format("; sequence parallel {}, ZeRO {}{}, rules of {}",
                      plan.splits_sequence() ? "yes" : "no", plan.zero,
                      plan.overlap_gradients ? ", gradients overlap" : ", gradients at the end",
                      plan.rules == LineRules::kAicb ? "AICB" : "Megatron-LM");
  const HeldParameters held = LayerWork(request.shape, plan).StageParameters();
  std::string rows = Row("groups", text);
  text = fmt::format("a GPU holds {} parameters", CountText(held.common + held.experts));
  if (held.experts > 0) text += fmt::format(", {} of them experts'", CountText(held.experts));
  rows += Row("", text);
  rows += MemoryRows(request);
  rows += Row("batch", fmt::format("{} sequences: {} of {} for each of {}", plan.global_batch,
                                   Counted(plan.micro_batches(), "micro-batch", "es"),
                                   plan.micro_batch, Counted(plan.data(), "replica", "s")));
  if (plan.pipeline > 1) {
    rows += Row("", fmt::format("filling the pipeline of {} stages takes {:.1f} % of a step{}",
                                plan.pipeline, 100 * plan.fill_share(),
                                plan.schedule == "1f1b" ? "" : " by 1F1B"));
  }
  const std::string settings = SettingsText(request);
  return settings.empty() ? rows : rows + Row("sets", settings);
}

std::string ComputeText(const StepPlan& request, const StepSummary& step) {
  const StepSpeed& speed = request.speed;
  std::string peak = fmt::format("{:g} TFLOPS", speed.gpu.teraflops);
  peak += fmt::format(" x {:g}", speed.efficiency);
  if (request.parallel.fp8)
    peak += fmt::format(", in FP8 {:g} x {:g}", speed.gpu.fp8_teraflops, speed.fp8_efficiency);
  std::string from =
      fmt::format("roofline of {}: {}, {:g} GB/s", speed.gpu.name, peak, speed.gpu.bandwidth);
  std::string blocks;
  for (std::size_t i = 0; i < kBlockKinds; ++i) {
    if (speed.table[i])
      blocks += (blocks.empty() ? "" : ", ") + std::string(ToText(static_cast<BlockKind>(i)));
  }
  if (!blocks.empty()) from += "; by the table: " + blocks;
  return Row("compute",
             fmt::format("{:.3f} ms a step and GPU ({})", step.compute_seconds * 1e3, from));
}

/// "4 layers, 8 without experts".
std::string LayersText(const StageLayers& layers, bool has_experts) {
  std::string text = Counted(layers.all(), "layer", "s");
  if (has_experts && layers.dense > 0) text += fmt::format(", {} without experts", layers.dense);
  return text;
}

/// What each part of the pipeline has, and how long it computes; empty: all stages are alike.
std::string StagesText(const StepPlan& request, const Workload& workload) {
  const ParallelPlan& plan = request.parallel;
  if (!plan.has_unlike_stages()) return "";
  std::string rows;
  const auto add = [&](PipelinePart part, const char* name) {
    std::string text =
        LayersText(StageLayersOf(request.shape, plan, part), request.shape.has_experts());
    if (plan.has_embedding(part)) text = "embedding, " + text;
    if (plan.has_output(part)) text += ", output layer and loss";
    rows += Row(rows.empty() ? "stages" : "",
                fmt::format("{:<7}{:9.3f} ms of computing: {}", name,
                            Summarize(workload, plan, part).compute_seconds * 1e3, text));
  };
  add(PipelinePart::kFirst, "first");
  if (plan.pipeline > 2) add(PipelinePart::kMiddle, "others");
  add(PipelinePart::kLast, "last");
  return rows;
}

/// Gradients are reduced over the ranks of CP, too.
const char* NameOf(GroupType group, const ParallelPlan& plan) {
  return group == GroupType::kData && plan.context > 1 ? "DP_CP" : ToText(group);
}

std::string TrafficText(const StepPlan& request, const StepSummary& step) {
  std::string rows;
  for (int i = 0; i < kGroupTypes; ++i) {
    const auto group = static_cast<GroupType>(i);
    const GroupTraffic& traffic = step.of(group);
    if (traffic.collectives == 0) continue;
    const bool messages = group == GroupType::kPipeline;
    rows += Row(rows.empty() ? "bytes" : "",

                fmt::format("{:<6}{:>10} {:<12} buffers of {:>10}, a GPU sends {:>10} a step",
                            NameOf(group, request.parallel),
                            GroupedDigits(static_cast<std::uint64_t>(traffic.collectives)),
                            messages ? "messages," : "collectives,",
                            BytesText(traffic.buffer_bytes), BytesText(traffic.sent_bytes)));
  }
  return rows.empty() ? Row("bytes", "none") : rows;
}

/// Bytes that each GPU sends among replicas for each second that it computes: what is to be hidden.
double GradientRate(const StepSummary& step) {
  return (step.of(GroupType::kData).sent_bytes + step.of(GroupType::kDataExpert).sent_bytes) /
         step.compute_seconds;
}

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/// "8.1 times as long by computing, 7.8 to 11.0 times by bytes": without messages between stages,
/// which are as many and as large.
std::string FactorText(const StepSummary& part, const StepSummary& whole) {
  std::string text = fmt::format("{:.1f} times as long by computing",
                                 whole.compute_seconds / part.compute_seconds);
  double least = 0, most = 0;
  for (int i = 0; i < kGroupTypes; ++i) {
    const auto group = static_cast<GroupType>(i);
    if (group == GroupType::kPipeline || part.of(group).sent_bytes <= 0) continue;
    const double factor = whole.of(group).sent_bytes / part.of(group).sent_bytes;
    least = least == 0 ? factor : std::min(least, factor);
    most = std::max(most, factor);
  }
  if (most > 0) text += fmt::format(", {:.1f} to {:.1f} times by bytes", least, most);
  return text;
}

/// What the layers that are left out change.
std::string PartText(const StepPlan& request, const StepSummary& part) {
  const StepSummary whole =
      Summarize(MakeStepWorkload(request.whole, request.parallel, request.speed), request.parallel);
  std::string text =
      fmt::format("{} of {} layers are {:.2f} % of the step's computing", request.shape.layers,
                  request.whole.layers, Percent(part.compute_seconds, whole.compute_seconds));
  for (int i = 0; i < kGroupTypes; ++i) {
    const auto group = static_cast<GroupType>(i);
    if (whole.of(group).sent_bytes > 0)
      text += fmt::format(", {:.2f} % of {}'s bytes",
                          Percent(part.of(group).sent_bytes, whole.of(group).sent_bytes),
                          ToText(group));
  }
  std::string rows = Row("scale", text) + Row("", "the whole step: " + FactorText(part, whole));
  const double rate = GradientRate(part), whole_rate = GradientRate(whole);
  if (whole_rate > 0) {
    text = fmt::format(
        "gradients and parameters: {:.1f} GB to be sent for each second of computing, of the whole "
        "model {:.1f}",
        rate * 1e-9, whole_rate * 1e-9);
    if (request.parallel.overlap_gradients)
      text += rate > whole_rate ? ": a smaller part can be hidden" : ": as much can be hidden";
    rows += Row("", text);
  }
  if (request.parallel.pipeline > 1) {
    rows += Row("", fmt::format("pipeline: filling it stays {:.1f} % of a step; messages "
                                "between stages weigh {:.1f} times as much beside it",
                                100 * request.parallel.fill_share(),
                                whole.compute_seconds / part.compute_seconds));
  }
  return rows + Row("",
                    "embedding and output layer stay whole; times of single collectives are "
                    "those of the whole model");
}

std::string NextText(const StepPlan& request, const std::string& file) {
  const std::string name = IsStandardOutput(file) || file.empty() ? "WORKLOAD" : file;
  return Row("next", fmt::format("heddle topo spectrum-x --gpus {} --oversubscription 1 -o "
                                 "fabric.txt",
                                 request.parallel.gpus)) +
         Row("", fmt::format("heddle run -n fabric.txt -w {} --estimate", name));
}

}  // namespace

std::string SettingsText(const StepPlan& request) {
  std::string text;
  for (const PlanSetting& setting : request.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", setting.option, setting.value);
  return text;
}

std::string WorkloadSummary(const StepPlan& request, const Workload& workload,
                            const std::string& file) {
  const StepSummary step = Summarize(workload, request.parallel);
  std::string text = ShapeText(request) + PlanText(request) + ComputeText(request, step) +
                     StagesText(request, workload) + TrafficText(request, step);
  if (request.is_part()) text += PartText(request, step);
  return text + NextText(request, file);
}

}  // namespace heddle
