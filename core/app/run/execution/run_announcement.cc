// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/run_announcement.h"

#include <fmt/format.h>

#include "core/app/base/cli/commands.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/app/run/setup/custom_algorithms.h"
#include "core/app/run/setup/job_setup.h"
#include "core/options/enum_words.h"
#include "core/options/options.h"

namespace heddle {
namespace {

std::string SampleText(FlowSample sample) {
  if (sample.all()) return "";
  return sample.none() ? ", not kept one by one (--record flows=all)"
                       : fmt::format(", one in {} kept", sample.every);
}

std::string TopologyLine(const std::string& name, const Graph& graph) {
  return fmt::format("topology         {}: {} GPUs, {} NVSwitches, {} switches, {} links\n", name,
                     graph.gpu_count(), graph.nvswitch_count(), graph.switch_count(),
                     graph.links().size());
}

/// What files of other programs were taken for.
std::string FormatLines(const PlannedRun& run) {
  std::string text;
  const RunInput& input = run.input;
  for (const auto& [file, format] : {std::pair(run.arguments.topology, input.fabric_format),
                                     std::pair(run.arguments.conf, input.system_format)}) {
    if (!format.empty()) text += fmt::format("read as          {}: {}\n", file, format);
  }
  return text;
}

std::string ServesText(const ServingInput& serving) {
  return fmt::format("serves           {}: {} instances, {} requests ({})", serving.deployment.file,
                     serving.plan.instances.size(), serving.requests.size(), serving.source);
}

std::string TrafficLines(const PlannedRun& run) {
  const RunInput& input = run.input;
  const std::string sample = SampleText(run.sample);
  if (run.backend.carries_collectives()) return DescribeJobs(input.jobs);
  if (!input.jobs.empty() || !run.arguments.jobs.empty())
    return fmt::format("{}{}{}flows            {}{}\n", DescribeJobs(input.jobs),
                       DescribeSchedules(input.schedules, input.jobs.size()),
                       input.serving != nullptr ? ServesText(*input.serving) + "\n" : "", run.flows,
                       sample);
  if (!input.schedules.empty()) {
    const GoalSchedule& schedule = input.schedules[0].schedule;
    return fmt::format("schedule         {}: {} ranks, {} operations, {} flows, {}{}\n",
                       schedule.file, schedule.ranks.size(), schedule.CountOperations(), run.flows,
                       ToText(run.trace_bytes), sample);
  }
  if (input.serving != nullptr)
    return fmt::format("{}, {} flows, {}{}\n", ServesText(*input.serving), run.flows,
                       ToText(run.trace_bytes), sample);
  return fmt::format("flows            {}: {} flows, {}{}\n",
                     SourceOf(run.arguments).Given(run.arguments)[0], input.flows.size(),
                     ToText(run.trace_bytes), sample);
}

/// What delays the messages of collectives before they start, as the default is SimAI's.
std::string LatencyLine(const RunInput& input) {
  if (input.jobs.empty()) return "";
  const PhasedOptions& phased = input.collectives.phased;
  if (phased.on()) {
    return fmt::format(
        "collectives      in phases ({}{}), {} chunks, endpoint delay {} (phases.*, chunks.*{})\n",
        ToText(phased.collectives), phased.is_logical() ? " over " + phased.layout : "",
        phased.splits, ToText(input.collectives.Resolved().phased.endpoint_delay),
        phased.is_logical() ? ", flow.send_latency" : "");
  }
  if (input.collectives.by_hardware()) {
    return fmt::format("hardware         {}; heddle explain like\n",
                       input.collectives.hardware.Describe());
  }
  if (input.collectives.latency == CollectiveOptions::Latency::kNccl) {
    return "latency          NCCL's, by algorithm, protocol and kind of link "
           "(collective.latency=nccl)\n";
  }
  if (input.collectives.by_simai_table()) {
    return "latency          SimAI 1.7's, by algorithm, protocol and kind of link "
           "(compat.simai=1.7); flow.send_latency replaces it\n";
  }
  return fmt::format(
      "latency          {} before every message, as SimAI's AS_SEND_LAT (flow.send_latency); "
      "collective.latency=nccl: NCCL's\n",
      ToText(input.collectives.send_latency));
}

/// Who chooses algorithms and protocols, if it is not the usual one.
std::string ChoiceLine(const RunInput& input) {
  const CollectiveOptions& collectives = input.collectives;
  if (input.jobs.empty() || collectives.phased.on() || !collectives.as_nccl()) return "";
  const bool no_trees = collectives.collnet && !input.graph->switches_add();
  if (input.applied_like.sets("algorithm.choice") && !no_trees) return "";
  return fmt::format(
      "choice           NCCL's tuner, by predicted time (algorithm.choice=nccl){}\n",
      no_trees ? "; no switch adds (aggregation.switches=all), so CollNet's next best" : "");
}

/// Whom collectives take after, and what follows from it.
std::string LikeLine(const RunInput& input) {
  if (input.jobs.empty()) return "";
  return fmt::format("like             {} (heddle explain like)\n", input.applied_like.Describe());
}

/// What plans have set of the run's options.
std::string PlanLine(const RunInput& input) {
  const std::string set = input.applied_plans.Describe();
  return set.empty() ? "" : "plan             " + set + "\n";
}

/// A note on CAST's weights: they are of paths, which new source ports change; and on who decides
/// what beside the central controller.
std::string CastLine(const RunInput& input) {
  const bool weighs =
      input.transport.requests.casts() && input.transport.nic.qps_per_connection > 1;
  const bool lasting = !input.jobs.empty() && input.collectives.lasting();
  if (!weighs || lasting) return "";
  std::string text;
  if (input.transport.controller.enabled) {
    text =
        "transport        the controller decides which path each queue pair takes, CAST how many "
        "bytes it gets\n";
  }
  text +=
      "transport        messages have source ports of their own, so CAST's weights are of paths "
      "that the next message does not take";
  const bool may_last = !input.jobs.empty() && !input.transport.controller.enabled;
  return text + (may_last ? "; collective.connections=lasting keeps them\n" : "\n");
}

std::string EngineLine(const PlannedRun& run) {
  const Domains& domains = run.input.domains;
  const std::string& weights = run.arguments.weights;
  return fmt::format("engine           {}, {} rank{}, {} domains ({}{}), lookahead {}\n",
                     run.arguments.engine, run.ranks, run.ranks == 1 ? "" : "s",
                     domains.nodes.size(), run.arguments.partitioner,
                     weights.empty() ? "" : ", weighed by " + weights,
                     domains.lookahead == Time::Max() ? "none" : ToText(run.backend.Lookahead()));
}

std::string RanksLine(const PlannedRun& run) {
  const std::uint32_t each = run.arguments.gpus_per_rank;
  return fmt::format("ranks            {}, of {} GPU{} each\n", run.ranks, each,
                     each == 1 ? "" : "s");
}

std::string UnusedKeysLine(const OptionSet& options) {
  std::string keys;
  for (const std::string& key : options.given_but_unused()) keys += (keys.empty() ? "" : " ") + key;
  return keys.empty() ? "" : fmt::format("keys not used    {} (heddle options says why)\n", keys);
}

}  // namespace

std::string Announce(const PlannedRun& run) {
  const RunInput& input = run.input;
  std::string text = VersionText() + "\n" + TopologyLine(run.arguments.topology, *input.graph) +
                     FormatLines(run) + TrafficLines(run);
  if (!run.size.empty()) text += fmt::format("result           {}\n", run.size);
  for (const std::string& line : input.environment)
    text += fmt::format("environment      {}\n", line);
  text += (run.backend.measures() ? RanksLine(run) : EngineLine(run)) + run.backend.Describe() +
          CastLine(input) + LikeLine(input) + PlanLine(input) + ChoiceLine(input) +
          DescribeCustomAlgorithms(input.collectives) +
          (run.backend.measures() ? "" : LatencyLine(input));
  if (!input.joined_planes.empty()) text += "NVLinks          " + input.joined_planes + "\n";
  for (const std::string& line : run.trees) text += fmt::format("aggregation      {}\n", line);
  for (const std::string& line : run.stand_ins) text += fmt::format("programs         {}\n", line);
  if (!input.failures.empty())
    text += fmt::format("failures         {} changes of links\n", input.failures.size());
  return text + UnusedKeysLine(input.options);
}

}  // namespace heddle
