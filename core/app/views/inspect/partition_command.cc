// SPDX-License-Identifier: GPL-2.0-only
/// `heddle partition`: how a topology is partitioned for a number of ranks, and how fast a profiled
/// run would be on them.
#include <algorithm>
#include <memory>
#include <optional>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/on_all_ranks.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/setup/profile_file.h"
#include "core/app/views/inspect/scaling_text.h"
#include "core/mpi/network_probe.h"
#include "partition/cut_report.h"
#include "partition/partition.h"
#include "partition/scaling.h"

namespace heddle {
namespace {

struct PartitionArguments {
  std::string file, partitioner, lookahead = "0ns", grain = "auto", profile, weights,
                                 latency = "2us", bandwidth = "10GB/s";
  std::vector<std::uint32_t> ranks;
  std::uint64_t seed = 1;
  bool measure = false, json = false;
};

void AddArguments(CLI::App* app, PartitionArguments* given) {
  app->add_option("FILE", given->file, "topology file")->required()->type_name("FILE");
  app->add_option("-r,--ranks", given->ranks,
                  "number of ranks; with --predict several, or none: powers of two");
  app->add_option("--partition", given->partitioner,
                  "where domains go (block; with --predict the best of block, pod, metis)")
      ->type_name("block|pod|metis|random");
  app->add_option("--grain", given->grain,
                  "neighbouring domains grouped into one: auto, 0 (all) or a number")
      ->capture_default_str()
      ->type_name("auto|NUMBER");
  app->add_option("--lookahead", given->lookahead,
                  "contract links faster than this; 0ns: automatic")
      ->capture_default_str()
      ->type_name("TIME");
  app->add_option("--seed", given->seed, "seed of the random partitioner")->capture_default_str();
  app->add_option("--weights", given->weights,
                  "balance what domains cost in this profile, instead of their ports' rates")
      ->type_name("PROFILE");
  app->add_option("--predict", given->profile,
                  "how the run of this profile (heddle run --profile) would do")
      ->type_name("PROFILE");
  app->add_option("--latency", given->latency, "of a small message between ranks")
      ->capture_default_str()
      ->type_name("TIME");
  app->add_option("--bandwidth", given->bandwidth, "of a rank's network port, in GB/s or Gbps")
      ->capture_default_str()
      ->type_name("RATE");
  app->add_flag("--measure", given->measure,
                "measure both instead, between the first and the last rank of mpirun");
  AddJsonFlag(app, &given->json);
  app->footer(Examples(
      {"heddle partition fabric.txt -r 4", "heddle partition fabric.txt -r 16 --partition metis",
       "heddle partition fabric.txt --predict profile.json --latency 2us --bandwidth 10GB/s",
       "mpirun -n 2 heddle partition fabric.txt --predict profile.json --weights profile.json "
       "--measure"}));
}

void Check(const PartitionArguments& given) {
  if (given.profile.empty()) {
    if (given.ranks.size() != 1)
      throw UsageError("--ranks: expected one number (several with --predict PROFILE)");
    if (given.measure)
      throw UsageError("--measure belongs to a prediction. Expected: --predict PROFILE");
  }
  for (const std::uint32_t ranks : given.ranks) {
    if (ranks == 0) throw UsageError("--ranks: found 0. Expected: 1 or more");
  }
  if (!given.partitioner.empty()) CheckPartitioner(given.partitioner);
}

/// "10GB/s" or "80Gbps" as bytes per second. Throws UsageError.
double ParseBandwidth(const std::string& text) {
  const std::string end = "B/s";
  const bool bytes =
      text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
  try {
    if (!bytes) return static_cast<double>(ParseBitRate(text).bps) / 8;
    const std::int64_t rate = ParseBytes(text.substr(0, text.size() - 2)).count;
    if (rate > 0) return static_cast<double>(rate);
  } catch (const UserError& error) {
    throw UsageError("--bandwidth: " + std::string(error.what()) + ", or one of B/s, MB/s, GB/s");
  }
  throw UsageError("--bandwidth: found '" + Printable(text) +
                   "'. Expected: a rate above 0, such as 10GB/s or 80Gbps");
}

NetworkModel NetworkOf(const PartitionArguments& given,
                       const std::optional<NetworkFigures>& measured) {
  NetworkModel network;
  if (measured) {
    network.latency_seconds = measured->latency_seconds;
    network.bytes_per_second = measured->bytes_per_second;
    network.batch_seconds = measured->batch_seconds;
    return network;
  }
  network.latency_seconds = ParseTimeFlag("--latency", given.latency).seconds();
  network.bytes_per_second = ParseBandwidth(given.bandwidth);
  return network;
}

/// The fastest forecast among the requested partitioners.
ScalingForecast BestForecast(const RunProfile& profile, const Graph& graph, ScalingPlan plan,
                             const NetworkModel& network, const std::string& partitioner) {
  std::vector<std::string> names = {"block", "pod", "metis"};
  if (!partitioner.empty()) names = {partitioner};
  std::vector<ScalingForecast> forecasts;
  for (const std::string& name : names) {
    plan.partitioner = name;
    forecasts.push_back(Forecast(profile, graph, plan, network));
  }
  return *Fastest(forecasts);
}

/// Prints a text, or the object of --json.
void Predict(const PartitionArguments& given, const NetworkModel& network) {
  const RunProfile profile = ReadProfileOf(given.profile, given.file);
  if (!given.weights.empty() && given.weights != given.profile) {
    throw UsageError("--weights: found another profile than --predict's. Expected: the same");
  }
  const Graph graph = ReadTopology(given.file);
  ScalingPlan plan;
  plan.seed = given.seed;
  plan.grain = ParseGrain(given.grain);
  plan.contraction = ParseTimeFlag("--lookahead", given.lookahead);
  plan.measured_weights = !given.weights.empty();
  const ScalingForecast serial = Forecast(profile, graph, plan, network);
  std::vector<ScalingForecast> forecasts;
  const std::vector<std::uint32_t> all = RanksToTry(DomainsOf(profile, graph).nodes.size());
  for (const std::uint32_t ranks : given.ranks.empty() ? all : given.ranks) {
    plan.ranks = ranks;
    forecasts.push_back(BestForecast(profile, graph, plan, network, given.partitioner));
  }
  const ScalingBasis basis{profile, network, serial.seconds, plan.measured_weights};
  if (given.json) return PrintJson(PartitionJson(ScalingJson(basis, forecasts), nullptr));
  PrintText(ScalingTable(basis, forecasts));
}

/// Prints a text, or the object of --json.
void Report(const PartitionArguments& given) {
  DomainOptions options;
  options.lookahead = ParseTimeFlag("--lookahead", given.lookahead);
  options.grain = ParseGrain(given.grain);
  options.ranks = given.ranks.front();
  const Graph graph = ReadTopology(given.file);
  const Domains domains = MakeDomains(graph, options);
  std::vector<std::int64_t> weights;
  if (!given.weights.empty())
    weights = MeasuredWeights(ReadProfileOf(given.weights, given.file), graph, domains);
  const std::string& name = given.partitioner.empty() ? "block" : given.partitioner;
  const Assignment assignment =
      AssignDomains(graph, domains, options.ranks, name, given.seed, weights);
  const PartitionReport report = AnalysePartition(graph, domains, assignment, options.ranks);
  if (given.json) return PrintJson(PartitionJson(nullptr, ReportJson(report)));
  PrintText(ToText(report));
}

/// Runs under mpirun. Only the root reads and writes files.
int PredictWithMeasuredNetwork(const PartitionArguments& given) {
  return OnAllRanks([&](const Communicator& world) {
    if (world.size() == 1)
      throw UsageError("--measure: there is one rank. Expected: two or more, by mpirun");
    const NetworkFigures figures = ProbeNetwork(world);
    AgreeOnErrors(world, [&] {
      if (world.is_root()) Predict(given, NetworkOf(given, figures));
    });
    return 0;
  });
}

}  // namespace

int PartitionCommand(const std::vector<std::string>& arguments) {
  PartitionArguments given;
  CLI::App app(
      "Report the partition of a topology: domains, links between ranks, load; from a profile, how "
      "fast "
      "a run would be.",
      "partition");
  AddArguments(&app, &given);
  if (!ParseArguments(&app, arguments)) return 0;
  Check(given);
  if (given.measure) return PredictWithMeasuredNetwork(given);
  if (given.profile.empty()) {
    Report(given);
  } else {
    Predict(given, NetworkOf(given, std::nullopt));
  }
  return 0;
}

}  // namespace heddle
