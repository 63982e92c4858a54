// SPDX-License-Identifier: GPL-2.0-only
/// Collectives on fabrics without congestion compared with closed forms: the alpha-beta model, with
/// every term of a message.
///
/// A message of s bytes in one packet over h links of rate 1/beta and delay d, store and forward,
/// arrives after h ((s + 52) beta + d), and its ACK of 60 bytes arrives h (60 beta + d) later.
/// alpha is the latency before a message: 10 ns for the hand-over, the send latency, and 30 ns if a
/// ring with an odd number of channels has reduced before (SimAI's NcclTreeFlowModel.cc). One GPU a
/// server makes one ring; its messages of one step are under way at the same time on different
/// links.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/leaf_spine.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kRate = 100'000'000'000;
constexpr std::int64_t kPsPerByte = 80;  ///< at 100 Gbps
constexpr std::int64_t kDelay = 500'000;
constexpr std::int64_t kHandOver = 10'000, kReduction = 30'000, kSendLatency = 6'000'000;
constexpr std::int64_t kAlpha = kHandOver + kSendLatency;

std::int64_t DataTime(std::int64_t bytes) { return (bytes + 52) * kPsPerByte; }
constexpr std::int64_t kAckTime = 60 * kPsPerByte;

/// All GPUs on one switch; `gpus_per_server` determines the servers for schedules.
Graph Star(std::uint32_t gpus, std::uint32_t gpus_per_server) {
  Graph graph(gpus, 0, 1, gpus_per_server, "X");
  for (std::uint32_t i = 0; i < gpus; ++i)
    graph.AddLink({NodeId(i), NodeId(gpus), BitRate{kRate}, PicoSeconds(kDelay), 0});
  return graph;
}

/// One GPU a leaf: as many links up as down.
Graph Leaves(std::uint32_t gpus) {
  LeafSpine fabric;
  fabric.leaves = gpus;
  fabric.hosts_per_leaf = 1;
  fabric.spines = 1;
  return fabric.Build();
}

struct Measured {
  std::int64_t time = 0;           ///< of the collective [ps]
  std::vector<std::int64_t> sent;  ///< by GPU [byte]
  std::uint64_t messages = 0;
};

class Collective {
 public:
  Collective(const std::string& operation, std::int64_t bytes)
      : operation_(operation), bytes_(bytes) {
    transport.congestion.mode = 0;
    transport.has_window = false;
    options.send_latency = PicoSeconds(kSendLatency);
    options.chunk_bytes = std::int64_t{1} << 30;  // one piece
  }
  TransportOptions transport;
  CollectiveOptions options;

  /// All GPUs of `graph` are one tensor parallel group.
  Measured RunOn(const Graph& graph) const {
    const std::string gpus = std::to_string(graph.gpu_count());
    const std::string workload =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " + gpus +
        " ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: " + gpus +
        " checkpoints: 0 checkpoint_initiates: 0\n1\n" + "layer -1 1000 " + operation_ + " " +
        std::to_string(bytes_) + " 1 NONE 0 1 NONE 0 0\n";
    Scenario scenario = transport;
    scenario.collectives = options;
    const Observed outcome = SimulateJobs(graph, {MakeJob(graph, workload)}, scenario);
    EXPECT_TRUE(outcome.waiting.empty());
    Measured measured;
    const Table& collectives = outcome.jobs.at(2);
    measured.time = GetColumn<std::int64_t>(collectives, "end_ps").at(0) -
                    GetColumn<std::int64_t>(collectives, "start_ps").at(0);
    const auto& source = GetColumn<std::uint32_t>(outcome.flows, "src");
    const auto& size = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
    measured.sent.resize(graph.gpu_count());
    for (std::size_t i = 0; i < source.size(); ++i) measured.sent[source[i]] += size[i];
    measured.messages = source.size();
    return measured;
  }

 private:
  std::string operation_;
  std::int64_t bytes_;
};

struct RingCase {
  const char* operation;
  std::int64_t passes;  ///< passes around the ring
  std::int64_t steps(std::int64_t n) const { return passes * (n - 1); }
  /// Number of steps before which the sender has reduced.
  std::int64_t reductions(std::int64_t n) const {
    if (passes == 2) return n - 1;
    return std::string(operation) == "REDUCESCATTER" ? n - 2 : 0;
  }
};

class Ring : public ::testing::TestWithParam<RingCase> {};

TEST_P(Ring, OfOnePacketMessagesToThePicosecond) {
  const RingCase& ring = GetParam();
  for (const std::uint32_t n : {2U, 3U, 4U, 8U, 16U}) {
    for (const std::int64_t part : {std::int64_t{4096}, std::int64_t{8999}, std::int64_t{9000}}) {
      for (const bool acked : {true, false}) {
        for (const std::int64_t hops : {2, 4}) {
          Collective collective(ring.operation, part * n);
          collective.transport.completion = acked ? TransportOptions::Completion::kAcked
                                                  : TransportOptions::Completion::kReceived;
          const Measured measured = collective.RunOn(hops == 2 ? Star(n, 1) : Leaves(n));
          const std::int64_t there = hops * (DataTime(part) + kDelay),
                             back = hops * (kAckTime + kDelay);
          const std::int64_t expected = ring.steps(n) * (kAlpha + there + (acked ? back : 0)) +
                                        ring.reductions(n) * kReduction;
          EXPECT_EQ(measured.time, expected) << n << " ranks, " << part << " bytes a message, "
                                             << hops << " links, acked " << acked;
          EXPECT_EQ(measured.sent, std::vector<std::int64_t>(n, ring.steps(n) * part))
              << "2 (n-1)/n B or (n-1)/n B";
        }
      }
    }
  }
}

/// N packets a message. A link carries them and the ACKs of the message in the opposite direction:
/// the first of these after k packets, then one after each packet.
TEST_P(Ring, OfLongMessagesWithinOnePerMille) {
  const RingCase& ring = GetParam();
  constexpr std::int64_t kPayload = 9000, kHops = 2;
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    for (const std::int64_t packets : {50, 500, 2000}) {
      Collective collective(ring.operation, packets * kPayload * n);
      const Measured measured = collective.RunOn(Star(n, 1));
      const std::int64_t full = DataTime(kPayload), first_ack = kHops * (full + kDelay);
      const std::int64_t acks = packets - (first_ack + full - 1) / full;
      const std::int64_t message = (packets + kHops - 1) * full + acks * kAckTime + kHops * kDelay +
                                   kHops * (kAckTime + kDelay);
      const auto expected =
          static_cast<double>(ring.steps(n) * (kAlpha + message) + ring.reductions(n) * kReduction);
      EXPECT_NEAR(static_cast<double>(measured.time), expected, 0.001 * expected)
          << n << " ranks, " << packets << " packets a message";
      EXPECT_EQ(measured.sent, std::vector<std::int64_t>(n, ring.steps(n) * packets * kPayload));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, Ring,
                         ::testing::Values(RingCase{"ALLREDUCE", 2}, RingCase{"ALLGATHER", 1},
                                           RingCase{"REDUCESCATTER", 1}),
                         [](const auto& made) { return std::string(made.param.operation); });

/// One server of n GPUs without NVSwitch: n channels, whose trees are the chains that begin at each
/// GPU in turn. In every step each GPU sends and receives one message. Depth n - 1, up and down.
TEST(Tree, OfChainsToThePicosecond) {
  for (const std::uint32_t n : {2U, 3U, 4U, 8U}) {
    for (const std::int64_t part : {std::int64_t{4096}, std::int64_t{9000}}) {
      for (const bool acked : {true, false}) {
        Collective collective("ALLREDUCE", part * n);
        collective.options.allreduce = "tree";
        collective.transport.completion =
            acked ? TransportOptions::Completion::kAcked : TransportOptions::Completion::kReceived;
        const Measured measured = collective.RunOn(Star(n, n));
        const std::int64_t there = 2 * (DataTime(part) + kDelay), back = 2 * (kAckTime + kDelay);
        EXPECT_EQ(measured.time, 2 * (n - 1) * (kAlpha + there + (acked ? back : 0)))
            << n << " ranks, " << part << " bytes a message";
        EXPECT_EQ(measured.sent, std::vector<std::int64_t>(n, 2 * (n - 1) * part));
      }
    }
  }
}

/// Servers of one GPU: two binary trees with half the data each, floor(log2(n - 1)) + 1 edges deep.
/// At most two children's messages and one of the other tree meet at a link: three packets.
TEST(Tree, OfBinaryTreesBetweenTheBoundsOfItsDepth) {
  for (const std::uint32_t n : {2U, 3U, 4U, 5U, 8U, 9U, 16U, 32U}) {
    constexpr std::int64_t kBytes = 4096;
    Collective collective("ALLREDUCE", kBytes);
    collective.options.allreduce = "tree";
    const Measured measured = collective.RunOn(Star(n, 1));
    const std::int64_t depth = static_cast<std::int64_t>(std::floor(std::log2(n - 1))) + 1;
    const std::int64_t alone = kAlpha + 2 * (DataTime(kBytes / 2) + kAckTime) + 4 * kDelay;
    EXPECT_GE(measured.time, 2 * depth * alone) << n;
    EXPECT_LE(measured.time, 2 * depth * (alone + 2 * DataTime(kBytes / 2) + 2 * kAckTime)) << n;
    if (n == 2) {
      EXPECT_EQ(measured.time, 2 * alone);
    }
    EXPECT_EQ(measured.messages, 2 * 2 * (n - 1));
    EXPECT_EQ(std::accumulate(measured.sent.begin(), measured.sent.end(), std::int64_t{0}),
              2 * (n - 1) * kBytes);
  }
}

/// Every rank sends its slices at once; its link carries them one after the other, as does the last
/// link to each rank.
TEST(AllToAll, IsBoundByTheLinkOfEachRank) {
  constexpr std::int64_t kPackets = 100, kPayload = 9000;
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    Collective collective("ALLTOALL", kPackets * kPayload * n);
    const Measured measured = collective.RunOn(Star(n, 1));
    const std::int64_t full = DataTime(kPayload), packets = (n - 1) * kPackets;
    const std::int64_t least = kAlpha + (packets + 1) * full + 4 * kDelay + 2 * kAckTime;
    EXPECT_GE(measured.time, least) << n;
    EXPECT_LE(measured.time, least + packets * kAckTime + packets / 10 * full) << n;
    EXPECT_EQ(measured.sent, std::vector<std::int64_t>(n, packets * kPayload));
  }
}

}  // namespace
}  // namespace heddle::testing
