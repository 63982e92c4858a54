// SPDX-License-Identifier: GPL-2.0-only
/// The runner of collectives under a program that is no list of steps: graphs of operations, at
/// times computed by hand.
#include "collectives/execution/collective_runner.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/state_archive.h"
#include "tests/support/small_networks.h"
#include "tests/unit/collectives/execution/graph_clock.h"
#include "tests/unit/collectives/execution/hand_carrier.h"
#include "topology/graph/node_names.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kA = 0, kB = 1, kC = 2, kD = 3;
/// A, then B and C, then D.
const OperationGraph kDiamond = {{}, {kA}, {kA}, {kB, kC}};

/// An operation of a graph; with WholeCarrier it takes `ns`.
ProgramOp Op(GroupType group, std::int64_t ns) {
  ProgramOp op;
  op.spec.group = group;
  op.spec.bytes = ns;
  return op;
}

ProgramOp Message(std::uint32_t from, std::uint32_t to) {
  ProgramOp op = Op(GroupType::kTensor, 1000);
  op.spec.operation = Operation::kSendRecv;
  op.spec.root = from;
  op.spec.peer = to;
  return op;
}

/// The operations of a job of GPUs 0, 1, ..., in groups of two for tensor parallelism. Its program
/// has no steps.
Job JobOf(std::vector<ProgramOp> ops, std::uint32_t ranks) {
  Job job{"graph", {}, ParallelGroups({2, 1, 1}, ranks, "graph"), {}, {}, {}};
  job.workload.layers.resize(1);  // after which operations are named
  job.program.ops = std::move(ops);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) job.gpus.push_back(NodeId(rank));
  return job;
}

/// The GPUs of a job that run a graph, on one of the carriers.
class GraphRun {
 public:
  enum class Carries { kCollectives, kMessages };
  using Span = GraphClock::Span;

  GraphRun(OperationGraph graph, Job job, Carries carries = Carries::kCollectives)
      : graph_(std::move(graph)), job_(std::move(job)) {
    context_.jobs.push_back(std::make_unique<PlacedJob>(0, job_, network_, context_.options));
    if (carries == Carries::kMessages) port_ = &messages_;
    for (std::uint32_t rank = 0; rank < job_.groups.ranks(); ++rank)
      gpus_.push_back(std::make_unique<Gpu>(graph_, &context_, port_, rank, &log));
  }

  void Begin(std::uint32_t rank, Time at) {
    agenda_.At(at, [this, rank](Time when) { gpus_[rank]->clock.Begin(when); });
  }
  void RunUntil(Time end = Time::Max()) { agenda_.RunUntil(end); }
  /// Puts new runners in the places of the present ones, with their saved state.
  void Restart() {
    for (std::uint32_t rank = 0; rank < gpus_.size(); ++rank) {
      StateWriter state;
      gpus_[rank]->runner->SaveQueues(&state);
      gpus_[rank]->runner->SaveParts(&state);
      gpus_[rank]->runner.emplace(&context_, port_, 0, rank, &gpus_[rank]->clock);
      StateReader from(state.bytes());
      gpus_[rank]->runner->LoadQueues(&from);
      gpus_[rank]->runner->LoadParts(&from);
      from.ExpectEnd();
    }
  }

  /// When an operation was issued and ended on a GPU; zeros if it has not ended.
  Span SpanOf(std::uint32_t rank, std::uint32_t operation) const {
    const auto found = gpus_[rank]->clock.spans.find(operation);
    return found == gpus_[rank]->clock.spans.end() ? Span{} : found->second;
  }
  std::string Waiting(std::uint32_t rank) const {
    const Graph fabric(static_cast<std::uint32_t>(gpus_.size()), 0, 0, 1, "X");
    return gpus_[rank]->runner->Waiting(NodeNames(fabric));
  }
  const ExecutionContext& context() const { return context_; }

  std::vector<std::string> log;

 private:
  struct Gpu {
    Gpu(const OperationGraph& graph, ExecutionContext* context, FlowPoster* port,
        std::uint32_t rank, std::vector<std::string>* calls)
        : runner(std::in_place, context, port, 0U, rank, &clock), clock(graph, &*runner, calls) {}

    std::optional<CollectiveRunner> runner;
    GraphClock clock;
  };
  CollectiveRunner& RunnerAt(NodeId node) { return *gpus_[node.value]->runner; }

  OperationGraph graph_;
  Job job_;
  Graph network_ = TwoLevelTree(1, 4, 1, 1);
  ExecutionContext context_{CollectiveOptions()};
  Agenda agenda_;
  WholeCarrier whole_{&agenda_, &log, [this](const CollectiveName& name, NodeId node, Time when) {
                        RunnerAt(node).Completed(name.operation, when);
                      }};
  MessageCarrier messages_{
      &agenda_,
      [this](const FlowPost& flow, Time when) {
        RunnerAt(flow.source).Sent(flow.cookie.As<MessageName>(), when);
      },
      [this](const FlowPost& flow, Time when) {
        RunnerAt(flow.destination).Received(flow.cookie.As<MessageName>(), when);
      }};
  FlowPoster* port_ = &whole_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
};

GraphRun::Span Ns(std::int64_t issued, std::int64_t end) {
  return {NanoSeconds(issued), NanoSeconds(end)};
}

TEST(CollectiveRunner, ADiamondJoinsTheLaterOfItsBranches) {
  GraphRun run(kDiamond, JobOf({Op(GroupType::kTensor, 100), Op(GroupType::kTensor, 300),
                                Op(GroupType::kData, 200), Op(GroupType::kData, 50)},
                               4));
  for (const std::uint32_t rank : {0U, 2U, 3U}) run.Begin(rank, {});
  run.Begin(1, NanoSeconds(20));
  run.RunUntil();
  // GPU 1 delays A and B of its TP group {0, 1} by 20 ns. C, of DP {0, 2} and {1, 3}, is under way
  // together with B and waits for both its GPUs. D follows B, the longer one, likewise.
  EXPECT_EQ(run.SpanOf(0, kA), Ns(0, 120));
  EXPECT_EQ(run.SpanOf(1, kA), Ns(20, 120));
  EXPECT_EQ(run.SpanOf(2, kA), Ns(0, 100));
  EXPECT_EQ(run.SpanOf(0, kB), Ns(120, 420));
  EXPECT_EQ(run.SpanOf(2, kB), Ns(100, 400));
  EXPECT_EQ(run.SpanOf(0, kC), Ns(120, 320));
  EXPECT_EQ(run.SpanOf(2, kC), Ns(100, 320));
  EXPECT_EQ(run.SpanOf(0, kD), Ns(420, 470));
  EXPECT_EQ(run.SpanOf(2, kD), Ns(400, 470));
  EXPECT_EQ(run.SpanOf(3, kD), Ns(400, 470));
  ASSERT_EQ(run.context().collectives.size(), 8U);  // four operations, two groups each
  for (const CollectiveRecord& record : run.context().collectives) EXPECT_EQ(record.finished, 2U);
  EXPECT_TRUE(run.context().layers.empty() && run.context().steps.empty()) << "not the runner's";
}

Job OneCommunicator() {
  return JobOf({Op(GroupType::kTensor, 100), Op(GroupType::kTensor, 300),
                Op(GroupType::kTensor, 200), Op(GroupType::kTensor, 50)},
               2);
}

void ExpectOneAfterTheOther(const GraphRun& run) {
  for (const std::uint32_t rank : {0U, 1U}) {
    EXPECT_EQ(run.SpanOf(rank, kA), Ns(0, 100));
    EXPECT_EQ(run.SpanOf(rank, kB), Ns(100, 400));
    EXPECT_EQ(run.SpanOf(rank, kC), Ns(100, 600)) << "issued with B, begun after it";
    EXPECT_EQ(run.SpanOf(rank, kD), Ns(600, 650));
  }
}

TEST(CollectiveRunner, ACommunicatorTakesOneAfterTheOther) {
  GraphRun run(kDiamond, OneCommunicator());
  for (const std::uint32_t rank : {0U, 1U}) run.Begin(rank, {});
  run.RunUntil();
  ExpectOneAfterTheOther(run);
}

TEST(CollectiveRunner, TheNextOneBeginsBetweenAnEndAndWhatFollowsIt) {
  GraphRun run(kDiamond, OneCommunicator());
  for (const std::uint32_t rank : {0U, 1U}) run.Begin(rank, {});
  run.RunUntil(NanoSeconds(400));
  run.log.clear();
  run.RunUntil(NanoSeconds(401));
  EXPECT_EQ(run.log, (std::vector<std::string>{"rank 0: 1 ended", "rank 0: 2 begins",
                                               "rank 0: 1 may go on", "rank 1: 1 ended",
                                               "rank 1: 2 begins", "rank 1: 1 may go on"}));
}

TEST(CollectiveRunner, ARestartKeepsWhatIsUnderWayAndWhatWaits) {
  GraphRun run(kDiamond, OneCommunicator());
  for (const std::uint32_t rank : {0U, 1U}) run.Begin(rank, {});
  run.RunUntil(NanoSeconds(250));  // B is under way, C waits
  run.Restart();
  EXPECT_NE(run.Waiting(0).find("handed over as a whole"), std::string::npos) << run.Waiting(0);
  run.RunUntil();
  ExpectOneAfterTheOther(run);
}

TEST(CollectiveRunner, WhatHasNothingToSendEndsAsItIsIssued) {
  // Groups of expert parallelism have one rank each.
  GraphRun run(kDiamond, JobOf({Op(GroupType::kTensor, 100), Op(GroupType::kExpert, 300),
                                Op(GroupType::kTensor, 200), Op(GroupType::kTensor, 50)},
                               2));
  for (const std::uint32_t rank : {0U, 1U}) run.Begin(rank, NanoSeconds(7));
  run.RunUntil();
  for (const std::uint32_t rank : {0U, 1U}) {
    EXPECT_EQ(run.SpanOf(rank, kB), Ns(107, 107));
    EXPECT_EQ(run.SpanOf(rank, kC), Ns(107, 307));
    EXPECT_EQ(run.SpanOf(rank, kD), Ns(307, 357));
  }
}

TEST(CollectiveRunner, MessagesEndOperationsOfTheirTwoRanksOnly) {
  // 0 sends to 1, then 1 to 0. Ranks 2 and 3 are another group, with messages of their own.
  GraphRun run(OperationGraph{{}, {0}}, JobOf({Message(0, 1), Message(1, 0)}, 4),
               GraphRun::Carries::kMessages);
  run.Begin(0, {});
  run.Begin(1, NanoSeconds(9000));
  run.Begin(2, {});
  run.RunUntil();
  // A message leaves 6010 ns after its issue (6 us and the hand-over) and is 1000 ns under way. The
  // first is there before rank 1 begins, and counts from then on.
  EXPECT_EQ(run.SpanOf(0, 0), Ns(0, 6010));
  EXPECT_EQ(run.SpanOf(1, 0), Ns(9000, 9000));
  EXPECT_EQ(run.SpanOf(1, 1), Ns(9000, 15010));
  EXPECT_EQ(run.SpanOf(0, 1), Ns(6010, 16010));
  EXPECT_EQ(run.SpanOf(2, 0), Ns(0, 6010));
  EXPECT_EQ(run.SpanOf(2, 1), Ns(0, 0)) << "rank 3 has not begun";
  EXPECT_NE(run.Waiting(2).find("1 messages to come and 0 to leave"), std::string::npos)
      << run.Waiting(2);
  EXPECT_NE(run.Waiting(3).find("others send, and it has not come so far"), std::string::npos)
      << run.Waiting(3);
}

TEST(CollectiveRunner, ARingOfTwoTakesItsMessagesOneAfterTheOther) {
  GraphRun run(OperationGraph(1), JobOf({Op(GroupType::kTensor, 8192)}, 2),
               GraphRun::Carries::kMessages);
  for (const std::uint32_t rank : {0U, 1U}) run.Begin(rank, {});
  run.RunUntil();
  EXPECT_EQ(run.SpanOf(0, 0), run.SpanOf(1, 0));
  // The second message of each carries what was reduced, which takes 30 ns (IssueDelay).
  EXPECT_EQ(run.SpanOf(0, 0), Ns(0, 7010 + 7040));
}

}  // namespace
}  // namespace heddle::testing
