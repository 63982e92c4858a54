// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of collectives that are replayed whole: training loops whose tensor-parallel groups are
/// servers, alike or nearly so, with Broadcasts that part their GPUs, and what disturbs them: data
/// parallelism and other jobs on the same servers, messages of a second kind, refusals.
///
/// Each scenario must give the same results with and without replays, in one domain and in several,
/// and with stops at random times, from which it goes on, some near its end (cuts.h). Each runs in
/// a child process.
///
/// Usage: whole_fuzz COUNT FIRST_SEED: the seeds FIRST_SEED..., one after the other.
///        whole_fuzz show SEED: prints the scenario and tries it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine_session.h"
#include "core/options/options.h"
#include "tests/fuzz/apart.h"
#include "tests/fuzz/runs/cuts.h"
#include "tests/fuzz/runs/draw.h"
#include "tests/fuzz/runs/seeds.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

struct WholeScenario : DrawnFabric {
  struct DrawnJob {
    std::string workload;
    std::vector<NodeId> gpus;  ///< by rank
    Time start;
    std::uint32_t passes = 1;
  };
  std::vector<DrawnJob> jobs;
  std::vector<std::pair<std::string, std::string>> transport, collectives;
  std::vector<double> stops;  ///< shares of the run's time
  std::uint64_t seed = 1;
};

class WholeDraw final : private Draw {
 public:
  explicit WholeDraw(std::uint64_t seed) : Draw(seed) { scenario_.seed = seed; }

  WholeScenario Make() {
    DrawServers();
    DrawJobs();
    DrawSettings();
    for (std::uint32_t stops = Chance(3) ? Between(1, 3) : 0; stops > 0; --stops)
      scenario_.stops.push_back(static_cast<double>(1 + Below(999)) / 1000);
    std::sort(scenario_.stops.begin(), scenario_.stops.end());
    return std::move(scenario_);
  }

 private:
  /// Servers of equal size with an NVSwitch each, or two; all NICs at one switch, or rails, that is
  /// a leaf for each place in a server, and a spine. At times one link differs from the others.
  void DrawServers() {
    servers_ = Between(1, 6);
    mates_ = Pick(std::vector<std::uint32_t>{2, 3, 4, 4, 8});
    const std::uint32_t planes = Chance(8) ? 2 : 1;
    scenario_.gpus = servers_ * mates_;
    scenario_.gpus_per_server = mates_;
    scenario_.nvswitches = servers_ * planes;
    const bool rails = Chance(2);
    scenario_.switches = rails ? mates_ + 1 : 1;
    scenario_.gpu_type = "H100";
    const std::uint32_t leaf = scenario_.gpus + scenario_.nvswitches;
    const BitRate nvlink{Pick(std::vector<std::int64_t>{400, 2400, 2880}) * 1'000'000'000};
    const BitRate nic{Pick(std::vector<std::int64_t>{100, 400}) * 1'000'000'000};
    for (std::uint32_t gpu = 0; gpu < scenario_.gpus; ++gpu) {
      for (std::uint32_t plane = 0; plane < planes; ++plane)
        Join(gpu, scenario_.gpus + gpu / mates_ * planes + plane, nvlink, NanoSeconds(25));
      Join(gpu, leaf + (rails ? gpu % mates_ : 0), nic, NanoSeconds(500));
    }
    for (std::uint32_t rail = 0; rails && rail < mates_; ++rail)
      Join(leaf + rail, leaf + mates_, nic, NanoSeconds(500));
    if (Chance(5)) scenario_.links[Below(scenario_.links.size())].delay += NanoSeconds(1);
    if (Chance(12)) scenario_.links[Below(scenario_.links.size())].error_rate = 0.001;
  }
  void Join(std::uint32_t a, std::uint32_t b, BitRate rate, Time delay) {
    scenario_.links.push_back({NodeId(a), NodeId(b), rate, delay, 0});
  }

  /// One job of all GPUs; or two, of some servers each or of some GPUs of each server.
  void DrawJobs() {
    const std::uint32_t kind = Below(5);  // mostly the former
    const std::uint32_t cut = kind == 1 ? Below(servers_) : kind == 2 ? Between(1, mates_ - 1) : 0;
    WholeScenario::DrawnJob jobs[2];
    for (std::uint32_t gpu = 0; gpu < scenario_.gpus; ++gpu) {
      const std::uint32_t place = kind == 1 ? gpu / mates_ : gpu % mates_;
      jobs[place < cut ? 1 : 0].gpus.emplace_back(gpu);
    }
    for (WholeScenario::DrawnJob& job : jobs) {
      if (job.gpus.size() < 2) continue;
      const bool is_first = &job == &jobs[0];
      const std::uint32_t mates = kind != 2 ? mates_ : is_first ? mates_ - cut : cut;
      job.workload = Training(static_cast<std::uint32_t>(job.gpus.size()), mates);
      job.start = PicoSeconds(Chance(2) ? 0 : Below(50'000'000));
      job.passes = Between(1, 3);
      scenario_.jobs.push_back(job);
    }
  }
  std::string Training(std::uint32_t ranks, std::uint32_t mates) {
    const std::uint32_t tensor = mates % 2 == 0 && Chance(6) ? mates / 2 : mates;
    std::vector<std::string> kinds;
    for (std::uint32_t kind = Chance(2) ? 1 : 2; kind > 0; --kind) kinds.push_back(Layer());
    const std::uint32_t layers = Between(2, 8);
    std::string text = fmt::format(
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {} ep: 1 pp: 1 vpp: 1 ga: 1 "
        "all_gpus: {} checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n{}\n",
        tensor, ranks, layers + 1);
    text += Chance(2) ? fmt::format("first -1 10 BROADCAST {} 1 NONE 0 1 NONE 0 10\n", Size())
                      : "first -1 10 NONE 0 1 NONE 0 1 NONE 0 10\n";
    for (std::uint32_t layer = 0; layer < layers; ++layer)
      text += fmt::format("l{} -1 {}\n", layer, Pick(kinds));
    return text;
  }
  std::string Layer() {
    const std::string data =
        Chance(5)
            ? fmt::format("{} {}", Pick(std::vector<std::string>{"ALLREDUCE_DP", "ALLTOALL_DP"}),
                          Size() * Pick(std::vector<std::int64_t>{1, 8, 64}) / 8)
            : "NONE 0";
    return fmt::format("{} {} {} {} {} {} {} {}", Below(20'000), Operation(), Size(), Below(20'000),
                       Operation(), Size(), Below(5'000), data) +
           " 10";
  }
  std::string Operation() {
    return Pick(std::vector<std::string>{"ALLREDUCE", "ALLREDUCE", "ALLREDUCE", "ALLGATHER",
                                         "REDUCESCATTER", "ALLTOALL", "BROADCAST"});
  }
  std::int64_t Size() {
    return Chance(4)
               ? 1 + Below(10'000)
               : Pick(std::vector<std::int64_t>{65'536, 300'000, 1'000'000}) + Below(3) * 4501;
  }

  void DrawSettings() {
    const std::vector<std::pair<const char*, std::vector<std::string>>> some = {
        {"transport.congestion_control", {"1", "0"}},
        {"transport.window", {"true", "false"}},
        {"reliability.ack_interval", {"1", "20000"}},
        {"reliability.selective_repeat", {"false", "false", "true"}},
        {"transport.payload", {"9000", "4000"}},
        {"compat.truncate_ns", {"false", "true"}},
        {"nic.qps_per_connection", {"1", "2", "3"}},
        {"nic.source_ports", {"sequential", "sequential", "sequential", "random"}},
        {"flow.completion", {"acked", "received"}},
        {"pfc.enabled", {"true", "false"}},
        {"replay.memory", {"64", "1"}},
        {"debug.refuse_replay", {"0", "0", "0", "0", "97", "7", "3", "1"}},
    };
    const std::vector<std::pair<const char*, std::vector<std::string>>> others = {
        {"algorithm.allreduce", {"ring", "ring", "ring", "tree", "fastest", "nvls"}},
        {"algorithm.allgather", {"ring", "fastest", "pat"}},
        {"collective.latency", {"send_lat", "nccl"}},
        {"collective.connections", {"message", "lasting"}},
        {"collective.protocol", {"none", "auto", "ll"}},
    };
    OptionSet known;
    TransportOptions transport;
    CollectiveOptions collectives;
    transport.Declare(&known);
    collectives.Declare(&known);
    const auto draw = [&](const auto& from, auto* to) {
      for (const auto& [key, values] : from) {
        if (known.FindByName(key).empty()) throw std::logic_error(std::string("no option ") + key);
        if (Chance(3)) to->emplace_back(key, Pick(values));
      }
    };
    draw(some, &scenario_.transport);
    draw(others, &scenario_.collectives);
  }

  WholeScenario scenario_;
  std::uint32_t servers_ = 1, mates_ = 2;
};

struct Seen {
  std::string digests;
  Time end, traffic_end;
  ReplayFigures replayed;
};

Seen Run(const WholeScenario& scenario, const Graph& graph, const std::vector<Job>& jobs,
         testing::Scenario run, const std::vector<Time>& stops) {
  run.plan.seed = scenario.seed;
  const TemporaryFolder folder;
  if (!stops.empty()) {
    run.plan.stops = stops;
    run.plan.checkpoint = folder.In("cut");
  }
  const testing::Observed seen = testing::SimulateJobs(graph, jobs, run);
  return {testing::DigestParts(testing::Join(Communicator::Serial(), seen)) +
              fmt::format("digest of flows {:016x}", seen.flow_digest),
          seen.end, seen.traffic_end, seen.replayed};
}

Verdict Try(const WholeScenario& scenario) {
  try {
    Graph graph = scenario.Build();
    testing::Scenario run;
    std::vector<Job> jobs;
    Seen off;
    try {
      OptionSet set;
      run.options.Declare(&set);
      run.collectives.Declare(&set);
      for (const auto* settings : {&scenario.transport, &scenario.collectives}) {
        for (const auto& [key, value] : *settings) set.Set(key, value);
      }
      run.collectives.send_latency = run.options.send_latency;
      for (const auto& job : scenario.jobs)
        jobs.push_back(testing::MakeJob(graph, job.workload, job.gpus, job.start, job.passes));
      run.options.replay.replay = ReplayOptions::Replay::kOff;
      run.plan.grain = 0;
      off = Run(scenario, graph, jobs, run, {});
    } catch (const UserError& error) {
      if (std::getenv("WHOLE_FUZZ_VERBOSE") != nullptr)
        std::fprintf(stderr, "refused: %s\n", error.what());
      return kRefused;
    }
    std::vector<Time> stops;
    for (const double share : scenario.stops)
      stops.push_back(
          PicoSeconds(static_cast<std::int64_t>(share * static_cast<double>(off.end.ps))));
    if (!stops.empty()) AddCuts(scenario.seed, off.traffic_end, &stops);
    run.options.replay.replay = ReplayOptions::Replay::kOn;
    for (const std::uint32_t grain : {0U, 1U, 9U}) {
      run.plan.grain = grain;
      const Seen on = Run(scenario, graph, jobs, run, stops);
      if (on.digests != off.digests || on.end != off.end) {
        throw std::runtime_error(fmt::format("grain {} with replays gives {} {}\nbut without {} {}",
                                             grain, on.digests, on.end.ps, off.digests,
                                             off.end.ps));
      }
      if (std::getenv("WHOLE_FUZZ_VERBOSE") != nullptr)
        std::fprintf(stderr, "grain %u: whole %lld, taken back %lld\n", grain,
                     static_cast<long long>(on.replayed.whole),
                     static_cast<long long>(on.replayed.relived));
    }
    return kGood;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBroken;
  }
}

int Show(std::uint64_t seed) {
  const WholeScenario s = WholeDraw(seed).Make();
  std::printf("%u GPUs, %u a server, %u NVSwitches\n", s.gpus, s.gpus_per_server, s.nvswitches);
  for (const auto& job : s.jobs) {
    std::printf("job of %zu GPUs from %lld ps, %u passes\n%s", job.gpus.size(),
                static_cast<long long>(job.start.ps), job.passes, job.workload.c_str());
  }
  for (const auto* settings : {&s.transport, &s.collectives}) {
    for (const auto& [key, value] : *settings)
      std::printf("--set %s=%s\n", key.c_str(), value.c_str());
  }
  for (const double stop : s.stops) std::printf("stop at %.3f of the time\n", stop);
  const int verdict = RunApart([&] { return Try(s); }, false);
  std::printf("%s\n", Words(verdict).c_str());
  return IsBroken(verdict) ? 1 : 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s COUNT FIRST_SEED | show SEED\n", argv[0]);
    return 2;
  }
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  const std::uint64_t second = std::strtoull(argv[2], nullptr, 10);
  if (std::string(argv[1]) == "show") return heddle::Show(second);
  const heddle::Seeds seeds{second, std::strtoull(argv[1], nullptr, 10)};
  return heddle::TrySeeds("whole_fuzz", seeds, [](std::uint64_t seed) {
    return heddle::Try(heddle::WholeDraw(seed).Make());
  });
}
