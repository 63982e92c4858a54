// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/serving_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/options/enum_words.h"

namespace heddle {
namespace {

std::string DistributionLine(const char* name, const Latencies& of) {
  constexpr double kMs = 1e-9;
  if (of.count == 0) return fmt::format("{:<16} none\n", name);
  return fmt::format("{:<16} {:>11.3f} {:>11.3f} {:>11.3f} {:>11.3f} {:>11.3f}\n", name,
                     of.mean * kMs, of.p50 * kMs, of.p90 * kMs, of.p99 * kMs, of.most * kMs);
}

std::string Distributions(const ServingFigures& figures) {
  std::string text = fmt::format("{:<16} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "[ms]", "mean",
                                 "p50", "p90", "p99", "most");
  text += DistributionLine("TTFT", figures.ttft) + DistributionLine("TPOT", figures.tpot) +
          DistributionLine("ITL", figures.itl) + DistributionLine("E2EL", figures.e2el) +
          DistributionLine("queue", figures.queue) + DistributionLine("prefill", figures.prefill);
  if (figures.transfer.count == 0) return text;
  return text + DistributionLine("wait for room", figures.room) +
         DistributionLine("KV transfer", figures.transfer);
}

std::string PoolLine(const PoolTotals& pool, const std::string& name) {
  return fmt::format(
      "pool {:<11} {} x {} GPU{}, {}: busy {:.1f} %, {} steps, {} tokens computed, KV memory at "
      "most {:.1f} % of {} blocks, {} preempted\n",
      name, pool.instances, pool.gpus, pool.gpus == 1 ? "" : "s", ToText(pool.role),
      100 * pool.busy, pool.steps, pool.computed,
      100.0 * static_cast<double>(pool.most_blocks) / static_cast<double>(pool.blocks), pool.blocks,
      pool.preempted);
}

std::string GoodLine(const ServingOutcome& outcome) {
  if (!outcome.input.slo.any()) return "";
  const double seconds = outcome.figures.duration().seconds();
  std::string limits;
  const std::pair<const char*, const std::optional<Time>&> all[] = {
      {"TTFT", outcome.input.slo.ttft},
      {"TPOT", outcome.input.slo.tpot},
      {"E2EL", outcome.input.slo.e2el}};
  for (const auto& [name, limit] : all) {
    if (limit)
      limits += fmt::format("{}{} at most {}", limits.empty() ? "" : ", ", name, ToText(*limit));
  }
  return fmt::format("goodput          {} of {} requests, {:.3f} requests/s ({})\n", outcome.good,
                     outcome.figures.requests,
                     seconds > 0 ? static_cast<double>(outcome.good) / seconds : 0, limits);
}

std::string HowSent(const ServingOutcome& outcome) {
  constexpr const char* kWhen[] = {"when a prompt was computed", "after each step of a prompt",
                                   "as layers were computed"};
  const char* when = kWhen[static_cast<int>(outcome.input.plan.kv_transfer)];
  if (outcome.input.backend.empty())
    return fmt::format(
        "transfers were priced by closed forms, each as if it were alone: no queues, no "
        "collisions; sent {}",
        when);
  return fmt::format("transfers were messages on the fabric (backend {}), sent {}",
                     outcome.input.backend, when);
}

/// How the collectives of steps were timed.
std::string HowStepped(const ServingOutcome& outcome) {
  const ServingInput& input = outcome.input;
  const auto any = [&](auto holds) {
    return std::any_of(input.plan.instances.begin(), input.plan.instances.end(), holds);
  };
  const bool leaves = any([](const InstancePlan& of) { return of.collectives.leaves_groups(); });
  if (!leaves) return "within NVSwitches, priced by closed forms";
  const bool sends = any([](const InstancePlan& of) { return of.sends_in_steps(); });
  if (input.backend.empty() || !sends)
    return "priced by closed forms, between servers too: no queues, no collisions";
  return fmt::format(
      "{} bytes between servers as messages on the fabric (backend {}), within NVSwitches priced "
      "by closed forms",
      outcome.step_bytes, input.backend);
}

std::string CollectivesLine(const ServingOutcome& outcome) {
  const std::vector<InstancePlan>& instances = outcome.input.plan.instances;
  const bool any = std::any_of(instances.begin(), instances.end(), [](const InstancePlan& of) {
    return of.collectives.operations() > 0;
  });
  if (!any) return "";
  Time busy, collectives;
  for (const InstanceTotals& totals : outcome.totals) {
    busy += totals.busy;
    collectives += totals.collectives;
  }
  return fmt::format("collectives      {:.1f} % of the time in steps; {}\n",
                     busy > Time{} ? 100 * collectives.seconds() / busy.seconds() : 0.0,
                     HowStepped(outcome));
}

std::string RouterLine(const ServingInput& input) {
  const std::string weight = input.plan.router == RouterKind::kKvAware
                                 ? fmt::format(", overlap weight {}", input.plan.overlap_weight)
                                 : "";
  return fmt::format("router           {}{}{}\n", ToText(input.plan.router), weight,
                     input.deployment.router ? "" : " (default)");
}

/// What the prefix caches had, or why they had nothing.
std::string CacheLine(const ServingOutcome& outcome) {
  const ServingInput& input = outcome.input;
  if (!input.deployment.prefix_cache) return "prefix cache     off\n";
  if (!input.names_blocks())
    return "prefix cache     no hits: the requests do not name the blocks of their prompts\n";
  const CachedTokens tokens = CachedOf(outcome);
  const auto share = [&](std::int64_t count) {
    return tokens.prompts > 0
               ? 100 * static_cast<double>(count) / static_cast<double>(tokens.prompts)
               : 0.0;
  };
  std::string text =
      fmt::format("prefix cache     {} of {} prompt tokens ({:.1f} %) were there, and not computed",
                  tokens.cached, tokens.prompts, share(tokens.cached));
  if (!input.plan.Decoders().empty())
    text += fmt::format("; {} ({:.1f} %) were at the decode instance, and not sent", tokens.unsent,
                        share(tokens.unsent));
  return text + "\n";
}

}  // namespace

std::vector<PoolTotals> TotalsOfPools(const ServingOutcome& outcome) {
  std::vector<PoolTotals> pools(outcome.input.plan.pools.size());
  const double seconds = outcome.figures.duration().seconds();
  for (const InstanceTotals& totals : outcome.totals) {
    const InstancePlan& instance = outcome.input.plan.instances[totals.instance];
    PoolTotals& pool = pools[instance.pool];
    pool.name = outcome.input.plan.pools[instance.pool];
    pool.role = instance.role;
    ++pool.instances;
    pool.gpus = static_cast<std::int64_t>(instance.gpus.size());
    pool.blocks = instance.blocks;
    pool.steps += totals.steps;
    pool.computed += totals.computed;
    pool.generated += totals.generated;
    pool.preempted += totals.preempted;
    pool.cached += totals.cached;
    pool.most_blocks = std::max(pool.most_blocks, totals.most_blocks);
    pool.busy += totals.busy.seconds();
    pool.collectives += totals.collectives.seconds();
  }
  for (PoolTotals& pool : pools) {
    pool.collectives = pool.busy > 0 ? pool.collectives / pool.busy : 0;
    pool.busy = seconds > 0 ? pool.busy / (seconds * static_cast<double>(pool.instances)) : 0;
  }
  return pools;
}

CachedTokens CachedOf(const ServingOutcome& outcome) {
  CachedTokens found;
  for (std::size_t i = 0; i < outcome.times.size(); ++i) {
    const RequestTimes& one = outcome.times[i];
    if (one.begun < Time{}) continue;
    found.prompts += outcome.input.requests[i].input;
    found.cached += one.cached;
    found.unsent += one.unsent;
  }
  return found;
}

std::string ServingText(const ServingOutcome& outcome) {
  const ServingFigures& figures = outcome.figures;
  const double seconds = figures.duration().seconds();
  std::string text = fmt::format(
      "requests         {} of {} finished in {:.3f} s ({}), {} rejected\n"
      "tokens           {} in, {} out, {:.1f} out/s\n",
      figures.finished, figures.requests, seconds, outcome.input.source, figures.rejected,
      figures.input_tokens, figures.output_tokens,
      seconds > 0 ? static_cast<double>(figures.output_tokens) / seconds : 0);
  text += fmt::format("model            {} on {}\n", outcome.input.plan.model.name,
                      outcome.input.deployment.gpu.name);
  text += RouterLine(outcome.input) + CacheLine(outcome);
  for (const PoolTotals& pool : TotalsOfPools(outcome)) text += PoolLine(pool, pool.name);
  text += Distributions(figures) + GoodLine(outcome) + CollectivesLine(outcome);
  if (outcome.sent_bytes == 0) return text;
  return text +
         fmt::format("KV sent          {} bytes; {}\n", outcome.sent_bytes, HowSent(outcome));
}

}  // namespace heddle
