// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/pat_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/check.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

constexpr Operation kPatOperations[] = {Operation::kAllGather, Operation::kReduceScatter};

CollectiveSpec SpecOf(Operation operation, std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = bytes;
  return spec;
}

void Prove(const GroupShape& shape, std::int64_t bytes, const PatPlan& plan) {
  for (const Operation operation : kPatOperations) {
    const CollectiveSpec spec = SpecOf(operation, bytes);
    const PatSchedule schedule(spec, shape, plan);
    SCOPED_TRACE("F " + std::to_string(plan.factors.blocks) + ", A " +
                 std::to_string(plan.factors.trees) + ", pieces " + std::to_string(plan.pieces));
    CheckSchedule(schedule, spec, shape, 0);
    CheckSchedule(schedule, spec, shape, static_cast<std::uint64_t>(bytes) + 1);
  }
}

/// Every number of ranks, with every number of trees and of blocks in a message.
void ProveSizes(std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t n = first; n <= last; ++n) {
    const GroupShape shape(n, 1, 0);
    for (std::uint32_t trees = 1; trees <= n / 2 || trees == 1; trees *= 2) {
      for (std::uint32_t blocks = 1; blocks <= trees; blocks *= 2)
        Prove(shape, 10'007, {{blocks, trees}, 1});
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(PatSchedule, MeansWhatItSaysOverAllSizes) {
  ProveSizes(2, 34);
  ProveSizes(64, 64);
}

/// Slow: every size above those.
TEST(PatScheduleSlow, MeansWhatItSaysOverLargeSizes) { ProveSizes(35, 65); }

TEST(PatSchedule, MeansWhatItSaysInPieces) {
  for (const std::uint32_t n : {2U, 3U, 7U, 8U, 13U, 32U}) {
    const GroupShape shape(n, 1, 0);
    for (const std::int64_t bytes : SizesFor(shape)) {
      Prove(shape, bytes, {{1, 1}, 3});
      if (n > 7) Prove(shape, bytes, {{2, 4}, 2});
    }
    if (HasFailure()) return;
  }
}

TEST(PatSchedule, MeansWhatItSaysOverIrregularGroups) {
  for (const GroupShape& shape : IrregularShapes()) {
    for (const std::int64_t bytes : SizesFor(shape))
      Prove(shape, bytes, PatPlanOf(SpecOf(Operation::kAllGather, bytes), shape.ranks(), {}));
    if (HasFailure()) return;
  }
}

TEST(PatSchedule, SendsAndReceivesEveryOtherBlockOnce) {
  for (const std::uint32_t n : {2U, 5U, 12U, 17U, 64U}) {
    const GroupShape shape(n, 1, 0);
    constexpr std::int64_t kBlock = 24;
    for (const Operation operation : kPatOperations) {
      for (const PatPlan& plan : {PatPlan{{1, 1}, 1}, PatPlan{{1, 1}, 4}, PatPlan{{1, 2}, 1}}) {
        if (plan.factors.trees > n / 2 + 1) continue;
        const PatSchedule schedule(SpecOf(operation, n * kBlock), shape, plan);
        std::vector<std::int64_t> sent(n), received(n);
        schedule.ForEach([&](const GroupFlow& flow) {
          sent[flow.source] += flow.bytes;
          received[flow.destination] += flow.bytes;
        });
        const std::vector<std::int64_t> each(n, (n - 1) * kBlock);
        EXPECT_EQ(sent, each) << ToText(operation) << " over " << n;
        EXPECT_EQ(received, each) << ToText(operation) << " over " << n;
      }
    }
  }
}

TEST(PatSchedule, CutsAsNcclDoes) {
  const auto plan = [](Operation operation, std::int64_t bytes, std::uint32_t ranks) {
    return PatPlanOf(SpecOf(operation, bytes), ranks, ChunkOptions());
  };
  const auto gather = [&](std::int64_t bytes, std::uint32_t ranks) {
    return plan(Operation::kAllGather, bytes, ranks);
  };
  constexpr std::int64_t kMiB = 1 << 20;
  EXPECT_EQ(gather(64 * kMiB, 64).pieces, 2U) << "blocks of 1 MiB, chunks of 512 KiB";
  EXPECT_EQ(gather(64 * kMiB, 64).factors.trees, 8U);
  EXPECT_EQ(gather(8 * kMiB, 64).factors.blocks, 2U) << "blocks of 128 KiB, chunks of 256 KiB";
  EXPECT_EQ(plan(Operation::kReduceScatter, 8 * kMiB, 64).factors.blocks, 4U) << "of 512 KiB";
  EXPECT_EQ(gather(64 * 1024, 64).factors.blocks, 32U) << "blocks of 1 KiB, chunks of 64 KiB";
  EXPECT_EQ(gather(1, 64).pieces, 1U);
}

TEST(PatSchedule, WantsOneGpuInEachServer) {
  EXPECT_EQ(WhyNoPat(GroupShape(8, 1, 0), {}), "");
  EXPECT_EQ(WhyNoPat(OnGpus({3, 11, 19, 27}), {}), "") << "one rail";
  ChunkOptions forced;
  forced.pat_forced = true;
  EXPECT_EQ(WhyNoPat(GroupShape(16, 8), forced), "");
  const std::string why = WhyNoPat(OnGpus({0, 8, 9}), {});
  EXPECT_EQ(why.find("GPUs 8 and 9 of the group are in one server"), 0U) << why;
}

}  // namespace
}  // namespace heddle
