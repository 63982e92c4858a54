// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of replays and skipped cycles: traffic that repeats itself on NVLinks and under leaves,
/// long enough for steady states, and what disturbs it.
///
/// Each scenario must give the same results with and without replays, in one domain and in several,
/// and with stops at random times, from which it goes on, some near its end (cuts.h). Each runs in
/// a child process.
///
/// Usage: replay_fuzz COUNT FIRST_SEED: the seeds FIRST_SEED..., one after the other.
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
#include "tests/support/simulate.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

struct ReplayScenario : DrawnFabric {
  std::vector<FlowRequest> flows;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<Time> stops;
  std::uint64_t seed = 1;
};

class ReplayDraw final : private Draw {
 public:
  explicit ReplayDraw(std::uint64_t seed) : Draw(seed) { scenario_.seed = seed; }

  ReplayScenario Make() {
    DrawServers();
    DrawTraffic();
    DrawSettings();
    for (std::uint32_t stops = Chance(3) ? Between(1, 3) : 0; stops > 0; --stops)
      scenario_.stops.push_back(NanoSeconds(1 + Below(span_ns_)));
    std::sort(scenario_.stops.begin(), scenario_.stops.end());
    return std::move(scenario_);
  }

 private:
  /// Servers of equal size, with an NVSwitch each or none; a leaf for each place in a server, or
  /// for each server; one spine. At times one link differs from the others.
  void DrawServers() {
    const bool nvlinks = !Chance(4), rails = Chance(2);
    servers_ = Between(1, 4);
    mates_ = Between(2, 4);
    scenario_.gpus = servers_ * mates_;
    scenario_.gpus_per_server = mates_;
    scenario_.nvswitches = nvlinks ? servers_ : 0;
    const std::uint32_t leaves = rails ? mates_ : servers_;
    scenario_.switches = leaves + 1;
    const std::uint32_t first_leaf = scenario_.gpus + scenario_.nvswitches;
    const BitRate nvlink{Pick(std::vector<std::int64_t>{400, 2400, 2880}) * 1'000'000'000};
    const BitRate nic{Pick(std::vector<std::int64_t>{25, 100, 400}) * 1'000'000'000};
    const Time delay = Pick(std::vector<Time>{NanoSeconds(25), NanoSeconds(500), MicroSeconds(3)});
    for (std::uint32_t gpu = 0; gpu < scenario_.gpus; ++gpu) {
      if (nvlinks) Join(gpu, scenario_.gpus + gpu / mates_, nvlink, NanoSeconds(25));
      Join(gpu, first_leaf + (rails ? gpu % mates_ : gpu / mates_), nic, delay);
    }
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
      Join(first_leaf + leaf, first_leaf + leaves, nic, delay);
    if (Chance(5)) scenario_.links[Below(scenario_.links.size())].delay += NanoSeconds(1);
    if (Chance(12)) scenario_.links[Below(scenario_.links.size())].error_rate = 0.001;
  }
  void Join(std::uint32_t a, std::uint32_t b, BitRate rate, Time delay) {
    scenario_.links.push_back({NodeId(a), NodeId(b), rate, delay, 0});
  }

  /// A few patterns, each several times, together or apart; then single flows in between.
  void DrawTraffic() {
    for (std::uint32_t pattern = Between(1, 3); pattern > 0; --pattern) {
      const std::int64_t size = Size();
      const std::uint32_t kind = Below(5), which = Below(std::max(servers_, mates_));
      const Time skew = PicoSeconds(Chance(2) ? 0 : Below(2'000'000));
      for (std::uint32_t times = Between(1, 5); times > 0; --times) {
        const Time start = Start();
        for (std::uint32_t server = 0; server < servers_; ++server) {
          if (kind == 0) AddServerRing(server, start + skew * server, size);
        }
        if (kind == 1) AddRailRing(which % mates_, start, size);
        if (kind == 2) AddServerRing(which % servers_, start, size);
        if (kind >= 3) AddIncasts(/*on_rails=*/kind == 3, start, skew, size);
      }
    }
    for (std::uint32_t single = Between(0, 4); single > 0; --single)
      Add(Below(scenario_.gpus), Below(scenario_.gpus), Start(), 1 + Size() / Between(1, 40));
  }
  std::int64_t Size() {
    return Pick(std::vector<std::int64_t>{9000, 700'000, 2'000'000, 5'000'000}) + Below(3) * 4501;
  }
  Time Start() { return NanoSeconds(Chance(3) ? Below(20) * 25'000 : Below(span_ns_)); }
  void AddServerRing(std::uint32_t server, Time start, std::int64_t size) {
    for (std::uint32_t mate = 0; mate < mates_; ++mate)
      Add(server * mates_ + mate, server * mates_ + (mate + 1) % mates_, start, size);
  }
  void AddRailRing(std::uint32_t rail, Time start, std::int64_t size) {
    for (std::uint32_t server = 0; server < servers_; ++server)
      Add(server * mates_ + rail, (server + 1) % servers_ * mates_ + rail, start, size);
  }
  /// To the first GPU of each rail or server, from all others there: queues that may be marked, on
  /// islands that follow each other.
  void AddIncasts(bool on_rails, Time start, Time skew, std::int64_t size) {
    for (std::uint32_t gpu = 0; gpu < scenario_.gpus; ++gpu) {
      const std::uint32_t server = gpu / mates_, mate = gpu % mates_;
      Add(gpu, on_rails ? mate : server * mates_, start + skew * (on_rails ? mate : server), size);
    }
  }
  void Add(std::uint32_t from, std::uint32_t to, Time start, std::int64_t size) {
    if (from == to) return;
    FlowRequest flow;
    flow.source = NodeId(from);
    flow.destination = NodeId(to);
    flow.size = Bytes{size};
    flow.start = start;
    flow.priority = Chance(12) ? 2 : 3;
    scenario_.flows.push_back(flow);
  }

  void DrawSettings() {
    const std::vector<std::pair<const char*, std::vector<std::string>>> some = {
        {"transport.congestion_control", {"1", "0"}},
        {"transport.window", {"true", "false"}},
        {"reliability.ack_interval", {"1", "20000", "100000"}},
        {"reliability.selective_repeat", {"false", "false", "false", "true"}},
        {"reliability.timeout", {"4194304ns", "60us"}},
        {"reliability.back_to_zero", {"false", "true"}},
        {"transport.payload", {"9000", "4000", "2000"}},
        {"compat.truncate_ns", {"false", "true"}},
        {"nic.qps_per_connection", {"1", "2"}},
        {"nic.weights", {"1 1 1 1 1 1 1 1", "1 1 2 3 1 1 1 1"}},
        {"pfc.enabled", {"true", "false"}},
        {"replay.memory", {"64", "1"}},
        {"debug.refuse_replay", {"0", "7", "3", "1"}},
    };
    OptionSet known;
    TransportOptions transport;
    transport.Declare(&known);
    for (const auto& [key, values] : some) {
      if (known.FindByName(key).empty()) throw std::logic_error(std::string("no option ") + key);
      if (Chance(4)) scenario_.settings.emplace_back(key, Pick(values));
    }
  }

  ReplayScenario scenario_;
  std::uint32_t servers_ = 1, mates_ = 2;
  std::uint32_t span_ns_ = 500'000;
};

/// `stops`: of a run with replays.
testing::Observed Run(const ReplayScenario& scenario, const Graph& graph, std::uint32_t grain,
                      bool replays, const std::vector<Time>& stops) {
  TransportOptions options;
  OptionSet set;
  options.Declare(&set);
  for (const auto& [key, value] : scenario.settings) set.Set(key, value);
  options.replay.replay = replays ? ReplayOptions::Replay::kOn : ReplayOptions::Replay::kOff;
  testing::RunPlan plan;
  plan.grain = grain;
  plan.seed = scenario.seed;
  const TemporaryFolder folder;
  if (replays) {
    plan.stops = stops;
    plan.checkpoint = folder.In("cut");
  }
  return testing::Simulate(graph, scenario.flows, {options, plan});
}

std::string DigestsOf(const testing::Observed& seen) {
  return testing::DigestParts(testing::Join(Communicator::Serial(), seen));
}

Verdict Try(const ReplayScenario& scenario) {
  try {
    const Graph graph = scenario.Build();
    std::int64_t skipped = 0;
    std::string oracle;
    std::vector<Time> stops = scenario.stops;
    try {
      const testing::Observed whole = Run(scenario, graph, 1, false, {});
      oracle = DigestsOf(whole);
      if (!stops.empty()) AddCuts(scenario.seed, whole.traffic_end, &stops);
    } catch (const UserError& error) {
      if (std::getenv("REPLAY_FUZZ_VERBOSE") != nullptr)
        std::fprintf(stderr, "refused: %s\n", error.what());
      return kRefused;
    }
    for (const std::uint32_t grain : {0U, 1U}) {
      const testing::Observed seen = Run(scenario, graph, grain, true, stops);
      const std::string digests = DigestsOf(seen);
      skipped += seen.replayed.skipped;
      if (digests != oracle) {
        throw std::runtime_error(
            fmt::format("grain {} with replays gives {}\nbut without {}", grain, digests, oracle));
      }
    }
    if (std::getenv("REPLAY_FUZZ_VERBOSE") != nullptr)
      std::fprintf(stderr, "skipped %lld\n", static_cast<long long>(skipped));
    return kGood;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBroken;
  }
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s COUNT FIRST_SEED\n", argv[0]);
    return 2;
  }
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  const heddle::Seeds seeds{std::strtoull(argv[2], nullptr, 10),
                            std::strtoull(argv[1], nullptr, 10)};
  return heddle::TrySeeds("replay_fuzz", seeds, [](std::uint64_t seed) {
    return heddle::Try(heddle::ReplayDraw(seed).Make());
  });
}
