// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/custom/custom_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "collectives/custom/custom_proof.h"
#include "core/base/check.h"
#include "tests/support/programs/custom_programs.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

namespace heddle {
namespace {

ChunkOptions With(const CustomAlgorithm& algorithm, std::int64_t chunk_bytes = 1 << 20) {
  ProveCustom(algorithm);
  auto library = std::make_shared<CustomLibrary>();
  library->Add(algorithm);
  ChunkOptions options;
  options.chunk_bytes = chunk_bytes;
  options.custom = library;
  return options;
}

CollectiveSpec Spec(Operation operation, std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = bytes;
  return spec;
}

/// The tests' own executor, which knows schedules and not steps.
TEST(CustomSchedule, ARingOfAFileIsAnAllReduce) {
  for (const std::uint32_t n : {2U, 3U, 8U}) {
    const GroupShape shape(n, 4U);
    for (const std::int64_t bytes :
         {std::int64_t{1}, std::int64_t{1000}, std::int64_t{4'000'003}}) {
      for (const std::uint64_t seed : {0U, 1U, 2U}) {
        const CollectiveSpec spec = Spec(Operation::kAllReduce, bytes);
        CheckSchedule(CustomSchedule(spec, With(RingAllReduce(n), 300'000)), spec, shape, seed);
      }
    }
  }
}

TEST(CustomSchedule, MessagesCarryTheirChunks) {
  const CustomSchedule schedule(Spec(Operation::kAllReduce, 1001), With(RingAllReduce(4)));
  std::map<Participant, std::int64_t> sent;
  schedule.ForEach([&](const GroupFlow& flow) { sent[flow.source] += flow.bytes; });
  EXPECT_EQ(schedule.flow_count(), 4U * 6);
  // Each rank sends all chunks but its next one's twice, and that one and its own once.
  for (const auto& [rank, bytes] : sent) EXPECT_NEAR(static_cast<double>(bytes), 1001 * 1.5, 2);
}

TEST(CustomSchedule, LargeChunksGoInRounds) {
  const CustomSchedule schedule(Spec(Operation::kAllReduce, 4'000'000),
                                With(RingAllReduce(4), 300'000));
  EXPECT_EQ(schedule.piece_count(), 4U);
  EXPECT_EQ(schedule.flow_count(), 4U * 6 * 4);
  std::int64_t largest = 0, all = 0;
  schedule.ForEach([&](const GroupFlow& flow) {
    largest = std::max(largest, flow.bytes);
    all += flow.bytes;
  });
  EXPECT_EQ(largest, 250'000);
  EXPECT_EQ(all, 4 * 6 * 1'000'000);
}

/// The message to the other server waits for one message of each GPU of its own server, which the
/// block of the copy has none of.
TEST(CustomSchedule, AMessageWaitsForWhatItsStepsWaitFor) {
  const CustomSchedule schedule(Spec(Operation::kAllToAll, 16'000), With(TwoStepAllToAll(2, 4)));
  std::uint32_t between = 0;
  schedule.ForEach([&](const GroupFlow& flow) {
    const bool inside = flow.source / 4 == flow.destination / 4;
    EXPECT_EQ(flow.bytes, inside ? 2000 : 8000);
    std::vector<GroupFlow> parents;
    schedule.Parents(flow, &parents);
    ASSERT_EQ(parents.size(), inside ? 0U : 6U);  // two of each of three
    EXPECT_EQ(schedule.ParentCount(flow), parents.size());
    for (const GroupFlow& parent : parents) {
      EXPECT_EQ(parent.destination, flow.source);
      std::vector<GroupFlow> children;
      schedule.After(parent, &children);
      ASSERT_EQ(children.size(), 1U);
      EXPECT_TRUE(children[0].same_as(flow));
    }
    if (!inside) ++between;
  });
  EXPECT_EQ(between, 8U);
}

TEST(CustomSchedule, NamesOfOthersAreNotIts) {
  const CustomSchedule schedule(Spec(Operation::kAllReduce, 1000), With(RingAllReduce(4)));
  GroupFlow name;
  name.connection = Connection::kCustom;
  name.source = 0;
  name.destination = 1;
  EXPECT_TRUE(schedule.MayHave(name));
  name.chunk = 6;
  EXPECT_FALSE(schedule.MayHave(name));
  name.chunk = 0;
  name.destination = 2;
  EXPECT_FALSE(schedule.MayHave(name));
  name.destination = 1;
  name.connection = Connection::kRing;
  EXPECT_FALSE(schedule.MayHave(name));
}

TEST(CustomSchedule, ServesGroupsOfItsSizeAlone) {
  const ChunkOptions options = With(RingAllReduce(4));
  EXPECT_EQ(WhyNoCustom(Operation::kAllReduce, GroupShape(4U, 2U), options), "");
  EXPECT_EQ(WhyNoCustom(Operation::kAllReduce, GroupShape(8U, 2U), options),
            "ring.xml is for 4 GPUs");
  EXPECT_NE(WhyNoCustom(Operation::kAllGather, GroupShape(4U, 2U), options), "");
  EXPECT_NE(WhyNoCustom(Operation::kAllReduce, GroupShape(4U, 2U), ChunkOptions()), "");
}

TEST(CustomSchedule, TooManyMessagesAreRefused) {
  EXPECT_THROW(CustomSchedule(Spec(Operation::kAllReduce, std::int64_t{1} << 32),
                              With(RingAllReduce(8), 64)),
               UserError);
}

}  // namespace
}  // namespace heddle
