// SPDX-License-Identifier: GPL-2.0-only
/// CollNet in packets: trees of switches that add, on links of 100 Gbps.
///
/// t: time of a packet, a: of an ACK, d: delay of a link, s: of a switch's addition, A: software
/// and hand-over. With one ACK a flow, the root's ACK of the last packet goes before a result that
/// is there by then, and all later ones follow; unless additions take so long that it has left
/// before the first.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "collectives/schedule/group_shape.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing::collnet {
namespace {

constexpr std::int64_t kPayload = 1000;
constexpr std::int64_t t = (kPayload + 52) * kPs, a = kAckTx;
constexpr std::int64_t d = 400 * kMicro, h = 10'000, A = h + 90 * kMicro;

void Join(Graph* graph, std::uint32_t x, std::uint32_t y) {
  graph->AddLink({NodeId(x), NodeId(y), BitRate{100 * kG}, PicoSeconds(d), 0});
}

/// Servers of one GPU below a tree of switches: `levels` of them, two below each.
Graph Tree(std::uint32_t levels) {
  const std::uint32_t gpus = 1U << levels;
  Graph graph(gpus, 0, gpus - 1, 1, "X");
  // Switches from the leaves up: gpus / 2 of the first level, and so on.
  std::uint32_t below = 0, here = gpus;
  for (std::uint32_t count = gpus; count > 1; count /= 2) {
    for (std::uint32_t i = 0; i < count; ++i) Join(&graph, below + i, here + i / 2);
    below = here;
    here += count / 2;
  }
  graph.LetSwitchesAdd();
  return graph;
}

Graph Star(std::uint32_t gpus) {
  Graph graph(gpus, 0, 1, 1, "X");
  for (std::uint32_t i = 0; i < gpus; ++i) Join(&graph, i, gpus);
  graph.LetSwitchesAdd();
  return graph;
}

/// Two servers with an NVSwitch each; local rank l of both is linked to switch l.
Graph Servers(std::uint32_t locals) {
  const std::uint32_t gpus = 2 * locals;
  Graph graph(gpus, 2, locals, locals, "X");
  for (std::uint32_t i = 0; i < gpus; ++i) {
    Join(&graph, i, gpus + i / locals);
    Join(&graph, i, gpus + 2 + i % locals);
  }
  graph.LetSwitchesAdd();
  return graph;
}

struct Case {
  const char* form = "collnet_direct";
  std::int64_t packets = 1;  ///< of a slice
  std::int64_t latency = 0;  ///< of an addition [ps]
  std::int64_t piece = 32 * 1024;
};

Scenario ScenarioOf(const Case& the) {
  TransportOptions transport = Unlimited();
  transport.payload = kPayload;
  transport.buffer.buffer_mib = 4095;  // for what comes after a pause on long links
  transport.completion = TransportOptions::Completion::kReceived;
  transport.reliability.ack_interval = 1'000'000'000;
  transport.aggregation.latency = PicoSeconds(the.latency);
  Scenario scenario = transport;
  scenario.collectives.allreduce = the.form;
  scenario.collectives.chunk_bytes = the.piece;
  scenario.collectives.send_latency = PicoSeconds(A - h);
  return scenario;
}

/// Of all GPUs.
std::string AllReduce(std::int64_t bytes) {
  return "MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE " + std::to_string(bytes) + " 0\n";
}

Observed Play(const Graph& graph, const Case& the) {
  const std::int64_t slices = graph.gpus_per_server();
  const Job job = MakeJob(graph, AllReduce(slices * the.packets * kPayload));
  Observed outcome = SimulateJobs(graph, {job}, ScenarioOf(the));
  EXPECT_TRUE(outcome.waiting.empty()) << outcome.waiting.front();
  return outcome;
}

/// Another operation of all GPUs, in parts of K packets.
Observed PlayParts(const Graph& graph, const std::string& operation, std::int64_t bytes,
                   std::int64_t K) {
  Scenario scenario = ScenarioOf({"auto", K, 0, K * kPayload});
  scenario.collectives.allgather = scenario.collectives.reducescatter = "collnet_direct";
  const Job job = MakeJob(graph, "MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 " + operation + " " +
                                     std::to_string(bytes) + " 0\n");
  Observed outcome = SimulateJobs(graph, {job}, scenario);
  EXPECT_TRUE(outcome.waiting.empty()) << outcome.waiting.front();
  return outcome;
}

std::int64_t TimeOf(const Observed& outcome) {
  const Table& collectives = outcome.jobs.at(2);
  return GetColumn<std::int64_t>(collectives, "end_ps").at(0) -
         GetColumn<std::int64_t>(collectives, "start_ps").at(0);
}

/// Of K packets through L levels of switches: up, and down again behind the root's last ACK.
std::int64_t Network(std::int64_t K, std::int64_t L, std::int64_t s) {
  const std::int64_t ack = s < (K - 1) * t + a ? a : 0;
  return K * t + (2 * L - 1) * t + 2 * L * d + L * s + ack;
}

TEST(CollNet, ThroughOneSwitchToThePicosecond) {
  for (std::uint32_t n = 2; n <= 16; ++n) {
    for (const std::int64_t K : {1, 2, 7, 30}) {
      for (const std::int64_t s : {std::int64_t{0}, a, 3 * t})
        EXPECT_EQ(TimeOf(Play(Star(n), {"collnet_direct", K, s})), A + Network(K, 1, s))
            << n << " servers, " << K << " packets, addition of " << s << " ps";
    }
  }
}

TEST(CollNet, ThroughTiersToThePicosecond) {
  for (std::uint32_t L = 2; L <= 5; ++L) {
    for (const std::int64_t K : {1, 2, 7, 30}) {
      for (const std::int64_t s : {std::int64_t{0}, a, 3 * t})
        EXPECT_EQ(TimeOf(Play(Tree(L), {"collnet_direct", K, s})), A + Network(K, L, s))
            << L << " tiers, " << K << " packets, addition of " << s << " ps";
    }
  }
}

/// To the head over the NVSwitch, the network, and back; each phase waits for software.
TEST(CollNet, DirectToThePicosecond) {
  const std::int64_t nvlink = A + 2 * t + 2 * d;
  EXPECT_EQ(TimeOf(Play(Servers(2), {"collnet_direct", 1, 0})),
            nvlink + A + Network(1, 1, 0) + nvlink);
}

TEST(CollNet, ChainToThePicosecond) {
  const std::int64_t nvlink = A + 2 * t + 2 * d;
  for (std::uint32_t g = 2; g <= 4; ++g) {
    EXPECT_EQ(TimeOf(Play(Servers(g), {"collnet_chain", 1, 0})),
              (g - 1) * nvlink + A + Network(1, 1, 0) + (g - 1) * nvlink)
        << g << " GPUs a server";
  }
}

/// A slice goes over every link of its tree once each way, and over no other link of the network.
TEST(CollNet, LinksOfTheTreeCarryASliceEachWay) {
  constexpr std::int64_t kPackets = 30, kPieces = 3;
  for (const std::int64_t piece : {32 * 1024, 10 * 1000}) {
    const Graph graph = Tree(3);
    const Observed outcome = Play(graph, {"collnet_direct", kPackets, 0, piece});
    const auto& sources = GetColumn<std::uint32_t>(outcome.flows, "src");
    const auto& destinations = GetColumn<std::uint32_t>(outcome.flows, "dst");
    const auto& sizes = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> links;
    for (std::size_t i = 0; i < sizes.size(); ++i) links[{sources[i], destinations[i]}] += sizes[i];
    EXPECT_EQ(links.size(), 2U * (8 + 7 - 1));
    for (const auto& [ends, bytes] : links) EXPECT_EQ(bytes, kPackets * kPayload);
    EXPECT_EQ(sizes.size(), links.size() * (piece == 10'000 ? kPieces : 1));
    // Every port: its packets, and the ACKs of what comes the other way.
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
      EXPECT_EQ(PortFigure(outcome, gpu, 0, "sent_bytes"),
                kPackets * (kPayload + 52) + (piece == 10'000 ? kPieces : 1) * 60);
    }
  }
}

/// Lost packets are sent again on their link, and added once: all that feeds and carries on a sum
/// arrives in whole, and the collective ends.
TEST(CollNet, LossesOnTheTreeAreMendedOnTheirLinks) {
  for (const bool selective : {false, true}) {
    Case the{"collnet_direct", 30, 0, 10 * 1000};
    Scenario scenario = ScenarioOf(the);
    scenario.options.reliability.error_rate = 0.02;
    scenario.options.reliability.selective_repeat = selective;
    scenario.options.reliability.ack_interval = 1;
    const Graph graph = Tree(3);
    const Observed outcome = SimulateJobs(graph, {MakeJob(graph, AllReduce(30'000))}, scenario);
    EXPECT_TRUE(outcome.waiting.empty());
    EXPECT_TRUE(AllFinished(outcome));
    EXPECT_GT(GetColumn<std::uint32_t>(outcome.drops, "node").size(), 5U);
    EXPECT_GT(outcome.books.resent_bytes, 0);
    EXPECT_GT(TimeOf(outcome), A + Network(30, 3, 0));
  }
}

/// Of blocks of K packets. A root's links down carry all blocks behind the ACKs of what came up.
TEST(CollNet, AllGatherToThePicosecond) {
  for (const std::int64_t K : {1, 3}) {
    for (std::uint32_t n = 2; n <= 9; ++n) {
      const Observed outcome = PlayParts(Star(n), "ALLGATHER", n * K * kPayload, K);
      EXPECT_EQ(TimeOf(outcome), A + t + d + n * K * t + a + d) << n << " servers, " << K;
    }
    for (std::uint32_t L = 2; L <= 4; ++L) {
      const std::int64_t n = std::int64_t{1} << L;
      const Observed outcome = PlayParts(Tree(L), "ALLGATHER", n * K * kPayload, K);
      EXPECT_EQ(TimeOf(outcome), A + L * (t + d) + n * K * t + n / 2 * a + (L - 1) * t + L * d)
          << L << " tiers, " << K;
    }
  }
}

/// What a head sends is all; what comes back is one block, behind the last ACK.
TEST(CollNet, ReduceScatterToThePicosecond) {
  for (const std::int64_t K : {1, 3}) {
    for (std::uint32_t n = 2; n <= 9; ++n) {
      const Observed outcome = PlayParts(Star(n), "REDUCESCATTER", n * K * kPayload, K);
      EXPECT_EQ(TimeOf(outcome), A + n * K * t + d + a + t + d) << n << " servers, " << K;
    }
  }
}

/// Of each job, the algorithm of its AllReduce.
std::vector<std::string> AlgorithmsOf(const Graph& graph, const std::vector<Job>& jobs,
                                      const Scenario& scenario) {
  const Observed outcome = SimulateJobs(graph, jobs, scenario);
  EXPECT_TRUE(outcome.waiting.empty());
  return GetColumn<std::string>(outcome.jobs.at(2), "algorithm");
}

/// In the low-latency mode of switches each packet of a slice is an operation, which the switch
/// acknowledges before it sends the sum.
TEST(CollNet, OneOperationAfterTheOtherToThePicosecond) {
  for (const std::uint32_t n : {2U, 5U}) {
    for (const std::int64_t K : {1, 2, 7}) {
      Graph graph = Star(n);
      graph.LetSwitchesAdd(Graph::kAnyStreams, {kPayload, 1});
      EXPECT_EQ(TimeOf(Play(graph, {"collnet_direct", K})),
                A + K * (2 * t + 2 * d + a) + (K - 1) * h)
          << n << " servers, " << K << " operations";
    }
  }
}

TEST(CollNet, AllOperationsAtOnceToThePicosecond) {
  for (const std::uint32_t n : {2U, 5U}) {
    for (const std::int64_t K : {1, 2, 7, 30}) {
      Graph graph = Star(n);
      graph.LetSwitchesAdd(Graph::kAnyStreams, {kPayload, 64});
      EXPECT_EQ(TimeOf(Play(graph, {"collnet_direct", K})), A + t + 2 * d + K * (a + t))
          << n << " servers, " << K << " operations";
    }
  }
}

/// What a link carries is what it carries in streaming mode, and a second job needs no stream.
TEST(CollNet, OperationsNeedNoStream) {
  Scenario scenario = ScenarioOf({"collnet_direct", 1, 0});
  Graph graph(4, 0, 1, 1, "H100");
  for (std::uint32_t i = 0; i < 4; ++i) Join(&graph, i, 4);
  TransportOptions transport;
  transport.aggregation.switches = AggregationOptions::Switches::kAll;
  transport.aggregation.mode = AggregationOptions::Mode::kLowLatency;
  transport.aggregation.Apply(kPayload, &graph);
  EXPECT_EQ(graph.sum_operations().bytes, kPayload) << "no more than a packet";
  const std::vector<Job> jobs = {MakeJob(graph, AllReduce(1 << 16), {NodeId(0), NodeId(2)}),
                                 MakeJob(graph, AllReduce(1 << 16), {NodeId(1), NodeId(3)})};
  for (const std::string& algorithm : AlgorithmsOf(graph, jobs, scenario))
    EXPECT_EQ(algorithm, "COLLNET_DIRECT");
  scenario.collectives.reducescatter = "collnet_direct";
  const Job other = MakeJob(graph, "MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 REDUCESCATTER 4096 0\n");
  try {
    SimulateJobs(graph, {other}, scenario);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "REDUCESCATTER of a DP group of 4 GPUs by collnet_direct: switches are in "
        "low-latency mode (aggregation.mode), which serves ALLREDUCE by collnet_direct and "
        "collnet_chain only");
  }
}

/// Two jobs below one switch: of streams, the first job takes those that there are.
TEST(CollNet, AJobThatFindsNoStreamTakesTheNextBest) {
  Scenario scenario = ScenarioOf({"auto", 1, 0});
  scenario.collectives.choice = CollectiveOptions::Choice::kNccl;
  scenario.collectives.collnet = true;
  for (const std::uint32_t streams : {1U, 2U}) {
    Graph graph(4, 0, 1, 1, "H100");
    for (std::uint32_t i = 0; i < 4; ++i) Join(&graph, i, 4);
    graph.LetSwitchesAdd(streams);
    const std::vector<Job> jobs = {MakeJob(graph, AllReduce(1 << 16), {NodeId(0), NodeId(2)}),
                                   MakeJob(graph, AllReduce(1 << 16), {NodeId(1), NodeId(3)})};
    const std::vector<std::string> algorithms = AlgorithmsOf(graph, jobs, scenario);
    ASSERT_EQ(algorithms.size(), 2U);
    EXPECT_EQ(algorithms[0].find("COLLNET"), 0U) << algorithms[0];
    EXPECT_EQ(algorithms[1].find("COLLNET") == 0, streams == 2) << algorithms[1];
  }
  scenario.collectives.choice = CollectiveOptions::Choice::kSimccl;
  scenario.collectives.allreduce = "collnet_direct";
  Graph graph(4, 0, 1, 1, "H100");
  for (std::uint32_t i = 0; i < 4; ++i) Join(&graph, i, 4);
  graph.LetSwitchesAdd(1);
  const std::vector<Job> jobs = {MakeJob(graph, AllReduce(1 << 16), {NodeId(0), NodeId(2)}),
                                 MakeJob(graph, AllReduce(1 << 16), {NodeId(1), NodeId(3)})};
  try {
    SimulateJobs(graph, jobs, scenario);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "ALLREDUCE of a DP group of 2 GPUs by collnet_direct: switch 4 has no stream left: "
        "DP group 0 of job 0 holds it (aggregation.streams=1). With algorithm.choice=nccl "
        "it would take the next best");
  }
}

/// Trees avoid a link that is down when the job starts; what fails later is not repaired.
TEST(CollNet, TreesAvoidWhatIsDownAtTheStart) {
  // Two leaves of a GPU, 2 and 3, and two spines, 4 and 5.
  Graph graph(2, 0, 4, 1, "X");
  for (std::uint32_t i = 0; i < 2; ++i) {
    Join(&graph, i, 2 + i);
    Join(&graph, 2 + i, 4);
    Join(&graph, 2 + i, 5);
  }
  graph.LetSwitchesAdd();
  Scenario scenario = ScenarioOf({"collnet_direct", 3, 0});
  scenario.failures = {{Time{0}, LinkId(1), LinkEvent::Kind::kDown, {}, {}}};
  const auto roots = [&](Time start) {
    const Observed outcome =
        SimulateJobs(graph, {MakeJob(graph, AllReduce(3000), {}, start)}, scenario);
    std::set<std::uint32_t> nodes;
    for (const std::uint32_t node : GetColumn<std::uint32_t>(outcome.flows, "dst")) {
      if (node >= 4) nodes.insert(node);
    }
    return std::make_pair(nodes, outcome.waiting.empty());
  };
  EXPECT_EQ(roots({}), std::make_pair(std::set<std::uint32_t>{5}, true));
  scenario.failures = {{MicroSeconds(1), LinkId(1), LinkEvent::Kind::kDown, {}, {}}};
  EXPECT_EQ(roots(MicroSeconds(2)), std::make_pair(std::set<std::uint32_t>{5}, true));
  scenario.failures.push_back({MicroSeconds(2), LinkId(1), LinkEvent::Kind::kUp, {}, {}});
  EXPECT_EQ(roots(MicroSeconds(3)), std::make_pair(std::set<std::uint32_t>{4}, true));
}

/// All go on at the pace of the slowest member.
/// Two servers of GPUs, each at a leaf of its own, and as many spines as a server has GPUs.
Graph LeavesAndSpines(std::uint32_t locals) {
  Graph graph(2 * locals, 0, 2 + locals, locals, "X");
  for (std::uint32_t i = 0; i < 2 * locals; ++i) Join(&graph, i, 2 * locals + i / locals);
  for (std::uint32_t spine = 0; spine < locals; ++spine) {
    Join(&graph, 2 * locals, 2 * locals + 2 + spine);
    Join(&graph, 2 * locals + 1, 2 * locals + 2 + spine);
  }
  graph.LetSwitchesAdd();
  return graph;
}

TEST(CollNet, GroupsThatShareServersHaveOtherRoots) {
  const Graph graph = LeavesAndSpines(4);
  std::set<std::uint32_t> roots;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    const GroupShape shape(graph, {NodeId(gpu), NodeId(4 + gpu)});
    ASSERT_EQ(shape.trees(), 1u);
    roots.insert(shape.tree(0).switches.front().value);
  }
  EXPECT_EQ(roots.size(), 4u);
}

TEST(CollNet, WaitsForTheSlowestServer) {
  const Scenario scenario = ScenarioOf({"collnet_direct", 7, 0});
  // One link is ten times slower: its packets arrive every 10 t, and pace the sum.
  Graph slow(4, 0, 1, 1, "X");
  for (std::uint32_t i = 0; i < 4; ++i)
    slow.AddLink({NodeId(i), NodeId(4), BitRate{(i == 2 ? 10 : 100) * kG}, PicoSeconds(d), 0});
  slow.LetSwitchesAdd();
  const Observed outcome = SimulateJobs(slow, {MakeJob(slow, AllReduce(7000))}, scenario);
  // Up at 10 t a packet, and the last one down at 10 t behind the ACK.
  EXPECT_EQ(TimeOf(outcome), A + 7 * 10 * t + d + 10 * a + 10 * t + d);
}

// All nodes of a scale-up fabric are of its dimensions, whose switches forward only: a tree there
// would end flows at a switch.
TEST(CollNet, SwitchesOfADimensionLayNoTrees) {
  Graph graph = ScaleUpFabric({Switched(3, 2), Switched(4, 2)});
  graph.LetSwitchesAdd();
  try {
    Play(graph, {});
    FAIL() << "a tree of switches that do not add";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("switches of a scale-up dimension do not add"),
              std::string::npos)
        << error.what();
  }
  Job job = MakeJob(graph, AllReduce(4096));
  Scenario tuned = ScenarioOf({"auto"});
  const Observed outcome = SimulateJobs(graph, {job}, tuned);
  EXPECT_TRUE(outcome.waiting.empty()) << outcome.waiting.front();
}

}  // namespace
}  // namespace heddle::testing::collnet
