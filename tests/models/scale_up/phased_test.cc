// SPDX-License-Identifier: GPL-2.0-only
// Collectives in phases on idle lanes: the closed forms, to the picosecond.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "tests/support/results.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kEndpoint = 10'000;

/// How long a collective of one chunk takes on this fabric [ps].
std::int64_t TimeOf(const std::vector<NetworkDimension>& dimensions, const std::string& operation,
                    std::int64_t bytes, const PhasedOptions& options) {
  const Graph graph = ScaleUpFabric(dimensions);
  Scenario scenario;
  scenario.collectives.phased = options;
  scenario.collectives.phased.splits = 1;
  scenario.collectives.phased.all_to_all_splits = 1;
  const Observed o =
      SimulateJobs(graph,
                   {MakeJob(graph, "MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 " + operation + " " +
                                       std::to_string(bytes) + " 0\n")},
                   scenario);
  for (const Table& table : o.jobs) {
    if (table.name == "collectives")
      return GetColumn<std::int64_t>(table, "end_ps").at(0) -
             GetColumn<std::int64_t>(table, "start_ps").at(0);
  }
  return -1;
}

std::int64_t TimeOf(const std::vector<NetworkDimension>& dimensions, const std::string& operation,
                    std::int64_t bytes, const std::string& phases, const std::string& routing,
                    const std::string& algorithm = "auto") {
  PhasedOptions options;
  options.collectives = *FindWord<PhasedOptions::Form>(phases);
  options.routing = *FindWord<PhasedOptions::Routing>(routing);
  options.algorithm = algorithm;
  return TimeOf(dimensions, operation, bytes, options);
}

/// A message of this many packets to a neighbour.
std::int64_t Message(std::int64_t packets) { return packets * kPacketTime + kHop; }
/// `steps` messages of a ring, one after the other.
std::int64_t RingTime(std::int64_t steps, std::int64_t packets) {
  return kEndpoint + steps * (Message(packets) + kEndpoint);
}

TEST(Phased, RingsTakeTheirClosedForms) {
  for (const std::int64_t n : {2, 3, 8}) {
    const auto ring = [&](const char* operation, const char* routing) {
      return TimeOf({Loop(static_cast<std::uint32_t>(n), 1)}, operation, n * 2560, "baseline",
                    routing);
    };
    EXPECT_EQ(ring("ALLREDUCE", "software"), RingTime(2 * (n - 1), 10));
    EXPECT_EQ(ring("REDUCESCATTER", "software"), RingTime(n - 1, 10));
    EXPECT_EQ(ring("ALLGATHER", "software"), RingTime(n - 1, 10));
    EXPECT_EQ(ring("ALLTOALL", "software"), RingTime(n * (n - 1) / 2, 10));
  }
}

TEST(Phased, DelaysCountEachChunkAndMessageOnce) {
  const Graph graph = ScaleUpFabric({Loop(2, 1), Loop(3, 1)});
  Scenario scenario;
  scenario.collectives.phased.collectives = PhasedOptions::Form::kEnhanced;
  const Observed o = SimulateJobs(
      graph, {MakeJob(graph, "MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 98304 0\n")},
      scenario);
  for (const Table& table : o.jobs) {
    if (table.name != "phase_delays") continue;
    // The ready list, then reduce-scatter, all-reduce, all-gather: 1, 4 and 1 messages.
    EXPECT_EQ(GetColumn<std::int64_t>(table, "chunks"),
              (std::vector<std::int64_t>(4, std::int64_t{6} * 16)));
    EXPECT_EQ(GetColumn<std::int64_t>(table, "messages"),
              (std::vector<std::int64_t>{0, 6 * 16, 4 * 6 * 16, 6 * 16}));
    std::int64_t messages = 0;
    for (const std::int64_t n : GetColumn<std::int64_t>(table, "messages")) messages += n;
    EXPECT_EQ(messages,
              static_cast<std::int64_t>(GetColumn<std::int64_t>(o.flows, "fct_ps").size()));
    return;
  }
  FAIL() << "no table of delays";
}

TEST(Phased, AMessagesDelayIsItsTimeOnAnIdleRing) {
  const Graph graph = ScaleUpFabric({Loop(3, 1)});
  Scenario scenario;
  scenario.collectives.phased.collectives = PhasedOptions::Form::kBaseline;
  scenario.collectives.phased.splits = 1;
  const Observed o = SimulateJobs(
      graph, {MakeJob(graph, "MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 7680 0\n")},
      scenario);
  for (const Table& table : o.jobs) {
    if (table.name != "phase_delays") continue;
    EXPECT_EQ(GetColumn<std::int64_t>(table, "queued_ps"), (std::vector<std::int64_t>{0, 0}));
    EXPECT_EQ(GetColumn<std::int64_t>(table, "network_ps").at(1), 3 * 4 * Message(10));
    return;
  }
  FAIL() << "no table of delays";
}

TEST(Phased, DirectExchangesShareNothingOnAFullMesh) {
  EXPECT_EQ(TimeOf({Mesh(5)}, "ALLREDUCE", 5 * 2560, "baseline", "software"), RingTime(2, 10));
  EXPECT_EQ(TimeOf({Mesh(5)}, "ALLTOALL", 5 * 2560, "baseline", "software"), RingTime(1, 10));
}

TEST(Phased, TreesGoUpAndDownWithTheWholeChunk) {
  // On a full mesh no messages share a link: a line of 2^d members is d edges deep.
  for (const std::uint32_t depth : {1U, 2U, 3U, 4U}) {
    EXPECT_EQ(
        TimeOf({Mesh(1U << depth)}, "ALLREDUCE", 2560, "baseline", "software", "doubleBinaryTree"),
        RingTime(2 * depth, 10));
  }
  EXPECT_EQ(TimeOf({Mesh(5), Mesh(4)}, "ALLREDUCE", 5 * 2560, "baseline", "software",
                   "direct_doubleBinaryTree"),
            RingTime(2, 10) + RingTime(4, 50));
}

TEST(Phased, HalvingAndDoublingTakesItsClosedForm) {
  const auto time = [](const char* operation, std::int64_t bytes) {
    return TimeOf({Mesh(8)}, operation, bytes, "baseline", "software", "halvingDoubling");
  };
  const std::int64_t step = kEndpoint, d = 8 * 2560;
  const std::int64_t halves = Message(40) + Message(20) + Message(10) + 3 * step;
  EXPECT_EQ(time("REDUCESCATTER", d), kEndpoint + halves);
  EXPECT_EQ(time("ALLGATHER", d), kEndpoint + halves);
  EXPECT_EQ(time("ALLREDUCE", d), kEndpoint + 2 * halves);
}

TEST(Phased, OneLineJoinsTheDimensions) {
  // Six members in the order of their numbers. From the end of a row to the next one it is two
  // hops, store and forward by packet, and a ring is as slow as its longest way.
  const std::vector<NetworkDimension> mesh = {Mesh(2), Mesh(3)};
  const std::int64_t step = 10 * kPacketTime + kPacketTime + 2 * kHop + kEndpoint;
  EXPECT_LE(TimeOf(mesh, "ALLREDUCE", 6 * 2560, "baseline", "software", "oneRing"),
            kEndpoint + 10 * step);
  EXPECT_GT(TimeOf(mesh, "ALLREDUCE", 6 * 2560, "baseline", "software", "oneRing"),
            kEndpoint + 5 * step);
  EXPECT_EQ(TimeOf({Mesh(6), Mesh(1)}, "ALLREDUCE", 6 * 2560, "baseline", "software", "oneRing"),
            RingTime(10, 10));
  EXPECT_EQ(TimeOf({Mesh(6)}, "ALLTOALL", 6 * 2560, "baseline", "software", "oneDirect"),
            RingTime(1, 10));
}

TEST(Phased, ReductionsDelayWhatIsAdded) {
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kBaseline;
  options.reduction_delay = NanoSeconds(5);
  options.memory_bandwidth = 1000;  // a byte a picosecond
  const std::int64_t sum = 5'000 + 3 * 2560;
  EXPECT_EQ(TimeOf({Loop(4, 1)}, "ALLREDUCE", 4 * 2560, options), RingTime(6, 10) + 3 * sum);
  EXPECT_EQ(TimeOf({Loop(4, 1)}, "ALLGATHER", 4 * 2560, options), RingTime(3, 10));
  EXPECT_EQ(TimeOf({Mesh(4)}, "REDUCESCATTER", 4 * 2560, options), RingTime(1, 10) + sum);
  EXPECT_EQ(TimeOf({Mesh(4)}, "ALLTOALL", 4 * 2560, options), RingTime(1, 10));
  options.algorithm = "halvingDoubling";
  const std::int64_t halves = Message(20) + Message(10) + 2 * kEndpoint;
  EXPECT_EQ(TimeOf({Mesh(4)}, "ALLREDUCE", 4 * 2560, options),
            kEndpoint + 2 * halves + 2 * 5'000 + 3 * (5120 + 2560));
  options.halving_sums = PhasedOptions::HalvingSums::kNext;
  EXPECT_EQ(TimeOf({Mesh(4)}, "ALLREDUCE", 4 * 2560, options), kEndpoint + 2 * halves + sum);
}

TEST(Phased, AscendingDimensionsScatterDownAndGatherBack) {
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kEnhanced;
  options.dimensions = PhasedOptions::Dimensions::kAscending;
  const std::vector<NetworkDimension> torus = {Loop(4, 2), Loop(2, 1, 1), Loop(8, 1, 1)};
  const std::int64_t bytes = 4 * 8 * 2 * 2560;
  const std::int64_t scatters = RingTime(3, 160) + RingTime(1, 80);
  EXPECT_EQ(TimeOf(torus, "ALLREDUCE", bytes, options), 2 * scatters + RingTime(14, 10));
  options.collectives = PhasedOptions::Form::kBaseline;
  EXPECT_EQ(TimeOf(torus, "ALLREDUCE", bytes, options),
            RingTime(6, 160) + RingTime(2, 320) + RingTime(14, 80));
  // Of the output an NPU begins with a 64th.
  EXPECT_EQ(TimeOf(torus, "ALLGATHER", bytes, options),
            RingTime(7, 10) + RingTime(1, 80) + RingTime(3, 160));
}

TEST(Phased, OperationsMayHaveAlgorithmsOfTheirOwn) {
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kBaseline;
  options.algorithm = "halvingDoubling";
  options.all_gather = "ring";
  options.reduce_scatter = "direct";
  EXPECT_EQ(TimeOf({Mesh(4)}, "ALLGATHER", 4 * 2560, options), RingTime(3, 10));
  EXPECT_EQ(TimeOf({Mesh(4)}, "REDUCESCATTER", 4 * 2560, options), RingTime(1, 10));
}

TEST(Phased, HalvingIsRefusedWhereNothingCanBeHalved) {
  const auto refusal = [](const std::vector<NetworkDimension>& dimensions, const char* algorithm) {
    try {
      TimeOf(dimensions, "ALLREDUCE", 1 << 20, "baseline", "software", algorithm);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal({Mesh(4), Mesh(6)}, "halvingDoubling"),
            "phases.algorithm: halvingDoubling in dimension 1 of 6 NPUs. Expected: a power of two");
  EXPECT_EQ(refusal({Mesh(4), Mesh(6)}, "oneHalvingDoubling"),
            "oneHalvingDoubling: a group of 24 NPUs. Expected: a power of two");
  EXPECT_EQ(refusal({Mesh(4), Mesh(6)}, "halvingDoubling_ring"), "accepted");
}

TEST(Phased, HardwarePassesMessagesOnPacketByPacket) {
  // Distance 1, then 2, then 3, each alone with those of the other members on every link: with one
  // packet a message, a hop is a packet and a delay.
  const std::int64_t hop = kPacketTime + kHop;
  EXPECT_EQ(TimeOf({Loop(4, 1)}, "ALLTOALL", 4 * 256, "baseline", "hardware"),
            kEndpoint + (hop + kEndpoint) + (2 * hop + kEndpoint) + (3 * hop + kEndpoint));
}

TEST(Phased, PhasesFollowEachOther) {
  const std::vector<NetworkDimension> torus = {Loop(4, 2), Loop(2, 1, 1), Loop(8, 1, 1)};
  const std::int64_t bytes = 4 * 8 * 2 * 2560;
  EXPECT_EQ(TimeOf(torus, "ALLREDUCE", bytes, "baseline", "software"),
            RingTime(6, 160) + RingTime(14, 80) + RingTime(2, 320));
  EXPECT_EQ(TimeOf(torus, "ALLREDUCE", bytes, "enhanced", "software"),
            RingTime(3, 160) + RingTime(14, 20) + RingTime(2, 80) + RingTime(3, 160));
}

TEST(Phased, GroupsOfOneTypeMayLieInDifferentDimensions) {
  const Graph graph = ScaleUpFabric({Loop(2, 1), Loop(2, 1), Loop(2, 1)});
  const std::vector<NodeId> gpus = {NodeId(0), NodeId(1), NodeId(2), NodeId(6),
                                    NodeId(3), NodeId(7), NodeId(4), NodeId(5)};
  std::string digest;
  for (const std::uint32_t grain : {1U, 0U}) {
    Scenario scenario;
    scenario.collectives.phased.collectives = PhasedOptions::Form::kBaseline;
    scenario.plan.grain = grain;
    const Observed o =
        SimulateJobs(graph, {MakeJob(graph, "1 ALLREDUCE 40000 TP\n", gpus)}, scenario);
    EXPECT_EQ(o.waiting, std::vector<std::string>{}) << "grain " << grain;
    const std::string now = DigestParts(Join(Communicator::Serial(), o));
    if (digest.empty()) digest = now;
    EXPECT_EQ(now, digest) << "grain " << grain;
  }
}

TEST(Phased, AGroupThatDoesNotFillItsDimensionsIsRefusedBeforeTheRun) {
  const Graph graph = ScaleUpFabric({Loop(2, 1), Loop(2, 1), Loop(2, 1)});
  const std::vector<NodeId> gpus = {NodeId(0), NodeId(1), NodeId(2), NodeId(7)};
  CollectiveOptions options;
  options.phased.collectives = PhasedOptions::Form::kBaseline;
  const std::vector<Job> jobs = {MakeJob(graph, "1 ALLREDUCE 40000 TP\n", gpus)};
  FlowCoordinator coordinator(graph, jobs, options, false);
  try {
    coordinator.CountFlows();
    ADD_FAILURE() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("job 0, group 1 of TP: 2 members", 0), 0U)
        << error.what();
  }
}

}  // namespace
}  // namespace heddle::testing
