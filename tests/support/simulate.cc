// SPDX-License-Identifier: GPL-2.0-only
#include <ns3/simulator.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/phased/chunk_deadlock.h"
#include "collectives/program/make_program.h"
#include "collectives/program/workload_defaults.h"
#include "collectives/tables/collective_tables.h"
#include "collectives/tables/job_tables.h"
#include "collectives/tables/least_times.h"
#include "collectives/tables/phase_tables.h"
#include "core/checkpoint/checkpoint.h"
#include "core/engine/engine_session.h"
#include "core/goal/goal_driver.h"
#include "core/mpi/gather_records.h"
#include "core/traffic/joint_driver.h"
#include "core/traffic/trace_driver.h"
#include "io/simai/simai_workload.h"
#include "partition/partition.h"
#include "tests/support/serving/simulate_serving.h"
#include "tests/support/simulate_jobs.h"
#include "topology/graph/nvlink_groups.h"
#include "transport/run/controller/controller_tables.h"
#include "transport/run/fabric/fabric.h"

namespace heddle::testing {
namespace {

/// Appends the rows of each table to the table of the same name.
void Append(const std::vector<Table>& more, std::vector<Table>* tables) {
  if (tables->empty()) {
    *tables = more;
    return;
  }
  for (std::size_t t = 0; t < more.size(); ++t) {
    for (std::size_t c = 0; c < more[t].columns.size(); ++c) {
      std::visit(
          [&](auto& values) {
            const auto& added = std::get<std::decay_t<decltype(values)>>(more[t].columns[c].data);
            values.insert(values.end(), added.begin(), added.end());
          },
          (*tables)[t].columns[c].data);
    }
  }
}

/// The traffic of a fabric; a run that is stopped has one for each leg.
class Traffic {
 public:
  virtual ~Traffic() = default;
  virtual void SetUp(Fabric* fabric) = 0;
  virtual void Save(PieceWriter*, RankId) const {}
  virtual void Load(CheckpointPieces*, const Communicator&) {}
  /// Adds its results. Collective.
  virtual void Collect(const Communicator&, Observed*) {}
};

class FlowTraffic final : public Traffic {
 public:
  FlowTraffic(const std::vector<FlowRequest>& flows, const TransportOptions& options)
      : flows_(flows), driver_(flows, options.split(), options.send_latency) {}
  void SetUp(Fabric* fabric) override {
    fabric->CheckFlows(flows_);
    fabric->Drive(&driver_);
  }

 private:
  const std::vector<FlowRequest>& flows_;
  TraceDriver driver_;
};

class DrivenTraffic final : public Traffic {
 public:
  explicit DrivenTraffic(FlowDriver* driver) : driver_(driver) {}
  void SetUp(Fabric* fabric) override { fabric->Drive(driver_); }

 private:
  FlowDriver* driver_;
};

class JobTraffic final : public Traffic {
 public:
  /// `steps`: time lines of the previous legs on this rank; those of this leg are added.
  JobTraffic(const Graph& graph, const std::vector<Job>& jobs, const CollectiveOptions& options,
             const std::vector<LinkEvent>& failures, std::vector<StepRecord>* steps)
      : jobs_(jobs),
        coordinator_(graph, jobs, options, true, failures),
        least_times_(graph),
        steps_(*steps) {}

  FlowDriver* driver() { return &coordinator_; }
  void SetUp(Fabric* fabric) override { fabric->Drive(&coordinator_); }
  void Save(PieceWriter* to, RankId here) const override {
    coordinator_.SavePiece(to, here);
    const std::vector<StepRecord>& fresh = coordinator_.context().steps;
    steps_.insert(steps_.end(), fresh.begin(), fresh.end());
  }
  void Load(CheckpointPieces* from, const Communicator& world) override {
    coordinator_.LoadPieces(from, world);
  }

  void Collect(const Communicator& world, Observed* outcome) override {
    const ExecutionContext& found = coordinator_.context();
    const PlanOf plan = [&](std::uint32_t job, std::uint32_t op, std::uint32_t group) {
      const PlannedCollective& planned = coordinator_.context().jobs[job]->Collective(op, group);
      return CollectivePlan{planned.choice, least_times_.Of(planned, job, group)};
    };
    steps_.insert(steps_.end(), found.steps.begin(), found.steps.end());
    outcome->jobs = {GatherJobs(world, jobs_, found.finishes),
                     GatherRanks(world, jobs_, found.finishes),
                     GatherCollectives(world, jobs_, found.collectives, plan),
                     GatherLayers(world, jobs_, found.layers),
                     GatherSteps(world, jobs_, steps_),
                     GatherPhaseDelays(world, jobs_, found.phase_delays)};
    outcome->end = Time{world.Max(coordinator_.end().ps)};
    for (const auto& [gpu, text] : coordinator_.Waiting(100)) outcome->waiting.push_back(text);
    outcome->chunk_deadlock =
        coordinator_.DescribeChunkDeadlock(GatherRecords(world, coordinator_.ChunkStands()));
  }

 private:
  const std::vector<Job>& jobs_;
  FlowCoordinator coordinator_;
  LeastTimes least_times_;
  std::vector<StepRecord>& steps_;
};

class ServedTraffic final : public Traffic {
 public:
  ServedTraffic(const Graph& graph, const ServingPlan& plan, const ServingRequests& requests,
                Time send_latency)
      : driver_(plan, requests, send_latency, NvLinkGroups(graph)) {}
  void SetUp(Fabric* fabric) override { fabric->Drive(&driver_); }
  void Collect(const Communicator& world, Observed* outcome) override {
    driver_.CheckBlocks();
    outcome->jobs = RecordTables(world, driver_);
    outcome->end = Time{world.Max(driver_.end().ps)};
    for (const auto& [instance, text] : driver_.Waiting(100)) outcome->waiting.push_back(text);
  }

 private:
  ServingDriver driver_;
};

/// Jobs and schedules, or schedules alone.
class ScheduleTraffic final : public Traffic {
 public:
  /// `jobs`: null if there are none. `schedules` must outlive it.
  ScheduleTraffic(std::unique_ptr<JobTraffic> jobs, const std::vector<GoalJob>& schedules,
                  Time send_latency)
      : jobs_(std::move(jobs)), driver_(schedules, send_latency) {
    if (jobs_ != nullptr)
      joint_ = std::make_unique<JointDriver>(jobs_->driver(), &driver_, &GoalDriver::Owns);
  }

  void SetUp(Fabric* fabric) override {
    if (joint_ == nullptr) return fabric->Drive(&driver_);
    fabric->Drive(joint_.get());
  }
  void Save(PieceWriter* to, RankId here) const override {
    if (jobs_ != nullptr) jobs_->Save(to, here);
  }
  void Load(CheckpointPieces* from, const Communicator& world) override {
    if (jobs_ != nullptr) jobs_->Load(from, world);
  }

  void Collect(const Communicator& world, Observed* outcome) override {
    if (jobs_ != nullptr) jobs_->Collect(world, outcome);
    std::vector<GoalDriver::Progress> all = GatherRecords(world, driver_.progress());
    std::sort(all.begin(), all.end(),
              [](const GoalDriver::Progress& a, const GoalDriver::Progress& b) {
                return std::tie(a.job, a.of.rank) < std::tie(b.job, b.of.rank);
              });
    std::vector<std::uint32_t> jobs, ranks;
    std::vector<std::int64_t> open, ends;
    for (const GoalDriver::Progress& rank : all) {
      jobs.push_back(rank.job);
      ranks.push_back(rank.of.rank);
      open.push_back(static_cast<std::int64_t>(rank.of.open));
      ends.push_back(rank.of.end.ps);
    }
    Table table{"schedule/ranks", "ranks of schedules", {}};
    table.columns.push_back({"job", "1", "schedule", std::move(jobs)});
    table.columns.push_back({"rank", "1", "rank", std::move(ranks)});
    table.columns.push_back({"open", "1", "operations that have not ended", std::move(open)});
    table.columns.push_back({"end_ps", "ps", "end of the last operation", std::move(ends)});
    outcome->jobs.push_back(std::move(table));
    for (auto& [number, text] : driver_.Waiting(100)) outcome->waiting.push_back(std::move(text));
  }

 private:
  std::unique_ptr<JobTraffic> jobs_;
  GoalDriver driver_;
  std::unique_ptr<JointDriver> joint_;
};

DomainOptions CutOf(const RunPlan& plan) {
  DomainOptions cut{Time{0}, plan.grain};
  cut.segment_domains = plan.segment_domains;
  if (plan.segment_domains > 0) cut.grain = DomainOptions::kAutoGrain;
  return cut;
}

/// A run in one or several legs. `make` makes the traffic of each.
class Runner {
 public:
  using Maker = std::function<std::unique_ptr<Traffic>()>;

  Runner(const Graph& graph, const Scenario& scenario, Maker make)
      : graph_(graph),
        scenario_(scenario),
        plan_(scenario.plan),
        make_(std::move(make)),
        domains_(MakeDomains(graph, CutOf(plan_))) {}

  Observed Run(const Communicator& world) {
    static constexpr const char* kPartitioners[] = {"block", "random", "metis", "pod"};
    for (std::size_t leg = 0; leg < plan_.stops.size() && !ended_; ++leg) {
      const bool alone = leg % 3 == 2;
      leg_ = leg;
      if (!alone || world.is_root())
        RunLeg(alone ? Communicator::Serial() : world, kPartitioners[leg % 4], plan_.stops[leg]);
      ended_ = world.Max(std::int64_t{ended_}) != 0;
    }
    leg_ = plan_.stops.size();
    if (!ended_) RunLeg(world, plan_.partitioner, Time::Max());
    if (!plan_.stops.empty() && world.is_root()) RemoveCheckpoint(plan_.checkpoint);
    return std::move(outcome_);
  }

 private:
  /// As runs with domains of whole segments: the first ranks have one each, if there are too few.
  Assignment AssignOrLeaveIdle(std::uint32_t ranks, const std::string& partitioner) const {
    const auto count = static_cast<std::uint32_t>(domains_.nodes.size());
    if (plan_.segment_domains == 0 || count >= ranks)
      return AssignDomains(graph_, domains_, ranks, partitioner, 7);
    Assignment assignment;
    for (std::uint32_t i = 0; i < count; ++i) assignment.push_back(RankId(i));
    return assignment;
  }

  /// Runs from the last checkpoint, if there is one, to `stop` or the end; then saves a checkpoint
  /// or collects results.
  void RunLeg(const Communicator& world, const std::string& partitioner, Time stop) {
    const Assignment ranks = AssignOrLeaveIdle(world.size(), partitioner);
    Fabric fabric(graph_, scenario_.options, {domains_.domain_of, domains_.nodes, ranks},
                  world.rank(), world.size(), plan_.seed, scenario_.failures);
    fabric.RecordFlows(plan_.sample);
    const std::unique_ptr<Traffic> traffic = make_();
    traffic->SetUp(&fabric);
    if (leg_ > 0) {
      const CheckpointManifest manifest = ShareManifest(world, plan_.checkpoint);
      CheckpointPieces pieces(plan_.checkpoint, manifest);
      traffic->Load(&pieces, world);
      fabric.LoadPieces(&pieces);
    }
    TakeSamples(world, fabric, false);
    Simulate(world, &fabric, stop);
    TakeSamples(world, fabric, ended_);
    if (ended_) return Collect(world, fabric, traffic.get());
    CheckpointManifest manifest;
    manifest.number = leg_ + 1;
    manifest.now = now_;
    SaveCheckpoint(world, plan_.checkpoint, manifest, [&](PieceWriter* to) {
      traffic->Save(to, world.rank());
      fabric.SavePieces(to);
    });
  }

  /// As ResultRecorder: at the begin of a leg, at cuts and at the end.
  void TakeSamples(const Communicator& world, const Fabric& fabric, bool is_end) {
    const TrafficEnd end(world, fabric.now());
    Append(TakeMonitorTables(fabric, end, is_end), &outcome_.monitors);
    outcome_.traffic_end = end.time();
  }

  void Simulate(const Communicator& world, Fabric* fabric, Time stop) {
    CutOrders orders;
    orders.next_cut = stop;
    EngineSetup setup;
    setup.lookahead = fabric->Lookahead();
    setup.two_sides = fabric->two_sides();
    setup.post_office = &fabric->post_office();
    setup.neighbours = fabric->NeighbourRanks();
    setup.orders = &orders;
    setup.exchange = plan_.exchange;
    ended_ = true;
    if (plan_.check_every >= 0) setup.report_interval = plan_.check_every;
    if (plan_.check_every >= 0 || stop < Time::Max()) {
      setup.on_cut = [&](const heddle::Cut& at) {
        CheckConservation(world, *fabric);
        TakeSamples(world, *fabric, false);
        now_ = at.now;
        orders.end = at.now >= stop;
        ended_ = !orders.end;
      };
    }
    RunEngine(plan_.engine, world, setup);
    // The domain engine may run again in this process; each run then starts at time 0 with a new
    // simulator.
    if (plan_.engine == EngineKind::kDomain) ns3::Simulator::Destroy();
  }

  void Collect(const Communicator& world, Fabric& fabric, Traffic* traffic) {
    Observed& outcome = outcome_;
    outcome.books = CheckConservation(world, fabric);
    CheckHeldPaths(world, fabric);
    outcome.controller = ControllerTables(fabric.controller());
    outcome.flows = GatherFlows(world, fabric);
    outcome.drops = GatherDrops(world, fabric);
    outcome.ports = GatherPorts(world, fabric);
    outcome.pause_causes = GatherPauseCauses(world, fabric);
    outcome.statistics = GatherFlowStatistics(world, fabric);
    outcome.statistics.push_back(GatherTierLoad(world, fabric));
    outcome.deadlock = FindDeadlock(world, fabric);
    outcome.events = fabric.events();
    outcome.replayed = fabric.replay_figures();
    outcome.end = Time{world.Max(fabric.now().ps)};
    outcome.flow_digest =
        static_cast<std::uint64_t>(world.Sum(static_cast<std::int64_t>(fabric.flow_digest())));
    traffic->Collect(world, &outcome);
  }

  const Graph& graph_;
  const Scenario& scenario_;
  const RunPlan& plan_;
  Maker make_;
  Domains domains_;
  std::size_t leg_ = 0;
  bool ended_ = false;
  Time now_;
  Observed outcome_;
};

}  // namespace

Observed Simulate(const Graph& graph, const std::vector<FlowRequest>& flows,
                  const Scenario& scenario, const Communicator& world) {
  const auto make = [&] { return std::make_unique<FlowTraffic>(flows, scenario.options); };
  return Runner(graph, scenario, make).Run(world);
}

Observed SimulateJobs(const Graph& graph, const std::vector<Job>& jobs, const Scenario& scenario,
                      const Communicator& world) {
  std::vector<StepRecord> steps;
  const auto make = [&]() -> std::unique_ptr<Traffic> {
    std::unique_ptr<JobTraffic> of_jobs;
    if (!jobs.empty())
      of_jobs = std::make_unique<JobTraffic>(graph, jobs, scenario.collectives, scenario.failures,
                                             &steps);
    if (scenario.schedules == nullptr) return of_jobs;
    return std::make_unique<ScheduleTraffic>(std::move(of_jobs), *scenario.schedules,
                                             scenario.options.send_latency);
  };
  return Runner(graph, scenario, make).Run(world);
}

Observed SimulateServing(const Graph& graph, const ServingPlan& plan,
                         const ServingRequests& requests, const Scenario& scenario,
                         const Communicator& world) {
  const auto make = [&] {
    return std::make_unique<ServedTraffic>(graph, plan, requests, scenario.options.send_latency);
  };
  return Runner(graph, scenario, make).Run(world);
}

Observed SimulateDriven(const Graph& graph, FlowDriver* driver, const Scenario& scenario) {
  const auto make = [&] { return std::make_unique<DrivenTraffic>(driver); };
  return Runner(graph, scenario, make).Run(Communicator::Serial());
}

Job MakeJob(const Graph& graph, const std::string& workload, std::vector<NodeId> gpus, Time start,
            std::uint32_t passes, const PipelineOptions& pipeline) {
  Workload parsed = ParseSimaiWorkload(workload, "test");
  if (gpus.empty()) {
    for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) gpus.push_back(NodeId(gpu));
  }
  const auto ranks = static_cast<std::uint32_t>(gpus.size());
  const ParallelGroups groups(DefaultSizes(parsed, ranks, graph.gpus_per_server()), ranks, "test");
  GatherWholes(groups, &parsed);
  Program program = MakeProgram(parsed, groups, passes, pipeline);
  return {"test", std::move(parsed), groups, std::move(program), std::move(gpus),
          start,  Placement::kList};
}

}  // namespace heddle::testing
