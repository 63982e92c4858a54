// SPDX-License-Identifier: GPL-2.0-only
/// What is not replayed, one refusal a test (docs/models/fast_forward.md): results are those of a
/// run without replays, and nothing, or only what else there is, becomes a record. Tests of losses,
/// marks and several NIC ports are in replay_test.cc and leaf_replay_test.cc. Flows of the central
/// controller have a choice of path, which no island offers.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"
#include "topology/scale_up/nvlink_level.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kServers = 2, kLocals = 4, kRailGpus = kServers * kLocals;
constexpr std::uint32_t kFirstNic = kRailGpus;  ///< the link of GPU 0 to the switch

/// Two servers of four GPUs, each with an NVSwitch; all NICs are at one switch. First the NVLinks,
/// by GPU, then the links of NICs. `loss`: of server 0's NVLinks.
Graph TwoServers(double loss = 0) {
  Graph graph(kRailGpus, kServers, 1, kLocals, "H100");
  for (std::uint32_t gpu = 0; gpu < kRailGpus; ++gpu) {
    Link link{NodeId(gpu), NodeId(kRailGpus + gpu / kLocals), BitRate{2'880'000'000'000},
              PicoSeconds(25'000)};
    link.error_rate = gpu < kLocals ? loss : 0;
    graph.AddLink(link);
  }
  for (std::uint32_t gpu = 0; gpu < kRailGpus; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(kRailGpus + kServers), BitRate{400'000'000'000},
                   PicoSeconds(500'000)});
  }
  return graph;
}

FlowRequest FlowOf(Time start, std::uint32_t from, std::uint32_t to, std::int64_t size) {
  return Flow(from, to, size, /*priority=*/3, start.ps);
}

/// Four times the same, 1 ms apart: a ring on the NVLinks of each server.
std::vector<FlowRequest> Rings() {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 4; ++i) {
    for (std::uint32_t gpu = 0; gpu < kRailGpus; ++gpu) {
      const std::uint32_t next = gpu / kLocals * kLocals + (gpu + 1) % kLocals;
      flows.push_back(FlowOf(MicroSeconds(1000) * i, gpu, next, 500'000));
    }
  }
  return flows;
}

/// Four times the same: every GPU to the one with its number in the other server.
std::vector<FlowRequest> Exchanges() {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 4; ++i) {
    for (std::uint32_t gpu = 0; gpu < kRailGpus; ++gpu)
      flows.push_back(FlowOf(MicroSeconds(1000) * i, gpu, (gpu + kLocals) % kRailGpus, 500'000));
  }
  return flows;
}

class Refusals : public ::testing::Test {
 protected:
  Refusals() { scenario_.plan.grain = 0; }

  /// With and without replays; all results must be equal.
  ReplayFigures Run(const Graph& graph, const std::vector<FlowRequest>& flows) {
    return Compare([&] { return Simulate(graph, flows, scenario_); });
  }
  ReplayFigures RunCollective(const std::string& algorithm) {
    const Graph graph = TwoServers();
    std::string text;
    for (int i = 0; i < 3; ++i) text += "1 ALLREDUCE 1000000 TP\n";
    scenario_.collectives.allreduce = algorithm;
    const std::vector<Job> jobs = {
        MakeJob(graph, text, {NodeId(0), NodeId(1), NodeId(2), NodeId(3)})};
    return Compare([&] { return SimulateJobs(graph, jobs, scenario_); });
  }

  Scenario scenario_;
  DomainBooks books_;  ///< of the last run

 private:
  template <class Simulation>
  ReplayFigures Compare(const Simulation& simulate) {
    scenario_.options.replay.replay = ReplayOptions::Replay::kOff;
    const Observed off = simulate();
    scenario_.options.replay.replay = ReplayOptions::Replay::kOn;
    const Observed on = simulate();
    EXPECT_EQ(DigestParts(Join(Communicator::Serial(), on)),
              DigestParts(Join(Communicator::Serial(), off)));
    EXPECT_EQ(on.end, off.end);
    books_ = off.books;
    return on.replayed;
  }
};

void ExpectNothing(const ReplayFigures& figures) {
  EXPECT_EQ(figures.recorded, 0);
  EXPECT_EQ(figures.replayed, 0);
  EXPECT_EQ(figures.refused, 0);
}

/// The tests below change one thing of this.
TEST_F(Refusals, NoneWithoutAReason) {
  EXPECT_EQ(Run(TwoServers(), Rings()).replayed, 6);
  EXPECT_EQ(Run(TwoServers(), Exchanges()).replayed, 2);
  EXPECT_GT(RunCollective("ring").replayed, 0);
}

// For the whole run (ReplaySide::WhyNot).

TEST_F(Refusals, Monitors) {
  scenario_.options.monitors.links = true;
  ExpectNothing(Run(TwoServers(), Rings()));
}

TEST_F(Refusals, LinksThatFail) {
  LinkEvent down;
  down.time = MicroSeconds(100'000);
  down.link = LinkId(kFirstNic);
  scenario_.failures = {down};
  ExpectNothing(Run(TwoServers(), Rings()));
}

TEST_F(Refusals, APacketThatVanishesByItsNumber) {
  scenario_.options.lose_packet = 1'000'000'000;
  ExpectNothing(Run(TwoServers(), Rings()));
}

TEST_F(Refusals, UltraEthernet) {
  scenario_.options.protocol = TransportOptions::Protocol::kUec;
  ExpectNothing(Run(TwoServers(), Exchanges()));
}

TEST_F(Refusals, PathsByPacket) {
  using Ports = PortOptions::Scheme;
  for (const Ports scheme :
       {Ports::kRandom, Ports::kRoundRobin, Ports::kAdaptive, Ports::kFlowlet}) {
    scenario_.options.balance.scheme = scheme;
    ExpectNothing(Run(TwoServers(), Exchanges()));
  }
  scenario_.options.balance.scheme = Ports::kHash;
  scenario_.options.entropy.scheme = EntropyOptions::Scheme::kMixed;
  ExpectNothing(Run(TwoServers(), Exchanges()));
}

TEST_F(Refusals, CongestionControlThatHeedsEveryAck) {
  for (const int mode : {3, 7, 10}) {  // HPCC, TIMELY, HPCC with PINT
    scenario_.options.congestion.mode = mode;
    ExpectNothing(Run(TwoServers(), Rings()));
  }
  scenario_.options.congestion.mode = 1;  // DCQCN
  EXPECT_EQ(Run(TwoServers(), Rings()).replayed, 6);
}

// Islands.

TEST_F(Refusals, NvLinksWithLosses) {
  const ReplayFigures figures = Run(TwoServers(1e-6), Rings());
  EXPECT_EQ(figures.recorded + figures.refused, 2) << "of the other server";
  EXPECT_EQ(figures.replayed, 2);
}

TEST_F(Refusals, NvLinksUnderCredits) {
  scenario_.options.nvlink.layer = NvLinkOptions::Layer::kCredits;
  Graph graph = TwoServers();
  PutNvLinksOnLevel(scenario_.options.nvlink.Level(), &graph);
  ExpectNothing(Run(graph, Rings()));
}

TEST_F(Refusals, LeavesThatAreApartFromTheirGpus) {
  scenario_.plan.grain = 1;
  ExpectNothing(Run(TwoServers(), Exchanges()));
}

// Flows.

TEST_F(Refusals, FlowsOfNvSwitches) { ExpectNothing(RunCollective("nvls")); }

TEST_F(Refusals, MessagesInRequests) {
  scenario_.options.requests.scheduler = "round-robin";
  scenario_.options.nic.qps_per_connection = 2;
  ExpectNothing(Run(TwoServers(), Exchanges()));
}

// Episodes.

/// GPU 0's NIC is sent more than it takes, while the NVLinks of both servers are used: pauses are
/// counted by domain.
TEST_F(Refusals, PausesInTheDomain) {
  scenario_.options.buffer.buffer_mib = 2;
  scenario_.options.has_window = false;
  std::vector<FlowRequest> flows = Rings();
  for (std::uint32_t gpu = 1; gpu < kRailGpus; ++gpu)
    flows.push_back(FlowOf(MicroSeconds(1), gpu + (gpu < kLocals ? kLocals : 0), 0, 5'000'000));
  const ReplayFigures figures = Run(TwoServers(), flows);
  EXPECT_GT(books_.pauses, 0);
  EXPECT_GE(figures.refused, 1);
}

TEST_F(Refusals, EpisodesOfMoreThanAQuarterOfTheMemory) {
  scenario_.options.replay.memory = 1;  // MiB
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 3; ++i) {
    // They overlap, so that it is one episode.
    for (int k = 0; k < 4000; ++k)
      flows.push_back(
          FlowOf(MicroSeconds(100'000) * i + NanoSeconds(100) * k, k % 3, k % 3 + 1, 40'000));
  }
  const ReplayFigures figures = Run(TwoServers(), flows);
  EXPECT_EQ(figures.replayed, 0);
  EXPECT_GE(figures.refused, 1);
}

}  // namespace
}  // namespace heddle::testing
