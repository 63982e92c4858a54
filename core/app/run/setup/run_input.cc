// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/run_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/app/base/cli/file_digest.h"
#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/arguments/astra_files.h"
#include "core/app/run/arguments/physical_arguments.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/app/run/setup/custom_algorithms.h"
#include "core/app/run/setup/hardware_setup.h"
#include "core/app/run/setup/job_setup.h"
#include "core/app/run/setup/profile_file.h"
#include "core/app/run/setup/replay_choice.h"
#include "core/app/run/setup/transport_agreement.h"
#include "core/checkpoint/checkpoint_file.h"
#include "io/astra/astra_system.h"
#include "io/input/calibration_csv.h"
#include "io/input/failure_csv.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/pipeline/pipeline_file.h"
#include "io/simai/simai_conf.h"
#include "topology/graph/gpu_types.h"
#include "topology/scale_up/direct_link_routing.h"
#include "topology/scale_up/nvlink_level.h"
#include "topology/scale_up/nvswitch_planes.h"
#include "transport/domain/replay/replay_refusal.h"

namespace heddle {
namespace {

/// Sets options from all sources; later ones override earlier ones: configuration file, variables,
/// flags.
void SetOptions(const RunArguments& run, const Environment& environment, RunInput* input) {
  if (KindOfFile(run.conf) == FileKind::kSystem) {
    input->system_format = ReadAstraSystem(run.conf, &input->options).Text();
  } else if (!run.conf.empty()) {
    ReadSimaiConf(run.conf, &input->options);
  }
  ApplyEnvironment(environment, &input->options, &input->environment, &input->warnings);
  input->options.SetAll(run.settings);
}

void ReadFailures(const RunArguments& run, RunInput* input) {
  std::vector<FailureEvent>& events = input->failure_events;
  if (!run.failures.empty()) events = ReadFailureCsv(run.failures);
  if (const auto down = ParseLinkDown(input->transport.link_down)) events.push_back(*down);
  FindNamedNodes(*input->graph, &events);
}

/// Lets the NVSwitches of a server act as one, unless some fail.
void JoinPlanes(RunInput* input) {
  JoinedPlanes joined = JoinNvSwitches(*input->graph);
  if (joined.graph == nullptr) return;
  const auto is_nvswitch = [&](NodeId node) {
    return node.valid() && node.value < input->graph->node_count() &&
           input->graph->kind(node) == NodeKind::kNvSwitch;
  };
  for (const FailureEvent& event : input->failure_events) {
    if (!is_nvswitch(event.a) && !is_nvswitch(event.b)) continue;
    input->warnings.push_back(
        "nvlink.spray: NVLinks fail, so messages take one NVSwitch each, in turn");
    return;
  }
  input->graph = std::move(joined.graph);
  input->joined_planes = fmt::format("{} NVSwitches act as one in {} server{} (nvlink.spray)",
                                     joined.most, joined.servers, joined.servers == 1 ? "" : "s");
}

void ReadCalibration(const RunArguments& run, RunInput* input) {
  if (run.calibration.empty()) return;
  input->calibration = ReadAs(FileKind::kCalibration, run.calibration, [&] {
    return ParseCalibration(ReadTextFile(run.calibration), Printable(run.calibration));
  });
}

/// Reads the deployment and its requests; jobs are known. Throws UserError for schedules beside it.
void ReadServing(const RunArguments& run, RunInput* input) {
  if (!input->schedules.empty())
    throw UserError(
        "--serve beside --job goal=FILE: only jobs of collectives go beside requests. Expected: "
        "--job workload=FILE,...");
  std::vector<NodeId> others;
  for (const Job& job : input->jobs) others.insert(others.end(), job.gpus.begin(), job.gpus.end());
  input->serving = LoadServing(run.deployment, run.serving, run.seed, *input->graph, others);
  input->serving->backend = run.backend;
  for (const std::string& warning : input->serving->warnings) input->warnings.push_back(warning);
}

void ReadTraffic(const RunArguments& run, RunInput* input) {
  const TrafficSource& source = SourceOf(run);
  const std::string path = source.FileOf(source.Given(run)[0]);
  const FlowFile file{path,
                      *input->graph,
                      input->transport.send_latency,
                      run.start_unit,
                      static_cast<std::uint64_t>(input->goal_window.operations),
                      &input->warnings};
  if (source.read != nullptr) {
    input->flows = source.read(file);
  } else if (source.read_schedule != nullptr) {
    GoalJob& job = input->schedules.emplace_back();
    job.schedule = source.read_schedule(file);
    for (std::uint32_t rank = 0; rank < job.schedule.ranks.size(); ++rank)
      job.gpus.emplace_back(rank);
  } else if (!source.serves) {
    input->jobs =
        LoadJobs(run, *input->graph, input->collectives, {input->chakra_window, input->goal_window},
                 input->algorithms, &input->schedules, &input->warnings);
  }
  if (!run.deployment.empty()) ReadServing(run, input);
}

/// Whether replays may be chosen for a run of jobs (engine.replay=auto).
bool MayChooseReplay(const RunArguments& run, const RunInput& input) {
  return run.backend == "packet" && run.engine == "domain" && run.profile.empty() &&
         WhyNoReplay(input.transport, *input.graph, !input.failures.empty()).empty();
}

/// What `--grain auto` groups domains for: this run, or that of the checkpoint from which it
/// continues; returns whether it does. Decides on engine.replay=auto. Throws UserError if the
/// checkpoint cannot be read.
bool PlanAutomaticGrain(const RunArguments& run, std::uint32_t ranks, RunInput* input) {
  DomainOptions& grouping = input->grouping;
  grouping.ranks = ranks;
  const bool automatic = run.grain == "auto" && run.profile.empty();
  bool by_segment = automatic;
  std::error_code ignored;
  const bool goes_on =
      !run.checkpoint.restart.empty() && std::filesystem::exists(ManifestPath(run.output), ignored);
  if (goes_on) {
    const CheckpointManifest manifest = ReadManifest(run.output);
    grouping.ranks = manifest.grouping_ranks;
    grouping.segment_domains = manifest.segment_domains;
    by_segment = grouping.segment_domains > 0;
  }
  ReplayOptions& replay = input->transport.replay;
  if (input->jobs.empty() || replay.replay == ReplayOptions::Replay::kOff) return goes_on;
  const IslandShares shares = FindIslandShares(*input->graph, input->jobs, input->collectives);
  std::uint32_t domains = 0;
  if (by_segment) {
    domains = goes_on ? grouping.segment_domains
                      : PlanSegmentDomains(shares, ranks, CountSegments(*input->graph));
  }
  const bool leaves = domains > 0 || (!automatic && grouping.grain == 0);
  replay.chosen = MayChooseReplay(run, *input) && IsWorthReplaying(shares, leaves);
  if (!goes_on && replay.on()) grouping.segment_domains = domains;
  return goes_on;
}

/// Fewer domains than ranks: the first ranks have one each.
void AssignOneEach(bool goes_on, std::uint32_t ranks, RunInput* input) {
  const auto domains = static_cast<std::uint32_t>(input->domains.nodes.size());
  for (std::uint32_t i = 0; i < domains; ++i) input->assignment.push_back(RankId(i));
  // The state of a domain in a checkpoint cannot be divided.
  const std::string why =
      !goes_on ? fmt::format(
                     "engine.replay keeps servers together with their leaf switches, which makes "
                     "{} of the fabric (--grain 1 uses all ranks)",
                     domains == 1 ? "one domain" : fmt::format("{} domains", domains))
               : fmt::format("--restart: the run began in {}",
                             domains == 1 ? "one domain" : fmt::format("{} domains", domains));
  input->warnings.push_back(
      fmt::format("{}; {} of the {} ranks have nothing to do", why, ranks - domains, ranks));
}

/// Sends of ASTRA-sim end when their messages have arrived, which their GPUs know at once.
bool NeedsOneDomain(const RunInput& input) {
  return std::any_of(input.jobs.begin(), input.jobs.end(), [](const Job& job) {
    return job.program.graph != nullptr && job.program.graph->sends_until_arrival;
  });
}

/// Divides the fabric into domains and assigns them to ranks. A profile is most detailed if every
/// server and switch is a domain.
void MakeCut(const RunArguments& run, std::uint32_t ranks, RunInput* input) {
  const bool finest = !run.profile.empty() && run.grain == "auto";
  input->grouping.grain = finest ? 1 : ParseGrain(run.grain);
  input->grouping.lookahead = ParseTime(run.lookahead);
  if (NeedsOneDomain(*input)) input->grouping.grain = 0;
  const bool goes_on = PlanAutomaticGrain(run, ranks, input);
  input->domains = MakeDomains(*input->graph, input->grouping);
  if (!run.profile.empty()) input->topology_digest = InputDigest(run.topology);
  std::vector<std::int64_t> weights;
  if (!run.weights.empty()) {
    weights =
        MeasuredWeights(ReadProfileOf(run.weights, run.topology), *input->graph, input->domains);
  }
  if (NeedsOneDomain(*input) && ranks > 1) {
    input->assignment.emplace_back(0);
    input->warnings.push_back(
        fmt::format("chakra.slots=astra-sim: sends that end when they have arrived make one domain "
                    "of the fabric; {} of the {} ranks have nothing to do",
                    ranks - 1, ranks));
    return;
  }
  if (input->grouping.segment_domains > 0 && input->domains.nodes.size() < ranks) {
    AssignOneEach(goes_on, ranks, input);
    return;
  }
  input->assignment =
      AssignDomains(*input->graph, input->domains, ranks, run.partitioner, run.seed, weights);
}

/// Throws UserError: collectives have lasting connections, and the controller chooses the ports.
void CheckConnections(const RunInput& input) {
  if (input.jobs.empty() || !input.collectives.lasting() || !input.transport.controller.enabled)
    return;
  throw UserError(
      "collective.connections=lasting: the central controller gives each message source ports of "
      "its own. Expected: collective.connections=message, or controller.enable=false");
}

/// Throws UserError if the switches that are to add cannot.
void LetSwitchesAdd(RunInput* input) {
  if (!input->transport.aggregation.any()) return;
  if (input->transport.protocol != TransportOptions::Protocol::kRoce) {
    throw UserError(
        "aggregation.switches=all: switches add what comes by RoCE only. Expected: "
        "transport.protocol=roce, or aggregation.switches=none");
  }
  input->transport.aggregation.Apply(input->transport.payload, input->graph.get());
}

}  // namespace

void LoadRun(const RunArguments& run, std::uint32_t ranks, const Environment& environment,
             RunInput* input) {
  CheckAstraFiles(run);
  SetOptions(run, environment, input);
  FabricInput fabric = ReadFabric(run.topology, run.routing);
  input->graph = std::move(fabric.graph);
  input->fabric_format = std::move(fabric.format);
  for (std::string& warning : fabric.warnings) input->warnings.push_back(std::move(warning));
  const bool has_collectives = SourceOf(run).has_jobs();
  if (has_collectives) {
    input->applied_like =
        ApplyLike({input->like, run.conf, environment, run.settings,
                   input->graph->nvswitch_count() > 0, input->transport.controller.enabled,
                   MostNicPorts(*input->graph), HasNvSwitchPlanes(*input->graph)},
                  &input->options);
    FitToHardware(HardwareOf(*input->graph, fabric.infiniband), &input->options,
                  &input->collectives);
  }
  if (has_collectives) input->applied_plans = ApplyPlans(run, &input->options);
  if (has_collectives) LoadCustomAlgorithms(&input->collectives);
  if (has_collectives) LoadPipelineTable(&input->collectives.pipeline);
  ReadFailures(run, input);
  if (input->transport.nvlink.spray) JoinPlanes(input);
  input->failures = ExpandFailures(*input->graph, input->failure_events);
  if (input->transport.nvlink.credits())
    PutNvLinksOnLevel(input->transport.nvlink.Level(), input->graph.get());
  if (fabric.tables == nullptr) {
    input->passing_servers = LetGpusPassOn(input->transport.nvlink.Level(), input->graph.get());
  }
  CheckTransport(input->transport);
  LetSwitchesAdd(input);
  if (fabric.tables != nullptr) CheckOnTables(input->transport);
  const std::string note = GpuTypeNote(input->graph->gpu_type());
  const bool asks_for_nvls =
      input->collectives.nvls && !input->applied_like.sets("algorithm.choice");
  if (asks_for_nvls && !note.empty()) input->warnings.push_back("topology: " + note);
  if (input->transport.monitors.any() && run.output.empty()) {
    throw UsageError(
        "monitor.kinds asks for samples, and there is no result to write them to. Expected: -o "
        "FILE");
  }
  ReadCalibration(run, input);
  ReadTraffic(run, input);
  CheckConnections(*input);
  if (!IsPhysical(run)) MakeCut(run, ranks, input);  // else core/app/run/setup/physical_setup.h
}

}  // namespace heddle
