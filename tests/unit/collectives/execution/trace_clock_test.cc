// SPDX-License-Identifier: GPL-2.0-only
/// Programs that are graphs, at times computed by hand: a collective of n bytes ends n ns after its
/// last rank has begun.
#include "collectives/execution/trace_clock.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/execution/gpu_execution.h"
#include "core/checkpoint/state_archive.h"
#include "tests/support/chakra/chakra_programs.h"
#include "tests/support/message_of.h"
#include "tests/support/small_networks.h"
#include "tests/unit/collectives/execution/hand_carrier.h"
#include "topology/graph/node_names.h"

namespace heddle::testing {
namespace {

/// Passes calls on, or drops them while programs are put in the places of others.
class QuietPort final : public FlowPoster, public CollectiveCarrier {
 public:
  explicit QuietPort(WholeCarrier* carrier) : carrier_(*carrier) {}
  void Post(const FlowPost& flow) override { carrier_.Post(flow); }
  void WakeAt(Time when) override { carrier_.WakeAt(when); }
  CollectiveCarrier* collectives() override { return this; }
  void Begin(const CollectiveCall& call) override {
    if (!quiet) carrier_.Begin(call);
  }
  bool quiet = false;

 private:
  WholeCarrier& carrier_;
};

class TraceRun {
 public:
  explicit TraceRun(const std::string& text, const ChakraOptions& options = {},
                    const std::string& groups = "")
      : job_(TraceJob(text, options, groups)) {
    context_.graph_lag = NanoSeconds(1);
    context_.timeline = true;
    context_.jobs.push_back(std::make_unique<PlacedJob>(0, job_, network_, context_.options));
    for (std::uint32_t rank = 0; rank < job_.gpus.size(); ++rank) gpus_.push_back(Make(rank));
    for (const auto& gpu : gpus_) gpu->Begin();
  }

  TraceRun& RunUntil(Time end = Time::Max()) {
    agenda_.RunUntil(end);
    return *this;
  }
  /// Puts new programs in the places of the present ones, with their saved state.
  void Restart() {
    std::vector<std::string> states;
    for (const auto& gpu : gpus_) states.push_back(StateOf(*gpu));
    port_.quiet = true;
    context_.finishes.clear();
    for (std::uint32_t rank = 0; rank < gpus_.size(); ++rank) {
      gpus_[rank] = Make(rank);
      gpus_[rank]->Begin();
    }
    context_.finishes.clear();
    for (std::uint32_t rank = 0; rank < gpus_.size(); ++rank) {
      const std::vector<char> state(states[rank].begin(), states[rank].end());
      StateReader from(state);
      gpus_[rank]->Load(&from);
      from.ExpectEnd();
      EXPECT_EQ(StateOf(*gpus_[rank]), states[rank]);
    }
    port_.quiet = false;
  }
  /// When a rank ended [ns]; -1: it has not.
  std::int64_t EndOf(std::uint32_t rank) const {
    for (const FinishRecord& finish : context_.finishes) {
      if (finish.rank == rank) return finish.end.ps / 1000;
    }
    return -1;
  }
  std::vector<std::int64_t> Ends() const {
    std::vector<std::int64_t> ends;
    for (std::uint32_t rank = 0; rank < gpus_.size(); ++rank) ends.push_back(EndOf(rank));
    return ends;
  }
  std::string Waiting(std::uint32_t rank) const {
    return gpus_[rank]->Waiting(NodeNames(network_));
  }
  ExecutionContext& context() { return context_; }
  GpuExecution& gpu(std::uint32_t rank) { return *gpus_[rank]; }

 private:
  std::unique_ptr<GpuExecution> Make(std::uint32_t rank) {
    return std::make_unique<GpuExecution>(&context_, &port_, 0, rank, [this, rank](Time when) {
      if (!port_.quiet) agenda_.At(when, [this, rank](Time now) { gpus_[rank]->Woken(now); });
    });
  }
  static std::string StateOf(const GpuExecution& gpu) {
    StateWriter state;
    gpu.Save(&state);
    return {state.bytes().begin(), state.bytes().end()};
  }

  Job job_;
  Graph network_ = TwoLevelTree(1, 4, 1, 1);
  ExecutionContext context_{CollectiveOptions()};
  Agenda agenda_;
  std::vector<std::string> log_;
  WholeCarrier whole_{&agenda_, &log_, [this](const CollectiveName& name, NodeId node, Time when) {
                        gpus_[node.value]->runner().Completed(name.operation, when);
                      }};
  QuietPort port_{&whole_};
  std::vector<std::unique_ptr<GpuExecution>> gpus_;
};

using Ends = std::vector<std::int64_t>;

TEST(TraceClock, ComputesOneAfterTheOtherOnEachProcessor) {
  TraceRun run("ranks 1\n0: 1 comp 10\n0: 2 comp 10\n0: 3 comp 7 cpu\n0: 4 comp 7 cpu after 1\n");
  run.RunUntil();
  EXPECT_EQ(run.Ends(), Ends{20'000});
  TraceRun cpu("ranks 1\n0: 1 comp 10\n0: 3 comp 7 cpu\n0: 4 comp 14 cpu after 1\n");
  EXPECT_EQ(cpu.RunUntil().Ends(), Ends{24'000});
}

TEST(TraceClock, TheLowestFreeNodeIsNext) {
  // At 10 us nodes 2 and 9 are free; 2 goes first, and 3 waits for 9.
  TraceRun run(
      "ranks 1\n0: 1 comp 10\n0: 2 comp 5 after 1\n0: 9 comp 5 after 1\n0: 3 comp 1 cpu after 9\n");
  EXPECT_EQ(run.RunUntil().Ends(), Ends{21'000});
}

TEST(TraceClock, IndependentCommunicationOverlapsOrTakesTurns) {
  const std::string text =
      "ranks 2\n*: 1 coll ALL_REDUCE 1000 group 1\n*: 2 coll ALL_REDUCE 700 group 2\n0: 3 comp 2\n";
  const std::string groups = R"({"1": [0, 1], "2": [1, 0]})";
  EXPECT_EQ(TraceRun(text, {}, groups).RunUntil().Ends(), (Ends{2'000, 1'000}));
  EXPECT_EQ(TraceRun(text, AsAstraSim(), groups).RunUntil().Ends(), (Ends{2'000, 1'700}));
}

TEST(TraceClock, CollectivesOfAGroupTakeTurns) {
  TraceRun run(
      "ranks 2\n*: 1 coll ALL_REDUCE 1000\n*: 2 coll ALL_REDUCE 700\n1: 3 comp 0 after 1\n");
  EXPECT_EQ(run.RunUntil().Ends(), (Ends{1'700, 1'700}));
}

TEST(TraceClock, AReceiveTakesNoTurn) {
  // The carrier's message takes 500 ns from its sender's begin; the collective 1000.
  const std::string text =
      "ranks 2\n0: 1 send 500 to 1 tag 1\n0: 2 coll ALL_REDUCE 1000\n1: 1 recv 500 from 0 tag 1\n"
      "1: 2 coll ALL_REDUCE 1000\n";
  EXPECT_EQ(TraceRun(text).RunUntil().Ends(), (Ends{1'000, 1'000}));
  EXPECT_EQ(TraceRun(text, AsAstraSim()).RunUntil().Ends(), (Ends{1'500, 1'500}));
}

TEST(TraceClock, SkewAndForwardReferences) {
  TraceRun run(
      "ranks 2\n0: 5 coll ALL_REDUCE 100 after 7\n0: 7 comp 3\n1: 1 coll ALL_REDUCE 100\n"
      "1: 2 comp 1 after 1\n");
  EXPECT_EQ(run.RunUntil().Ends(), (Ends{3'100, 4'100}));
}

TEST(TraceClock, NodesOfNoTimeReleaseAtOnce) {
  TraceRun run(
      "ranks 1\n0: 1 meta after 9\n0: 2 type 12 after 1\n0: 3 comp 1 after 2\n0: 9 meta\n");
  EXPECT_EQ(run.RunUntil().Ends(), Ends{1'000});
  EXPECT_EQ(TraceRun("ranks 1\n").Ends(), Ends{0});
}

TEST(TraceClock, CountsComputingAndWaitingByName) {
  TraceRun run(
      "ranks 2\n*: 1 comp 2 name gemm\n*: 2 coll ALL_REDUCE 700 after 1 name sum\n"
      "*: 3 comp 1 cpu after 2 name load\n");
  run.RunUntil();
  Time computed, exposed, total;
  for (const LayerRecord& record : run.context().layers) {
    if (record.rank != 0) continue;
    computed += record.compute[0];
    exposed += record.exposed[0];
    total += record.total[0];
  }
  EXPECT_EQ(computed, MicroSeconds(2));
  EXPECT_EQ(exposed, NanoSeconds(700));
  EXPECT_EQ(total, NanoSeconds(700));
  EXPECT_EQ(run.context().steps.size(), 6u);
}

TEST(TraceClock, SaysWhatItWaitsFor) {
  TraceRun run(
      "ranks 2\n0: 812 recv 8 from 1 tag 7\n0: 813 coll ALL_REDUCE 8 group x name sum\n"
      "1: 4 comp 1 after 5\n1: 5 coll ALL_REDUCE 8 group x after 6\n"
      "1: 6 recv 9 from 0 tag 1\n0: 9000 send 9 to 1 tag 1 after 812\n"
      "1: 7 send 8 to 0 tag 7 after 4\n",
      {}, R"({"x": [0, 1]})");
  run.RunUntil();
  EXPECT_EQ(run.Ends(), (Ends{-1, -1}));
  EXPECT_EQ(
      run.Waiting(0),
      "GPU 0 (job 0, rank 0) waits for a receive from 1, tag 7, node 812 of a.0.et and 1 more "
      "that have started; 3 of its 3 nodes have not ended");
  EXPECT_EQ(run.Waiting(1),
            "GPU 1 (job 0, rank 1) waits for a receive from 0, tag 1, node 6 of a.1.et; 4 of its 4 "
            "nodes have not ended");
}

TEST(TraceClock, ARestartAtAnyTimeChangesNothing) {
  const std::string text =
      "ranks 4\n*: 1 comp 1\n*: 2 coll ALL_REDUCE 300 after 1\n0: 3 comp 2 cpu\n0: 4 send 800 to 2 "
      "tag 1 "
      "after 3\n2: 4 recv 800 from 0 tag 1\n*: 5 coll ALL_TO_ALL 500 group 1 after 1\n*: 6 comp 1 "
      "after 2\n"
      "*: 7 coll ALL_REDUCE 100 after 5 6\n2: 8 comp 4 cpu after 4\n";
  const std::string groups = R"({"1": [3, 1, 2, 0]})";
  for (const ChakraOptions& options : {ChakraOptions(), AsAstraSim()}) {
    const Ends whole = TraceRun(text, options, groups).RunUntil().Ends();
    EXPECT_GT(whole[2], 6'000);
    for (int ns = 0; ns < 8'000; ns += 97) {
      TraceRun run(text, options, groups);
      run.RunUntil(NanoSeconds(ns));
      run.Restart();
      EXPECT_EQ(run.RunUntil().Ends(), whole) << ns;
    }
  }
}

TEST(TraceClock, AComputationBeyondTheLimitOfTimeEndsTheRun) {
  EXPECT_EQ(
      MessageOf(
          [] {
            TraceRun("ranks 1\n0: 1 comp 8640000000000\n0: 2 comp 8640000000000\n").RunUntil();
          },
          ExitCode::kStalled),
      "node 2 of a.0.et would end beyond the limit of the simulated time, 105 days");
}

}  // namespace
}  // namespace heddle::testing
