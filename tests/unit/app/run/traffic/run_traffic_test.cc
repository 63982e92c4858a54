// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/run_traffic.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/execution/execution_context.h"
#include "core/app/run/traffic/make_traffic.h"
#include "tests/support/small_networks.h"

namespace heddle::testing {
namespace {

/// A backend of which only what the traffic asks for matters.
class StubBackend final : public Backend {
 public:
  StubBackend(const Graph& graph, const MessageSplit& split) : routes_(graph), split_(split) {}

  void Drive(FlowDriver* /*driver*/) override {}
  bool carries_collectives() const override { return false; }
  const Routes& routes() const override { return routes_; }
  std::string Describe() const override { return ""; }
  void CheckFlows(const std::vector<FlowRequest>& flows) const override {
    if (flows.size() > 2) throw UserError("more than two flows");
  }
  MessageSplit split() const override { return split_; }
  std::int64_t ReceivedBytesOf(Bytes payload) const override { return payload.count + 100; }

 private:
  Routes routes_;
  MessageSplit split_;
};

/// A transport that carries nothing.
class DeadPort final : public FlowPoster {
 public:
  void Post(const FlowPost&) override { ++posts; }
  void WakeAt(Time) override {}
  int posts = 0;
};

FlowRequest Flow(std::uint32_t from, std::uint32_t to, std::int64_t size) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{size};
  return flow;
}

/// Two GPUs that compute for 5 ns and, if `communicates`, wait for an AllReduce of 8 KiB.
Job TwoGpus(bool communicates) {
  Job job{"two", {}, ParallelGroups({2, 1, 1}, 2, "two"), {}, {NodeId(0), NodeId(1)}, {}};
  job.workload.layers.resize(1);
  ProgramStep compute, wait;
  compute.kind = ProgramStep::Kind::kCompute;
  compute.time = NanoSeconds(5);
  wait.kind = ProgramStep::Kind::kBlocking;
  job.program.steps = {{compute}};
  if (!communicates) return job;
  job.program.steps[0].push_back(wait);
  job.program.ops.emplace_back();
  job.program.ops[0].spec.bytes = 8192;
  return job;
}

struct Traffic {
  RunInput input;
  std::unique_ptr<StubBackend> backend;
  std::unique_ptr<RunTraffic> traffic;
  DeadPort port;

  explicit Traffic(std::vector<FlowRequest> flows, std::vector<Job> jobs = {},
                   const MessageSplit& split = {}) {
    input.graph = std::make_unique<Graph>(TwoLevelTree(1, 2, 1, 1));
    input.flows = std::move(flows);
    input.jobs = std::move(jobs);
    backend = std::make_unique<StubBackend>(*input.graph, split);
    traffic = MakeTraffic(input, *backend, {}, /*has_result=*/true);
  }
  void Begin() { traffic->driver()->AgentOf(DomainId(0), {NodeId(0), NodeId(1)})->Begin(&port); }
  bool Unfinished(const DomainBooks& books) const {
    return traffic->Unfinished(Communicator::Serial(), books);
  }
  Time EndOfWork(Time fabric) const { return traffic->EndOfWork(Communicator::Serial(), fabric); }
  std::int64_t CountMessages() {
    std::int64_t sum = 0;
    traffic->ForEachMessage([&](NodeId, NodeId, std::int64_t, std::uint64_t count) {
      sum += static_cast<std::int64_t>(count);
    });
    return sum;
  }
};

TEST(TraceTraffic, KnowsItsFlowsBeforeTheRun) {
  Traffic trace({Flow(0, 1, 3000), Flow(1, 0, 2000)}, {}, {4, false});
  const TrafficPlan& plan = trace.traffic->plan();
  EXPECT_EQ(plan.flows, 8);
  EXPECT_EQ(plan.payload.count, 5000);
  EXPECT_TRUE(plan.kept_flows.all());
  EXPECT_FALSE(plan.kept_operations.has_value());
  EXPECT_FALSE(plan.may_be_fewer);
  EXPECT_EQ(trace.CountMessages(), 2);
  EXPECT_FALSE(trace.traffic->OpenMessages().has_value());
  EXPECT_EQ(trace.traffic->programs(), nullptr);
  EXPECT_EQ(trace.traffic->Names(), nullptr);
}

TEST(TraceTraffic, IsAsFarAsItsPayloadAndEndsWithTheFabric) {
  Traffic trace({Flow(0, 1, 3000), Flow(1, 0, 2000)});
  DomainBooks books;
  books.flows_started = 2;
  books.flows_finished = 1;
  books.received_bytes = 700;
  const TrafficProgress progress = trace.traffic->ProgressAt({books, 1000, true});
  EXPECT_EQ(progress.done, 700);
  EXPECT_EQ(progress.expected, 5100);
  EXPECT_TRUE(trace.Unfinished(books));
  books.flows_finished = 2;
  EXPECT_FALSE(trace.Unfinished(books));
  EXPECT_EQ(trace.EndOfWork(NanoSeconds(9)), NanoSeconds(9));
  EXPECT_EQ(trace.traffic->Waiting(Communicator::Serial()), "");
}

/// The first of two messages ends before the second starts.
TEST(TraceTraffic, OfRequestsGoesOnUntilAllMessagesHaveStarted) {
  Traffic trace({Flow(0, 1, 3000), Flow(1, 0, 2000)}, {}, {4, true});
  const TrafficPlan& plan = trace.traffic->plan();
  EXPECT_EQ(plan.flows, 8) << "at most";
  EXPECT_TRUE(plan.may_be_fewer);
  DomainBooks books;
  books.messages_started = 1;
  books.flows_started = books.flows_finished = 4;
  EXPECT_TRUE(trace.Unfinished(books));
  books.messages_started = 2;
  books.flows_started = 5;
  EXPECT_TRUE(trace.Unfinished(books));
  books.flows_finished = 5;
  EXPECT_FALSE(trace.Unfinished(books));
}

/// Packets that are sent again, or not full, make more bytes than were expected.
TEST(TraceTraffic, IsNotAtItsEndBeforeItIsFinished) {
  Traffic trace({Flow(0, 1, 3000), Flow(1, 0, 2000)});
  DomainBooks books;
  books.received_bytes = 9000;
  const TrafficProgress before = trace.traffic->ProgressAt({books, 0, /*goes_on=*/true});
  EXPECT_LT(before.done, before.expected);
  const TrafficProgress after = trace.traffic->ProgressAt({books, 0, /*goes_on=*/false});
  EXPECT_GE(after.done, after.expected);
}

TEST(TraceTraffic, RefusesWhatTheBackendRefuses) {
  EXPECT_THROW(Traffic({Flow(0, 1, 1), Flow(0, 1, 1), Flow(0, 1, 1)}), UserError);
}

/// Rank 0 computes 5 ns and sends to rank 1.
struct ScheduleRun {
  RunInput input;
  std::unique_ptr<StubBackend> backend;
  std::unique_ptr<RunTraffic> traffic;
  DeadPort port;

  explicit ScheduleRun(bool controlled = false) {
    input.graph = std::make_unique<Graph>(TwoLevelTree(1, 2, 1, 1));
    input.transport.controller.enabled = controlled;
    GoalJob& job = input.schedules.emplace_back();
    job.schedule.file = "a.goal";
    GoalOperation send, receive, calc;
    send.kind = GoalOperation::Kind::kSend;
    send.peer = 1;
    send.amount = 3000;
    receive.kind = GoalOperation::Kind::kReceive;
    calc.amount = 5;
    job.schedule.ranks = {{{send, calc}, {}}, {{receive}, {}}};
    job.gpus = {NodeId(0), NodeId(1)};
    backend = std::make_unique<StubBackend>(*input.graph, MessageSplit{4, false});
    traffic = MakeTraffic(input, *backend, {}, /*has_result=*/true);
  }
};

TEST(GoalTraffic, PlansItsMessages) {
  ScheduleRun run;
  const TrafficPlan& plan = run.traffic->plan();
  EXPECT_EQ(plan.flows, 4);
  EXPECT_TRUE(plan.may_be_fewer);
  EXPECT_EQ(plan.payload.count, 3000);
  EXPECT_FALSE(plan.kept_operations.has_value());
  EXPECT_EQ(run.traffic->programs(), nullptr);
  EXPECT_EQ(*run.traffic->OpenMessages(), 1);
}

TEST(GoalTraffic, IsUnfinishedAsLongAsARankIs) {
  ScheduleRun run;
  const Communicator& world = Communicator::Serial();
  run.traffic->driver()->AgentOf(DomainId(0), {NodeId(0), NodeId(1)})->Begin(&run.port);
  EXPECT_EQ(run.port.posts, 1);
  EXPECT_TRUE(run.traffic->Unfinished(world, {}));
  EXPECT_EQ(
      run.traffic->Waiting(world),
      "2 ranks of 2 did not come to their end:\n"
      "  rank 0 waits for a send to 1, tag 0, operation 0 of rank 0 in a.goal and 1 more that "
      "have started; 2 of its 2 operations have not ended\n"
      "  rank 1 waits for a receive from 0, tag 0, operation 0 of rank 1 in a.goal; 1 of its 1 "
      "operations have not ended\n");
  EXPECT_EQ(run.traffic->Summary(world), "") << "no rank has ended";
  const std::vector<Table> tables = run.traffic->Tables(world);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(GetColumn<std::int64_t>(tables[0], "end_ps"), (std::vector<std::int64_t>{-1, -1}));
}

TEST(GoalTraffic, RefusesAController) { EXPECT_THROW(ScheduleRun(true), UserError); }

TEST(JobTraffic, PlansItsMessagesAndCollectives) {
  Traffic jobs({}, {TwoGpus(true)}, {4, false});
  const TrafficPlan& plan = jobs.traffic->plan();
  EXPECT_GT(jobs.CountMessages(), 0);
  EXPECT_EQ(plan.flows, 4 * jobs.CountMessages());
  EXPECT_TRUE(plan.may_be_fewer) << "than four queue pairs a message";
  EXPECT_EQ(plan.operations, 1U);
  ASSERT_TRUE(plan.kept_operations.has_value());
  EXPECT_TRUE(plan.kept_operations->all());
  EXPECT_EQ(plan.payload.count, 0);
  EXPECT_GT(*jobs.traffic->OpenMessages(), 0);
}

TEST(JobTraffic, IsUnfinishedAsLongAsAProgramIs) {
  Traffic jobs({}, {TwoGpus(true)});
  jobs.Begin();
  EXPECT_GT(jobs.port.posts, 0);
  EXPECT_TRUE(jobs.Unfinished({}));
  const std::string waiting = jobs.traffic->Waiting(Communicator::Serial());
  EXPECT_NE(waiting.find("2 GPUs did not come to the end of their programs:"), std::string::npos)
      << waiting;
  EXPECT_NE(waiting.find("GPU 1 (job 0, rank 1) waits for pass 0"), std::string::npos) << waiting;
  EXPECT_EQ(jobs.traffic->Names()(0, 0).rfind("job 0, pass 0", 0), 0U);
}

TEST(JobTraffic, EndsWithItsLastProgram) {
  Traffic jobs({}, {TwoGpus(false)});
  jobs.Begin();
  EXPECT_FALSE(jobs.Unfinished({}));
  EXPECT_EQ(jobs.EndOfWork(NanoSeconds(9)), NanoSeconds(5)) << "the fabric's end does not count";
  EXPECT_EQ(jobs.traffic->programs()->finishes.size(), 2U);
  EXPECT_EQ(jobs.traffic->programs()->steps.size(), 2U) << "a result may keep them";
}

TEST(JobTraffic, IsAsFarAsItsPacketHops) {
  Traffic jobs({}, {TwoGpus(true)});
  DomainBooks books;
  books.link_packets = 600;
  books.flows_finished = 1;
  const auto at = [&](double hops, bool goes_on) {
    const TrafficProgress progress = jobs.traffic->ProgressAt({books, hops, goes_on});
    return std::make_pair(progress.done, progress.expected);
  };
  EXPECT_EQ(at(1000, true), std::make_pair(std::int64_t{600}, std::int64_t{1000}));
  EXPECT_EQ(at(1000, false), std::make_pair(std::int64_t{1000}, std::int64_t{1000}));
  books.link_packets = 2000;  // some were sent again
  EXPECT_EQ(at(1000, true), std::make_pair(std::int64_t{999}, std::int64_t{1000}));
  EXPECT_EQ(at(0, true), std::make_pair(std::int64_t{1}, jobs.traffic->plan().flows));
}

}  // namespace
}  // namespace heddle::testing
