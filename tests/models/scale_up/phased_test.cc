// SPDX-License-Identifier: GPL-2.0-only
// Collectives in phases on idle lanes: the closed forms, to the picosecond.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/execution/flow_coordinator.h"
#include "core/base/check.h"
#include "tests/support/results.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kEndpoint = 10'000;

/// How long a collective of one chunk takes on this fabric [ps].
std::int64_t TimeOf(const std::vector<NetworkDimension>& dimensions, const std::string& operation,
                    std::int64_t bytes, const std::string& phases, const std::string& routing,
                    const std::string& algorithm = "auto") {
  const Graph graph = ScaleUpFabric(dimensions);
  Scenario scenario;
  scenario.collectives.phased.collectives = phases;
  scenario.collectives.phased.routing = routing;
  scenario.collectives.phased.algorithm = algorithm;
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
    scenario.collectives.phased.collectives = "baseline";
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
  options.phased.collectives = "baseline";
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
