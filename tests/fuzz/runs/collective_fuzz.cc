// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of collectives: random small fabrics, jobs on random GPUs, groups, operations, sizes,
/// algorithms, options and losses.
///
/// Each scenario is either rejected with a UserError, or every program runs to its end, all
/// collectives finish, none is faster than the links of its fastest GPU, and every partition into
/// domains gives the same results, as do runs with monitors however they are cut (cuts.h). Links
/// lose packets, but so few that queue pairs do not give up, and none stays down: so a stall is an
/// error, unless ports that PFC has paused wait for each other in a cycle (drawn fabrics are not
/// free of them), or chunks in phases do (collectives/phased/chunk_deadlock.h; then all flows have
/// ended). Each scenario runs in a child process (apart.h).
///
/// Usage: collective_fuzz COUNT FIRST_SEED: the seeds FIRST_SEED..., one after the other.
///        collective_fuzz show SEED: prints the scenario and tries it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/custom/custom_library.h"
#include "collectives/program/routed_experts.h"
#include "core/base/check.h"
#include "core/base/random.h"
#include "core/engine/engine_session.h"
#include "core/options/options.h"
#include "core/traffic/expert_table.h"
#include "tests/fuzz/apart.h"
#include "tests/fuzz/runs/cuts.h"
#include "tests/fuzz/runs/draw.h"
#include "tests/fuzz/runs/seeds.h"
#include "tests/support/programs/custom_programs.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/temporary_folder.h"
#include "topology/paths/path_tracer.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

struct DrawnJob {
  std::string workload;
  std::vector<NodeId> gpus;  ///< by rank
  Time start;
  std::uint32_t passes = 1;
};

struct Scenario : DrawnFabric {
  std::vector<DrawnJob> jobs;
  std::vector<std::pair<std::string, std::string>> transport, collectives;
  std::uint64_t seed = 1;
};

/// Values of the options of collectives that are not boolean.
const std::map<std::string, std::vector<std::string>>& CollectiveValues() {
  static const std::map<std::string, std::vector<std::string>> values = {
      {"algorithm.choice", {"nccl"}},
      {"algorithm.allreduce",
       {"auto", "fastest", "ring", "tree", "nvls", "nvls_tree", "tree+nvls+nvls_tree",
        "collnet_direct", "collnet_chain", "nvls_collnet", "file:ring.xml"}},
      {"algorithm.alltoall", {"auto"}},
      {"algorithm.allgather",
       {"auto", "fastest", "ring", "nvls", "nvls_tree", "pat", "ring+pat", "collnet_direct"}},
      {"algorithm.reducescatter",
       {"auto", "fastest", "ring", "nvls", "nvls_tree", "pat", "nvls+ring", "collnet_direct"}},
      {"collective.collnet_channels", {"1", "2", "16"}},
      {"collective.collnet_servers", {"1", "2", "4"}},
      {"collective.protocol", {"auto", "none", "ll", "ll128", "simple", "ll+simple"}},
      {"collective.latency", {"send_lat", "nccl", "hardware"}},
      {"collective.window", {"0ps", "1us", "100us"}},
      {"nic.kind", {"auto", "ib", "tcpxo"}},
      {"collective.connections", {"message", "lasting"}},
      {"algorithm.nvls", {"simai", "multimem"}},
      {"collective.multimem_bytes", {"1000", "16384", "131072"}},
      {"collective.multimem_channels", {"1", "3", "16"}},
      {"collective.multimem_slots", {"1", "2", "8"}},
      {"collective.p2p_chunk", {"1", "131072", "1048576"}},
      {"collective.p2p_channels", {"1", "2", "32"}},
      {"collective.nvls_chunks", {"1", "2", "4", "7"}},
      {"collective.chunk_bytes", {"20000", "100000", "524288"}},
      {"collective.pat_slots", {"1", "2", "8"}},
      {"collective.chunks_in_flight", {"1", "2", "8"}},
      {"pipeline.schedule", {"1f1b", "gpipe", "zb-h1", "zb-h1", "interleaved", "dualpipev"}},
      {"pipeline.chunks", {"1", "2"}},
      {"pipeline.group", {"0"}},
      {"pipeline.senders", {"go-on", "wait"}},
      {"pipeline.overlap_experts", {"false", "false", "false", "true"}},
      {"phases.collectives", {"baseline", "enhanced"}},
      {"phases.dimensions", {"fabric"}},
      {"phases.routing", {"software", "hardware"}},
      {"phases.algorithm",
       {"auto", "ring", "direct", "doubleBinaryTree", "halvingDoubling", "oneRing", "oneDirect",
        "oneHalvingDoubling"}},
      {"phases.reduce_scatter", {"same", "same", "ring", "halvingDoubling", "oneDirect"}},
      {"phases.all_gather", {"same", "same", "direct", "halvingDoubling", "oneRing"}},
      {"phases.all_to_all", {"same", "same", "direct", "oneRing", "oneDirect"}},
      {"phases.order", {"package", "ascending"}},
      {"phases.reduction_delay", {"0ns", "1ps", "2us"}},
      {"phases.memory_bandwidth", {"0", "0.5", "1600"}},
      {"phases.halving_sums", {"received", "next"}},
      {"phases.local_lanes", {"halves", "all"}},
      {"phases.endpoint_delay", {"1ps", "10ns", "3us"}},
      {"phases.local_endpoint_delay", {"1ps", "10ns", "3us"}},
      {"chunks.splits", {"1", "3", "16"}},
      {"chunks.all_to_all_splits", {"0", "1", "5"}},
      {"chunks.least_bytes", {"1", "1024", "100000"}},
      {"chunks.dispatch", {"fill", "batch"}},
      {"chunks.threshold", {"1", "8", "64"}},
      {"chunks.batch", {"1", "5", "16"}},
      {"chunks.order", {"lifo", "fifo"}},
      {"chunks.equal", {"lifo", "fifo"}},
      {"chunks.per_lane", {"0", "1", "8"}},
      {"experts.routing", {"uniform", "lognormal", "zipf", "hot", "zipf", "counts", "tokens"}},
      {"experts.form", {"plain", "rank", "server", "server"}},
      {"experts.dispatch", {"file", "fp8"}},
      {"experts.draws", {"layer", "batch"}},
      {"experts.order", {"permuted", "in_order"}},
      {"experts.count", {"8", "24", "64", "240", "256"}},
      {"experts.top_k", {"1", "2", "8"}},
      {"experts.tokens", {"1", "7", "64"}},
      {"experts.groups", {"1", "4"}},
      {"experts.top_groups", {"0", "1", "2"}},
      {"experts.zipf", {"0", "1", "3"}},
      {"experts.sigma", {"0.43", "2"}},
      {"experts.hot", {"2", "8"}},
      {"experts.hot_share", {"0", "0.9", "1"}},
      {"experts.capacity", {"0", "0.5", "1.25"}},
      {"experts.chunks", {"1", "3", "8"}},
      {"experts.seed", {"1", "2"}},
      {"experts.table", {""}},
  };
  return values;
}

class ScenarioDraw final : private Draw {
 public:
  explicit ScenarioDraw(std::uint64_t seed) : Draw(seed) { scenario_.seed = seed; }

  Scenario Make() {
    const bool scale_up = Chance(4);
    if (scale_up) {
      DrawLinks();
      ScaleUp(&scenario_);
    } else if (Chance(3)) {
      DrawFabric(&scenario_);
    } else {
      DrawLinks();
      Chance(2) ? Servers(&scenario_) : Chance(2) ? Generated(&scenario_) : Shaped(&scenario_);
    }
    if (!scale_up && Chance(5)) DrawTables(&scenario_);
    for (Link& link : scenario_.links) link.error_rate = std::min(link.error_rate, 0.01);
    scenario_.gpu_type = Pick(std::vector<std::string>{"A100", "H100", "H800", "X"});
    DrawJobs();
    DrawCollectives();
    // Phases need dimensions: the fabric's, or one or two over all GPUs.
    if (!scale_up && Chance(3)) {
      const std::uint32_t first = Divisor(scenario_.gpus);
      scenario_.collectives.emplace_back("phases.dimensions",
                                         fmt::format("{}x{}", first, scenario_.gpus / first));
    } else if (!scale_up) {
      scenario_.collectives.emplace_back("phases.collectives", "off");
    }
    DrawTransport();
    return std::move(scenario_);
  }

 private:
  /// Draws up to three jobs on disjoint GPUs; some GPUs stay idle. Groups in phases fill their
  /// dimensions, so one job on all NPUs in order is the usual one there.
  void DrawJobs() {
    std::vector<NodeId> gpus;
    for (std::uint32_t gpu = 0; gpu < scenario_.gpus; ++gpu) gpus.emplace_back(gpu);
    const bool whole = !scenario_.dimensions.empty() && !Chance(4);
    if (!whole && Chance(2)) std::shuffle(gpus.begin(), gpus.end(), random_);
    std::size_t at = 0;
    for (std::uint32_t count = whole ? 1 : Between(1, 3); count > 0 && gpus.size() - at >= 2;
         --count) {
      const std::size_t left = gpus.size() - at;
      const std::size_t size = count == 1 ? left : 2 + Below(left - 1);
      DrawnJob job;
      job.gpus.assign(gpus.begin() + static_cast<std::ptrdiff_t>(at),
                      gpus.begin() + static_cast<std::ptrdiff_t>(at + size));
      job.workload = Chance(3) ? Micro() : Training(static_cast<std::uint32_t>(size));
      job.start = PicoSeconds(Chance(2) ? 0 : Below(100000000));
      job.passes = Between(1, 2);
      scenario_.jobs.push_back(job);
      at += size;
    }
  }

  std::int64_t Size() {
    static const std::vector<std::int64_t> sizes = {1,    2,    3,     7,      8,      100,    4096,
                                                    9000, 9001, 40000, 100000, 524288, 1000003};
    return Chance(3) ? 1 + Below(300000) : Pick(sizes);
  }
  std::string Operation() {
    return Pick(std::vector<std::string>{"ALLREDUCE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER",
                                         "ALLTOALL", "BROADCAST", "REDUCE", "SENDRECV"});
  }
  std::string Micro() {
    std::string text;
    for (std::uint32_t lines = Between(1, 4); lines > 0; --lines) {
      text += fmt::format("{} {} {} {}\n", Between(1, 2), Operation(), Size(),
                          Pick(std::vector<std::string>{"TP", "DP", "EP"}));
    }
    return text;
  }
  /// Draws a divisor of `whole`.
  std::uint32_t Divisor(std::uint32_t whole) {
    std::vector<std::uint32_t> divisors;
    for (std::uint32_t d = 1; d <= whole; ++d) {
      if (whole % d == 0) divisors.push_back(d);
    }
    return Pick(divisors);
  }
  std::string Training(std::uint32_t ranks) {
    const std::uint32_t pipeline = Chance(3) ? Divisor(ranks) : 1;
    const std::uint32_t tensor = Divisor(ranks / pipeline);
    const std::uint32_t expert = Divisor(ranks / pipeline / tensor);
    const std::uint32_t layers = Between(1, 4);
    std::string text = fmt::format(
        "{} model_parallel_NPU_group: {} ep: {} pp: {} vpp: 1 ga: {} all_gpus: {} checkpoints: 0 "
        "checkpoint_initiates: 0 pp_comm: {}\n{}\n",
        pipeline > 1 || Chance(2) ? "HYBRID_TRANSFORMER_FWD_IN_BCKWD" : "HYBRID_TRANSFORMER",
        tensor, expert, pipeline, Between(1, layers), ranks, Size(), layers);
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      text += fmt::format("l{} -1", layer);
      for (int phase = 0; phase < 3; ++phase) text += " " + Communication();
      text += fmt::format(" {}\n", Below(3) * 10);
    }
    return text;
  }
  std::string Communication() {
    const std::uint32_t compute = Chance(3) ? 0 : Below(20000);
    if (Chance(3)) return fmt::format("{} NONE 0", compute);
    const std::string group =
        Pick(std::vector<std::string>{"", "", "_TP", "_DP", "_EP", "_DP_EP", "_ALL"});
    return fmt::format("{} {}{} {}", compute, Operation(), group, Size());
  }

  void DrawCollectives() {
    CollectiveOptions collectives;
    OptionSet options;
    collectives.Declare(&options);
    for (const Option& option : options.options()) {
      if (option.key.rfind("chakra.", 0) == 0) continue;  // of traces: they change no workload
      const auto found = CollectiveValues().find(option.key);
      const bool figure = option.range.rfind("auto, or ", 0) == 0;  // of the hardware
      if (figure && found == CollectiveValues().end()) {
        if (Chance(8)) scenario_.collectives.emplace_back(option.key, "1");
        continue;
      }
      if (found == CollectiveValues().end() && option.range != "true or false") {
        throw std::logic_error("collective_fuzz: CollectiveValues() has no values for option " +
                               option.key);
      }
      const bool algorithm = option.key.rfind("algorithm.", 0) == 0;
      if (Chance(algorithm ? 4 : 2)) continue;
      scenario_.collectives.emplace_back(option.key, found != CollectiveValues().end()
                                                         ? Pick(found->second)
                                                     : Chance(2) ? "true"
                                                                 : "false");
    }
  }

  /// Draws only options with which every flow ends within the time of a scenario.
  void DrawTransport() {
    static const std::vector<std::string> keys = {"transport.congestion_control",
                                                  "dcqcn.fast_recovery",
                                                  "hpcc.target_utilisation",
                                                  "nic.qps_per_connection",
                                                  "nic.weights",
                                                  "flow.completion",
                                                  "nic.ports",
                                                  "nic.source_ports",
                                                  "aggregation.streams",
                                                  "aggregation.mode",
                                                  "aggregation.operation_bytes",
                                                  "aggregation.operations",
                                                  "aggregation.latency"};
    for (const std::string& key : keys) {
      if (Chance(2)) scenario_.transport.emplace_back(key, Pick(TransportValues().at(key)));
    }
    const auto add = [&](const char* key, const std::vector<std::string>& values) {
      if (Chance(2)) scenario_.transport.emplace_back(key, Pick(values));
    };
    add("aggregation.switches", {"all", "all", "none"});
    add("transport.payload", {"9000", "4096", "1500", "1000"});
    add("link.error_rate", {"0", "0", "0.0001", "0.01"});
    add("reliability.selective_repeat", {"true", "false"});
    // Larger: no progress between two losses, so queue pairs give up.
    add("reliability.ack_interval", {"1", "1000", "20000"});
    // Larger: no queue may grow, so queue pairs give up.
    add("switch.alpha_shift", {"0", "3", "5"});
    add("switch.buffer", {"4", "32"});
    add("pfc.enabled", {"true", "true", "false"});
    scenario_.transport.emplace_back("reliability.timeout",
                                     Pick(std::vector<std::string>{"100us", "1ms"}));
    const bool early = Chance(2);
    scenario_.transport.emplace_back("ecn.kmin", ValueForEveryRate(early ? "0" : "50"));
    scenario_.transport.emplace_back("ecn.kmax", ValueForEveryRate(early ? "50" : "400"));
    scenario_.transport.emplace_back("ecn.pmax",
                                     ValueForEveryRate(Pick(TransportValues().at("ecn.pmax"))));
  }

  Scenario scenario_;
};

void Require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// Total rate of the links of a GPU, for the GPU with the highest.
double FastestGpu(const Graph& graph) {
  std::vector<double> rates(graph.gpu_count(), 0);
  for (const Link& link : graph.links()) {
    for (const NodeId end : {link.a, link.b}) {
      if (end.value < rates.size()) rates[end.value] += static_cast<double>(link.rate.bps) / 8;
    }
  }
  return *std::max_element(rates.begin(), rates.end());
}

void Check(const Graph& graph, const testing::Observed& outcome) {
  const bool paused = !outcome.deadlock.empty();
  const bool deadlock = paused || !outcome.chunk_deadlock.empty();
  const auto& states = GetColumn<std::uint8_t>(outcome.flows, "state");
  for (std::size_t row = 0; row < states.size(); ++row) {
    Require(paused || static_cast<FlowState>(states[row]) == FlowState::kFinished,
            fmt::format("flow {} -> {} of {} bytes ends in state {}",
                        GetColumn<std::uint32_t>(outcome.flows, "src")[row],
                        GetColumn<std::uint32_t>(outcome.flows, "dst")[row],
                        GetColumn<std::int64_t>(outcome.flows, "size_bytes")[row], states[row]));
  }
  Require(deadlock || outcome.waiting.empty(),
          outcome.waiting.empty() ? "" : "a GPU waits for ever: " + outcome.waiting.front());
  const double most = FastestGpu(graph);
  for (const Table& table : outcome.jobs) {
    if (table.name != "collectives") continue;
    const auto& end = GetColumn<std::int64_t>(table, "end_ps");
    const auto& bandwidth = GetColumn<double>(table, "busbw");
    const auto& op = GetColumn<std::string>(table, "op");
    const auto& algorithm = GetColumn<std::string>(table, "algorithm");
    const auto& time = GetColumn<std::int64_t>(table, "time_ps");
    const auto& ideal = GetColumn<std::int64_t>(table, "ideal_ps");
    for (std::size_t row = 0; row < end.size(); ++row) {
      const std::string which = fmt::format("{} by {}: ", op[row], algorithm[row]);
      Require(deadlock || end[row] >= 0, which + "not finished");
      // Switches reduce: each GPU sends its data once, and nccl-tests' factor counts them up to
      // twice.
      const bool by_switches =
          algorithm[row].rfind("NVLS", 0) == 0 || algorithm[row].rfind("COLLNET", 0) == 0;
      const double factor = by_switches ? 2 : 1;
      Require(bandwidth[row] <= factor * most,
              which + fmt::format("{} byte/s over links of {} byte/s", bandwidth[row], most));
      Require(deadlock || ideal[row] <= time[row],
              which + fmt::format("{} ps, where its ports need {} ps", time[row], ideal[row]));
    }
  }
}

/// As heddle run, which counts the packet-hops of all messages first. Rails that never meet carry
/// some collectives only.
void RefuseUnreachable(const Graph& graph, FlowCoordinator* coordinator) {
  const Routes routes(graph);
  coordinator->ForEachTraffic([&](const PlacedJob::Traffic& traffic) {
    if (routes.Hops(traffic.source, traffic.destination) == Routes::kUnreachable)
      throw UserError(DescribeNoPath(graph, routes, traffic.source, traffic.destination));
  });
}

std::string DigestsOf(const testing::Observed& outcome) {
  std::string text = testing::DigestParts(testing::Join(Communicator::Serial(), outcome)) +
                     fmt::format("digest of flows {:016x}", outcome.flow_digest);
  for (const std::string& line : outcome.chunk_deadlock) text += "\n" + line;
  return text;
}

/// Runs in every partition; throws if the results differ.
void ComparePartitions(const Graph& graph, const std::vector<Job>& jobs, testing::Scenario run) {
  std::string oracle;
  for (const std::uint32_t grain : {1U, 3U, 0U}) {
    run.plan.grain = grain;
    run.options.replay.replay =
        oracle.empty() ? ReplayOptions::Replay::kOff : ReplayOptions::Replay::kOn;
    const testing::Observed outcome = testing::SimulateJobs(graph, jobs, run);
    const std::string digests = DigestsOf(outcome);
    if (oracle.empty()) {
      oracle = digests;
      Check(graph, outcome);
    }
    Require(digests == oracle,
            fmt::format("grain {} gives {}\nbut grain 1 {}", grain, digests, oracle));
  }
}

/// Runs with monitors, whole and cut; throws if the results differ.
void CompareCuts(const Graph& graph, const std::vector<Job>& jobs, testing::Scenario run) {
  const std::uint64_t seed = run.plan.seed;
  DrawMonitors(seed, &run.options);
  const testing::Observed whole = testing::SimulateJobs(graph, jobs, run);
  const TemporaryFolder folder;
  if (seed % 3 == 0) run.plan.grain = 0;
  CutRun(seed, whole, run.options.monitors, folder.In("cut"), &run.plan);
  const testing::Observed cut = testing::SimulateJobs(graph, jobs, run);
  Require(DigestsOf(cut) == DigestsOf(whole),
          fmt::format("{}: {}\nbut whole {}", DescribeCuts(run.plan), DigestsOf(cut),
                      DigestsOf(whole)));
}

/// The file of algorithm.allreduce: a ring for groups of some size of the scenario's.
std::shared_ptr<const CustomLibrary> RingOf(const Scenario& scenario) {
  const auto gpus = static_cast<std::uint32_t>(scenario.jobs.front().gpus.size());
  auto library = std::make_shared<CustomLibrary>();
  library->Add(RingAllReduce(scenario.seed % 2 == 0 ? gpus : std::max(gpus / 2, 2U)));
  return library;
}

/// The file of experts.table: counts that differ by up to a half, or a few tokens of two ranks.
std::shared_ptr<const ExpertTable> TableOf(const ExpertOptions& options, std::uint64_t seed) {
  RandomStream random(seed, 0, RandomPurpose::kExpertChoice);
  ExpertTable table;
  table.file = "experts.txt";
  const auto count = static_cast<std::uint32_t>(options.count);
  if (options.routing == ExpertOptions::Routing::kCounts) {
    for (std::uint32_t i = 0; i < count; ++i)
      table.counts.push_back(static_cast<std::int64_t>(10 + random.Below(6)));
  }
  if (options.routing == ExpertOptions::Routing::kTokens) {
    table.tokens.resize(2);
    for (std::uint32_t token = 0; token < 10; ++token) {
      std::vector<std::uint32_t> experts;
      const std::uint64_t first = random.Below(count);
      for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(options.top_k); ++k)
        experts.push_back(static_cast<std::uint32_t>((first + 3 * k) % count));
      table.tokens[random.Below(2)].push_back(std::move(experts));
    }
  }
  return std::make_shared<const ExpertTable>(std::move(table));
}

/// Returns the verdict; prints the reason of a failure.
Verdict Try(const Scenario& scenario) {
  try {
    Graph graph = scenario.Build();
    TransportOptions transport;
    CollectiveOptions collectives;
    std::vector<Job> jobs;
    try {
      OptionSet set;
      transport.Declare(&set);
      collectives.Declare(&set);
      for (const auto& [key, value] : scenario.transport) set.Set(key, value);
      for (const auto& [key, value] : scenario.collectives) set.Set(key, value);
      collectives.send_latency = transport.send_latency;
      transport.aggregation.Apply(transport.payload, &graph);
      collectives.custom = RingOf(scenario);
      collectives.experts.table_data = TableOf(collectives.experts, scenario.seed);
      for (const DrawnJob& job : scenario.jobs) {
        jobs.push_back(testing::MakeJob(graph, job.workload, job.gpus, job.start, job.passes,
                                        collectives.pipeline));
        RouteExperts(collectives.experts, jobs.back().workload, jobs.back().groups,
                     &jobs.back().program);
      }
      FlowCoordinator coordinator(graph, jobs, collectives, false);
      for (const auto& job : coordinator.context().jobs) job->CountFlows();
      if (scenario.dimensions.empty()) RefuseUnreachable(graph, &coordinator);
    } catch (const UserError& error) {
      if (std::getenv("COLLECTIVE_FUZZ_VERBOSE") != nullptr)
        std::fprintf(stderr, "refused: %s\n", error.what());
      return kRefused;
    }
    testing::Scenario run = transport;
    run.collectives = collectives;
    run.plan.seed = scenario.seed;
    ComparePartitions(graph, jobs, run);
    CompareCuts(graph, jobs, run);
    return kGood;
  } catch (const UserError& error) {
    // Errors about buffers and ECN tables appear only when the fabric is built.
    if (std::getenv("COLLECTIVE_FUZZ_VERBOSE") != nullptr)
      std::fprintf(stderr, "refused: %s\n", error.what());
    return kRefused;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBroken;
  }
}

int Show(std::uint64_t seed) {
  const Scenario s = ScenarioDraw(seed).Make();
  std::printf("%u GPUs (%s, %u a server), %u NVSwitches, %u switches\n", s.gpus, s.gpu_type.c_str(),
              s.gpus_per_server, s.nvswitches, s.switches);
  if (!s.tables.empty()) std::printf("tables by %s\n", s.tables.c_str());
  for (const Link& l : s.links) {
    std::printf("link %u - %u, %s, %lld ps, error rate %g\n", l.a.value, l.b.value,
                ToText(l.rate).c_str(), static_cast<long long>(l.delay.ps), l.error_rate);
  }
  for (const NetworkDimension& d : s.dimensions) {
    std::printf("%s: kind %d, %u NPUs, %u + %u lanes of %s, %lld ps\n", d.level.name.c_str(),
                static_cast<int>(d.kind), d.size, d.clockwise, d.anticlockwise,
                ToText(d.rate).c_str(), static_cast<long long>(d.latency.ps));
  }
  for (const DrawnJob& job : s.jobs) {
    std::printf("job from %lld ps, %u passes, on", static_cast<long long>(job.start.ps),
                job.passes);
    for (const NodeId gpu : job.gpus) std::printf(" %u", gpu.value);
    std::printf("\n%s", job.workload.c_str());
  }
  for (const auto* settings : {&s.transport, &s.collectives}) {
    for (const auto& [key, value] : *settings)
      std::printf("--set %s=%s\n", key.c_str(), value.c_str());
  }
  const int verdict = RunApart([&] { return Try(s); }, false);
  std::printf("%s\n", Words(verdict).c_str());
  return IsBroken(verdict) ? 1 : 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s COUNT FIRST_SEED\n       %s show SEED\n", argv[0], argv[0]);
    return 2;
  }
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  const std::uint64_t second = std::strtoull(argv[2], nullptr, 10);
  if (std::string(argv[1]) == "show") return heddle::Show(second);
  return heddle::TrySeeds(
      "collective_fuzz", {second, std::strtoull(argv[1], nullptr, 10)},
      [](std::uint64_t seed) { return heddle::Try(heddle::ScenarioDraw(seed).Make()); });
}
