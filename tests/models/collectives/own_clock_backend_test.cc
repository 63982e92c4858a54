// SPDX-License-Identifier: GPL-2.0-only
/// A backend without domains, engine or post office: it hands collectives back in an order of its
/// own, as one would whose traffic is real.
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/base/check.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"
#include "transport/run/backends/backend.h"

namespace heddle::testing {
namespace {

constexpr Time kTakes = MicroSeconds(7);

/// Every collective ends kTakes after its last participant has begun.
class OwnClockBackend final : public Backend, public FlowPoster, public CollectiveCarrier {
 public:
  explicit OwnClockBackend(const Graph& graph) : graph_(graph), routes_(graph) {}

  void Drive(FlowDriver* driver) override {
    std::vector<NodeId> all;
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) all.emplace_back(node);
    agent_ = driver->AgentOf(DomainId(0), all);
    agent_->Begin(this);
  }
  bool carries_collectives() const override { return true; }
  const Routes& routes() const override { return routes_; }
  std::string Describe() const override { return "transport        a clock of its own\n"; }

  EngineReport Run(EngineKind, const Communicator&, EngineSetup setup) override {
    EngineReport report;
    for (auto first = FirstComplete(); first != open_.end(); first = FirstComplete()) {
      const Pending done = first->second;
      open_.erase(first);
      ++report.windows;
      for (const NodeId node : done.nodes) agent_->Completed(done.name, node, done.End());
      now_ = std::max(now_, done.End());
    }
    Cut cut;
    cut.now = now_;
    cut.last = true;
    if (setup.on_cut) setup.on_cut(cut);
    return report;
  }
  Time now() const override { return now_; }

  void Post(const FlowPost&) override { throw std::logic_error("a flow was posted"); }
  void WakeAt(Time) override { throw std::logic_error("an agent asked to be woken"); }
  CollectiveCarrier* collectives() override { return this; }
  void Begin(const CollectiveCall& call) override {
    Pending& pending = open_[{call.name.job, call.name.operation, call.name.group}];
    pending.name = call.name;
    pending.parts = call.parts();
    pending.latest = std::max(pending.latest, call.start);
    pending.nodes.push_back(call.node());
  }

 private:
  struct Pending {
    CollectiveName name;
    std::uint32_t parts = 0;
    Time latest;
    std::vector<NodeId> nodes;

    Time End() const { return latest + kTakes; }
  };
  using Open = std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>, Pending>;

  /// Of those that all have begun, the one that ends first.
  Open::iterator FirstComplete() {
    auto first = open_.end();
    for (auto at = open_.begin(); at != open_.end(); ++at) {
      if (at->second.nodes.size() < at->second.parts) continue;
      if (first == open_.end() || at->second.End() < first->second.End()) first = at;
    }
    return first;
  }

  const Graph& graph_;
  Routes routes_;
  FlowAgent* agent_ = nullptr;
  Open open_;
  Time now_;
};

/// Two groups of TP and two of DP.
Job OwnClockJob(const Graph& graph) {
  return MakeJob(graph,
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n2\n"
                 "first -1 1000 ALLREDUCE 200000 500 NONE 0 10000 ALLREDUCE 400000 1\n"
                 "second -1 1000 NONE 0 500 NONE 0 3000 ALLREDUCE 900000 1\n");
}

std::map<NodeId, Time> EndsOn(Backend* backend, const FlowCoordinator& coordinator) {
  int cuts = 0;
  EngineSetup setup;
  setup.on_cut = [&](const Cut&) { ++cuts; };
  backend->Run(EngineKind::kDomain, Communicator::Serial(), setup);
  EXPECT_GE(cuts, 1);
  std::map<NodeId, Time> ends;
  for (const FinishRecord& finish : coordinator.context().finishes) ends[finish.gpu] = finish.end;
  return ends;
}

TEST(OwnClockBackend, RunsProgramsAsAnEngineWould) {
  const Graph graph = Star({{400}, {400}, {400}, {25}});
  const std::vector<Job> jobs = {OwnClockJob(graph)};
  FlowCoordinator on_engine(graph, jobs, CollectiveOptions(), /*timeline=*/true);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  FixedTime fixed(graph, domains, kTakes);
  AnalyticalBackend analytical(fixed.Input());
  analytical.Drive(&on_engine);
  const auto expected = EndsOn(&analytical, on_engine);
  ns3::Simulator::Destroy();
  FlowCoordinator alone(graph, jobs, CollectiveOptions(), /*timeline=*/true);
  OwnClockBackend own(graph);
  own.Drive(&alone);
  EXPECT_EQ(EndsOn(&own, alone), expected);
  EXPECT_EQ(expected.size(), 4u);
  EXPECT_TRUE(alone.Waiting(100).empty());
  EXPECT_EQ(alone.context().steps.size(), on_engine.context().steps.size());
}

TEST(OwnClockBackend, WhatItDoesNotSayIsThatOfABackendWithoutPackets) {
  const Graph graph = Star({{400}, {400}});
  OwnClockBackend own(graph);
  EXPECT_THROW(own.CheckFlows({}), UserError);
  EXPECT_THROW(own.SavePieces(nullptr), UserError);
  EXPECT_THROW(own.LoadPieces(nullptr), UserError);
  EXPECT_THROW(own.post_office(), InvariantError);
  EXPECT_EQ(own.flow_digest(), 0u);
  EXPECT_EQ(own.domains(), 0u);
  EXPECT_TRUE(own.NewFlows().empty());
  EXPECT_EQ(own.CheckConservation(Communicator::Serial()).flows_started, 0);
  const Communicator serial = Communicator::Serial();
  EXPECT_EQ(own.FlowRows({}).size(), 3u) << "tables with columns, and no row";
  EXPECT_TRUE(GetColumn<std::uint32_t>(own.GatherFlows(serial, {}), "src").empty());
  EXPECT_FALSE(own.GatherFlows(serial, {}).columns.empty());
  EXPECT_EQ(own.GatherTotals(serial).statistics.size(), 4u);
}

}  // namespace
}  // namespace heddle::testing
