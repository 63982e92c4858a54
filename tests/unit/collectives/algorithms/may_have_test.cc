// SPDX-License-Identifier: GPL-2.0-only
/// Schedules can be asked about every name that MayHave() lets pass, whoever made it up.
#include <gtest/gtest.h>

#include <vector>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/experts/pair_tables.h"
#include "core/base/check.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

/// Asks about all names of one message; returns how many passed.
std::uint64_t AskAll(const Schedule& schedule, const GroupShape& shape) {
  std::uint64_t passed = 0;
  const auto ask = [&](const GroupFlow& name) {
    if (!schedule.MayHave(name)) return;
    ++passed;
    std::vector<GroupFlow> next;
    try {
      schedule.After(name, &next);
      schedule.AfterSent(name, &next);
      if (const auto later = schedule.NextInTurn(name)) next.push_back(*later);
      for (const GroupFlow& flow : next) schedule.WaitCount(flow);
    } catch (const InvariantError&) {  // debug builds see that there is no such message
    }
    for (const GroupFlow& flow : next) {
      EXPECT_LT(flow.source, shape.participants());
      EXPECT_LT(flow.destination, shape.participants());
    }
  };
  GroupFlow name;
  for (name.source = 0; name.source < shape.participants(); ++name.source) {
    for (name.destination = 0; name.destination < shape.participants(); ++name.destination) {
      for (name.channel = 0; name.channel <= schedule.channels(); ++name.channel) {
        for (name.chunk = 0; name.chunk <= schedule.chunk_count(); ++name.chunk) {
          for (int kind = 0; kind <= static_cast<int>(kLastConnection) + 1; ++kind) {
            name.connection = static_cast<Connection>(kind);
            ask(name);
          }
        }
      }
    }
  }
  return passed;
}

void Ask(Operation operation, Algorithm algorithm, bool pxn, const GroupShape& shape) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = 5'000;
  spec.root = shape.ranks() / 2;
  spec.peer = 0;
  AlgorithmChoice choice;
  choice.algorithm = algorithm;
  choice.pxn = pxn;
  ChunkOptions options;
  options.chunk_bytes = 1'500;
  const auto schedule = MakeSchedule(spec, choice, shape, options);
  const std::uint64_t passed = AskAll(*schedule, shape);
  EXPECT_GE(passed, schedule->flow_count());
}

TEST(MayHave, LetsNoNameLeadOutOfARing) {
  std::vector<GroupShape> shapes = IrregularShapes();
  shapes.emplace_back(12U, 6U, 2U);
  for (const GroupShape& shape : shapes) {
    for (const Operation operation : {Operation::kAllReduce, Operation::kAllGather,
                                      Operation::kBroadcast, Operation::kReduce}) {
      for (const bool pxn : {false, true}) Ask(operation, Algorithm::kRing, pxn, shape);
    }
  }
}

TEST(MayHave, LetsNoNameLeadOutOfATree) {
  for (const GroupShape& shape : {GroupShape(12U, 6U, 2U), OnGpus({0, 1, 2, 8, 9, 17})})
    Ask(Operation::kAllReduce, Algorithm::kTree, false, shape);
  for (const std::uint32_t ranks : {5U, 12U}) {
    const GroupShape shape(ranks, 6U, 2U);
    const Algorithm algorithm = shape.servers() == 1 ? Algorithm::kNvls : Algorithm::kNvlsTree;
    for (const Operation operation :
         {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter}) {
      Ask(operation, algorithm, false, shape);
      if (shape.servers() == 1) Ask(operation, Algorithm::kNvlsMultimem, false, shape);
    }
  }
}

TEST(MayHave, LetsNoNameLeadOutOfPat) {
  for (const GroupShape& shape : {GroupShape(7U, 1U, 0U), GroupShape(12U, 6U, 2U)}) {
    for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter})
      Ask(operation, Algorithm::kPat, false, shape);
  }
}

TEST(MayHave, LetsNoNameLeadOutOfATreeOfSwitches) {
  for (const std::uint32_t locals : {1U, 3U}) {
    GroupShape shape(6, locals);
    shape.AddTreesOfOneSwitch();
    GroupShape low_latency = shape;
    low_latency.CutSums({400, 3});
    for (const Algorithm algorithm : {Algorithm::kCollNetDirect, Algorithm::kCollNetChain}) {
      Ask(Operation::kAllReduce, algorithm, false, shape);
      Ask(Operation::kAllReduce, algorithm, false, low_latency);
    }
    for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter})
      Ask(operation, Algorithm::kCollNetDirect, false, shape);
    if (locals == 1) continue;
    for (const Algorithm algorithm : {Algorithm::kNvlsCollNet, Algorithm::kNvlsTreeMultimem})
      Ask(Operation::kAllReduce, algorithm, false, shape);
  }
}

TEST(MayHave, LetsNoNameLeadOutOfDirectMessages) {
  for (const GroupShape& shape : {GroupShape(12U, 6U, 2U), OnGpus({0, 1, 2, 8, 9, 17})}) {
    for (const bool pxn : {false, true}) {
      Ask(Operation::kAllToAll, Algorithm::kDirect, pxn, shape);
      Ask(Operation::kSendRecv, Algorithm::kDirect, pxn, shape);
    }
  }
}

/// Of sizes by pair of ranks, some of which are 0: plain, and over two hops there and back.
TEST(MayHave, LetsNoNameLeadOutOfExperts) {
  ExpertOptions options;
  options.routing = ExpertOptions::Routing::kZipf;
  options.top_k = 2;
  options.tokens = 3;
  for (const GroupShape& shape : IrregularShapes()) {
    options.count = shape.ranks();
    const auto tokens = std::make_shared<RoutedTokens>(options, shape.ranks(), 0);
    for (const auto form : {ExpertOptions::Form::kPlain, ExpertOptions::Form::kServer}) {
      for (const bool returns : {false, true}) {
        const PairSizes sizes = MakePairSizes(tokens, 90'000, form, returns);
        CollectiveSpec spec{Operation::kAllToAll, GroupType::kExpert, 90'000};
        spec.sizes = &sizes;
        const auto schedule =
            MakeSchedule(spec, {Algorithm::kDirect, Protocol::kNone, false}, shape, {});
        EXPECT_EQ(AskAll(*schedule, shape), schedule->flow_count());
      }
    }
  }
}

}  // namespace
}  // namespace heddle
