// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/nvls_tree_schedule.h"

#include <gtest/gtest.h>

#include <map>

#include "collectives/schedule/collective_spec.h"
#include "tests/unit/collectives/algorithms/irregular_groups.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

namespace heddle {
namespace {

constexpr Operation kNvlsTreeOperations[] = {Operation::kAllReduce, Operation::kAllGather,
                                             Operation::kReduceScatter};

void Check(const GroupShape& shape, std::int64_t bytes, std::int64_t chunk_bytes,
           std::int64_t in_flight = 2) {
  ChunkOptions options;
  options.chunk_bytes = chunk_bytes;
  options.chunks_in_flight = in_flight;
  for (const Operation operation : kNvlsTreeOperations) {
    CollectiveSpec spec;
    spec.operation = operation;
    spec.bytes = bytes;
    const auto schedule = MakeNvlsTreeSchedule(operation, bytes, shape, options);
    for (const std::uint64_t seed : {0, 1, 7}) CheckSchedule(*schedule, spec, shape, seed);
  }
}

TEST(NvlsTreeSchedule, MeansTheOperationForAllSizes) {
  for (std::uint32_t ranks = 2; ranks <= 20; ++ranks) {
    for (const std::uint32_t gpus_per_server : {1, 2, 3, 4, 8}) {
      for (const std::int64_t bytes : {1, 7, 4801}) {
        SCOPED_TRACE(::testing::Message() << gpus_per_server << " a server");
        Check(GroupShape(ranks, gpus_per_server, 1 + ranks % 3), bytes, 100);
      }
    }
  }
}

TEST(NvlsTreeSchedule, MeansTheOperationForLargeGroups) {
  Check(GroupShape(32, 8), 9999, 1000);
  Check(GroupShape(64, 8, 4), 9999, 1000);
  Check(GroupShape(64, 4), 9999, 1000);
}

TEST(NvlsTreeSchedule, ServersMayHaveDifferentNumbersOfRanksInAnyOrder) {
  const Graph fabric = FabricForGroups();
  for (const GroupShape& group : IrregularGroups(fabric)) Check(group, 4801, 100);
}

TEST(NvlsTreeSchedule, AnyNumberOfPiecesMayBeUnderWay) {
  for (const std::int64_t in_flight : {1, 3, 100})
    Check(GroupShape(12, 4), 12 * 999, 100, in_flight);
}

/// Each server sends B up and B down between servers over all of its heads, or twice that if it has
/// two children.
TEST(NvlsTreeSchedule, HeadsShareTheNetwork) {
  const GroupShape shape(32, 8);
  constexpr std::int64_t kBytes = 1 << 20;
  std::map<Participant, std::int64_t> between;
  MakeNvlsTreeSchedule(Operation::kAllReduce, kBytes, shape, ChunkOptions())
      ->ForEach([&](const GroupFlow& flow) {
        if (shape.server_of(flow.source) != shape.server_of(flow.destination))
          between[flow.source] += flow.bytes;
      });
  EXPECT_EQ(between.size(), 32U);
  for (const auto& [rank, bytes] : between) {
    EXPECT_GE(bytes, kBytes / 8) << rank;
    EXPECT_LE(bytes, 3 * kBytes / 8) << rank;
  }
}

/// A slice crosses every edge of its tree once: each server except the owner's receives it once
/// over the network.
TEST(NvlsTreeSchedule, PartsCrossTheNetworkOncePerServer) {
  const GroupShape shape(32, 8);
  constexpr std::int64_t kBytes = 1 << 20;
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
    std::int64_t between = 0;
    MakeNvlsTreeSchedule(operation, kBytes, shape, ChunkOptions())
        ->ForEach([&](const GroupFlow& flow) {
          if (shape.server_of(flow.source) != shape.server_of(flow.destination))
            between += flow.bytes;
        });
    EXPECT_EQ(between, 3 * kBytes);
  }
}

}  // namespace
}  // namespace heddle
