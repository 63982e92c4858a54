// SPDX-License-Identifier: GPL-2.0-only
/// Sums of a schedule's messages by arithmetic equal the sums of its single messages.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "collectives/algorithms/make_schedule.h"
#include "core/base/check.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

/// Messages by (source, destination, bytes).
using Sums = std::map<std::tuple<Participant, Participant, std::int64_t>, std::uint64_t>;

Sums OneByOne(const Schedule& schedule) {
  Sums sums;
  schedule.ForEach([&](const GroupFlow& flow) {
    ++sums[{flow.source, flow.destination, flow.bytes}];
  });
  return sums;
}

Sums Bundled(const Schedule& schedule, std::uint64_t* bundles) {
  Sums sums;
  schedule.ForEachBundle([&](const FlowBundle& bundle) {
    ++*bundles;
    if (bundle.count > 0) sums[{bundle.source, bundle.destination, bundle.bytes}] += bundle.count;
  });
  return sums;
}

std::vector<GroupShape> AllShapes() {
  std::vector<GroupShape> shapes = IrregularShapes();
  for (const std::uint32_t ranks : {2U, 8U, 16U, 24U}) shapes.emplace_back(ranks, 8U, 2U);
  return shapes;
}

void ExpectSame(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                const GroupShape& shape) {
  ChunkOptions options;
  options.chunk_bytes = 1500;  // several pieces of most sizes
  const std::unique_ptr<Schedule> schedule = MakeSchedule(spec, choice, shape, options);
  std::uint64_t bundles = 0;
  EXPECT_EQ(Bundled(*schedule, &bundles), OneByOne(*schedule))
      << ToText(spec.operation) << " by " << ToText(choice.algorithm)
      << (choice.pxn ? " with PXN" : "") << " of " << spec.bytes << " bytes over " << shape.ranks()
      << " ranks in " << shape.servers() << " servers";
  EXPECT_GT(bundles, 0U);
}

CollectiveSpec SpecOf(Operation operation, std::int64_t bytes, const GroupShape& shape) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = bytes;
  spec.root = shape.ranks() / 2;
  spec.peer = 0;
  return spec;
}

AlgorithmChoice Choice(Algorithm algorithm, bool pxn = false) {
  AlgorithmChoice choice;
  choice.algorithm = algorithm;
  choice.pxn = pxn;
  return choice;
}

TEST(FlowBundles, OfRingsAndChains) {
  for (const GroupShape& shape : AllShapes()) {
    for (const std::int64_t bytes : SizesFor(shape)) {
      for (const Operation operation :
           {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter,
            Operation::kBroadcast, Operation::kReduce}) {
        for (const bool pxn : {false, true})
          ExpectSame(SpecOf(operation, bytes, shape), Choice(Algorithm::kRing, pxn), shape);
      }
    }
  }
}

TEST(FlowBundles, OfTrees) {
  for (const GroupShape& shape : AllShapes()) {
    for (const std::int64_t bytes : SizesFor(shape)) {
      ExpectSame(SpecOf(Operation::kAllReduce, bytes, shape), Choice(Algorithm::kTree), shape);
    }
  }
}

TEST(FlowBundles, OfNvSwitches) {
  for (const std::uint32_t ranks : {2U, 7U, 8U, 16U, 20U}) {
    const GroupShape shape(ranks, 8U, 2U);
    const Algorithm algorithm = shape.servers() == 1 ? Algorithm::kNvls : Algorithm::kNvlsTree;
    for (const std::int64_t bytes : SizesFor(shape)) {
      for (const Operation operation :
           {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter}) {
        ExpectSame(SpecOf(operation, bytes, shape), Choice(algorithm), shape);
        if (shape.servers() == 1)
          ExpectSame(SpecOf(operation, bytes, shape), Choice(Algorithm::kNvlsMultimem), shape);
      }
    }
  }
}

TEST(FlowBundles, OfTreesOfSwitches) {
  for (const std::uint32_t locals : {1U, 2U, 8U}) {
    GroupShape shape(3 * locals, locals);
    shape.AddTreesOfOneSwitch();
    for (const std::int64_t bytes : SizesFor(shape)) {
      for (const Algorithm algorithm : {Algorithm::kCollNetDirect, Algorithm::kCollNetChain})
        ExpectSame(SpecOf(Operation::kAllReduce, bytes, shape), Choice(algorithm), shape);
      for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter})
        ExpectSame(SpecOf(operation, bytes, shape), Choice(Algorithm::kCollNetDirect), shape);
      if (locals == 1) continue;
      for (const Algorithm algorithm : {Algorithm::kNvlsCollNet, Algorithm::kNvlsTreeMultimem})
        ExpectSame(SpecOf(Operation::kAllReduce, bytes, shape), Choice(algorithm), shape);
    }
  }
}

TEST(FlowBundles, OfPat) {
  for (const GroupShape& shape : AllShapes()) {
    for (const std::int64_t bytes : SizesFor(shape)) {
      for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter})
        ExpectSame(SpecOf(operation, bytes, shape), Choice(Algorithm::kPat), shape);
    }
    ExpectSame(SpecOf(Operation::kAllGather, 100'003, shape), Choice(Algorithm::kPat), shape);
  }
}

TEST(FlowBundles, OfDirectMessages) {
  for (const GroupShape& shape : AllShapes()) {
    for (const bool pxn : {false, true}) {
      ExpectSame(SpecOf(Operation::kAllToAll, 10'007, shape), Choice(Algorithm::kDirect, pxn),
                 shape);
      ExpectSame(SpecOf(Operation::kSendRecv, 10'007, shape), Choice(Algorithm::kDirect, pxn),
                 shape);
    }
  }
}

TEST(FlowBundles, AreFewOfALongRing) {
  const GroupShape shape(1920, 1, 0);
  const std::unique_ptr<Schedule> schedule =
      MakeSchedule(SpecOf(Operation::kAllReduce, 64 << 20, shape), Choice(Algorithm::kRing), shape,
                   ChunkOptions());
  std::uint64_t bundles = 0, messages = 0;
  for (const auto& [name, count] : Bundled(*schedule, &bundles)) messages += count;
  EXPECT_EQ(messages, schedule->flow_count());
  EXPECT_LE(bundles, 2U * 1920);
}

}  // namespace
}  // namespace heddle
