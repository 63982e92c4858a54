// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/states/half_run.h"

#include <algorithm>
#include <utility>

#include "collectives/closed_form/closed_prices.h"
#include "core/checkpoint/state_archive.h"
#include "core/options/options.h"
#include "partition/partition.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"
#include "tests/support/chakra/chakra_programs.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/simulate_jobs.h"
#include "topology/routes/failures.h"
#include "transport/run/fabric/fabric.h"
#include "transport/run/whole/analytical_domain.h"

namespace heddle {
namespace {

/// Six NPUs whose packets pass through others, and wait for credits in the second dimension.
const Graph& ScaleUpGraph() {
  static const Graph graph = [] {
    NetworkDimension narrow = testing::Loop(3, 1, 1);
    narrow.level.virtual_channels = 2;
    narrow.level.buffer_flits = 6;
    return testing::ScaleUpFabric({testing::Loop(2, 2), narrow});
  }();
  return graph;
}

/// Flows from all GPUs to all others, in both directions over every link.
std::vector<FlowRequest> FlowsOn(const Graph& graph, Bytes size) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t from = 0; from < graph.gpu_count(); ++from) {
    for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
      if (from == to) continue;
      FlowRequest flow;
      flow.source = NodeId(from);
      flow.destination = NodeId(to);
      flow.size = size;
      flow.start = MicroSeconds(to);
      flows.push_back(flow);
    }
  }
  return flows;
}

std::vector<LinkEvent> Failures() {
  FailureEvent down;
  down.time = MicroSeconds(6);
  down.a = NodeId(1);
  down.b = NodeId(6);
  down.cable = 0;
  return ExpandFailures(SmallGraph(), {down});
}

constexpr const char* kTwoReduces =
    "MICRO\n2\nar -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 400000 1\na2a -1 0 NONE 0 0 NONE 0 0 ALLTOALL "
    "300000 1\n";
/// Two under way at once, with chunks that wait.
constexpr const char* kTwoPhased =
    "DATA\n2\na -1 10 NONE 0 10 NONE 0 10 ALLREDUCE 60000 1\nb -1 10 NONE 0 10 NONE 0 10 ALLTOALL "
    "30000 1\n";

std::vector<HalfRun> Made(const std::vector<HalfRunInput>& inputs) {
  return {inputs.begin(), inputs.end()};
}

std::vector<HalfRun> SimpleRuns() {
  return Made(
      {{{{"CC_MODE", "1"}, {"controller.enable", "true"}, {"monitor.kinds", "all"}}, kTwoReduces},
       {{{"CC_MODE", "3"}, {"reliability.selective_repeat", "true"}, {"link.error_rate", "0.01"}}},
       {{{"CC_MODE", "7"}, {"nic.qps_per_connection", "2"}}},
       {{{"CC_MODE", "8"}, {"pfc.enabled", "false"}, {"controller.enable", "true"}}},
       {{{"CC_MODE", "10"}, {"collective.nvls", "true"}}, kTwoReduces},
       {{{"collective.connections", "lasting"}, {"nic.qps_per_connection", "2"}}, kTwoReduces}});
}

/// Messages divided into requests: of a trace, and of jobs on connections that last or do not.
std::vector<HalfRun> RequestRuns() {
  const auto with = [](const char* scheduler,
                       std::vector<std::pair<const char*, const char*>> more) {
    const std::vector<std::pair<const char*, const char*>> small = {
        {"requests.scheduler", scheduler},  {"nic.qps_per_connection", "4"},
        {"requests.size", "32768"},         {"requests.send_recv_size", "16384"},
        {"requests.in_flight", "3"},        {"cast.split_min", "4096"},
        {"cast.update_interval", "2us"},    {"cast.tokens", "12"},
        {"cast.poll_jitter", "exponential"}};
    more.insert(more.end(), small.begin(), small.end());
    return more;
  };
  return Made({{with("cast-stripe", {{"link.error_rate", "0.01"}, {"monitor.kinds", "all"}})},
               {with("cast-wrr", {{"collective.connections", "lasting"}}), kTwoReduces},
               {with("round-robin", {{"CC_MODE", "3"}}), kTwoReduces},
               {with("round-robin", {{"controller.enable", "true"}}), kTwoReduces}});
}

/// Entropies of packets, and Ultra Ethernet.
std::vector<HalfRun> SprayingRuns() {
  return Made({{{{"entropy.scheme", "mrc"},
                 {"entropy.mrc_probe_interval", "2us"},
                 {"link.error_rate", "0.01"},
                 {"reliability.selective_repeat", "true"},
                 {"reliability.reorder", "64"}}},
               {{{"entropy.scheme", "bitmap"}, {"reliability.reorder", "64"}}, kTwoReduces},
               {{{"transport.protocol", "uec"},
                 {"uec.congestion", "both"},
                 {"uec.queue_limit", "0.3"},
                 {"entropy.scheme", "reps"}}},
               {{{"transport.protocol", "uec"},
                 {"uec.trimming", "false"},
                 {"uec.sleek", "true"},
                 {"link.error_rate", "0.01"}},
                kTwoReduces}});
}

/// Two stages that send to each other, between collectives of two kinds of groups.
constexpr const char* kTwoStages =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 2 "
    "all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 100000\n2\n"
    "a -1 2000 ALLREDUCE 60000 2000 ALLREDUCE 60000 2000 NONE 0 1\n"
    "b -1 1000 ALLGATHER 30000 1000 REDUCESCATTER 30000 1000 ALLREDUCE 90000 1\n";

/// Graphs of four ranks: overlapping collectives, messages, computing, all several times.
constexpr const char* kTrace =
    "ranks 4\n*: 1 comp 2\n*: 2 coll ALL_REDUCE 60000 after 1\n*: 3 comp 3 cpu\n"
    "0: 4 send 40000 to 2 tag 1 after 3\n2: 4 recv 40000 from 0 tag 1\n*: 5 coll ALL_TO_ALL 9000\n"
    "1: 6 send 30000 to 0 tag 2\n0: 6 recv 30000 from 1 tag 2 after 2\n*: 7 comp 4 after 2 5\n"
    "*: 8 coll ALL_REDUCE 90000 control 7\n0: 9 send 20000 to 3 tag 1\n3: 9 recv 20000 from 0 tag "
    "1 "
    "after 7\n*: 10 comp 1 after 8\n*: 11 coll ALL_GATHER 9000 after 10\n";

/// Programs that are graphs, by packets, in phases and by closed forms.
std::vector<HalfRun> GraphRuns() {
  return Made({{{{"collective.connections", "lasting"}}, kTrace},
               {{{"phases.collectives", "baseline"}, {"chunks.splits", "4"}}, kTrace, true},
               {{}, kTrace, false, true}});
}

/// Collectives by closed forms.
std::vector<HalfRun> PricedRuns() {
  return Made({{{}, kTwoReduces, false, true}, {{}, kTwoStages, false, true}});
}

class PacketCarrier final : public HalfCarrier {
 public:
  PacketCarrier(const Graph& graph, const TransportOptions& transport, const FabricLayout& layout,
                const std::vector<LinkEvent>& failures)
      : fabric_(graph, transport, layout, RankId(0), 1, 1, failures) {}
  void Drive(FlowDriver* driver) override { fabric_.Drive(driver); }
  PostOffice& post_office() override { return fabric_.post_office(); }
  Time Lookahead() const override { return fabric_.Lookahead(); }
  void Save(std::size_t domain, StateWriter* to) const override { fabric_.Save(domain, to); }
  void Load(std::size_t domain, StateReader* from) override { fabric_.Load(domain, from); }
  void TakeMonitors() override {
    TakeMonitorTables(fabric_, {Communicator::Serial(), fabric_.now()}, false);
  }
  void AddMemory(MemoryAccount* account) const override { fabric_.AddMemory(account); }

 private:
  Fabric fabric_;
};

class PricedCarrier final : public HalfCarrier {
 public:
  PricedCarrier(const Graph& graph, const CollectiveOptions& options, const FabricLayout& layout)
      : prices_(graph, options, WireFigures()),
        nodes_(layout.nodes),
        post_office_(layout.rank_of, RankId(0), 1),
        run_{&prices_, layout.domain_of, &post_office_} {
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
      domains_.push_back(std::make_unique<AnalyticalDomain>(DomainId(id), &run_));
      post_office_.Add(domains_.back().get());
    }
  }
  void Drive(FlowDriver* driver) override {
    for (const auto& domain : domains_)
      domain->Attach(driver->AgentOf(domain->id(), nodes_[domain->id().value]));
    post_office_.Resume();
  }
  PostOffice& post_office() override { return post_office_; }
  Time Lookahead() const override { return AnalyticalDomain::kReport; }
  void Save(std::size_t domain, StateWriter* to) const override { domains_[domain]->Save(to); }
  void Load(std::size_t domain, StateReader* from) override {
    domains_[domain]->Load(from);
    from->ExpectEnd();
  }
  void TakeMonitors() override {}
  void AddMemory(MemoryAccount* account) const override {
    for (const auto& domain : domains_) domain->AddMemory(account);
  }

 private:
  ClosedPrices prices_;
  std::vector<std::vector<NodeId>> nodes_;
  PostOffice post_office_;
  AnalyticalRun run_;
  std::vector<std::unique_ptr<AnalyticalDomain>> domains_;
};

std::vector<HalfRun> ScaleUpRuns() {
  return Made({{{}, nullptr, true},
               {{{"phases.collectives", "enhanced"},
                 {"chunks.splits", "8"},
                 {"chunks.threshold", "3"},
                 {"chunks.per_lane", "1"}},
                kTwoPhased,
                true}});
}

}  // namespace

HalfRun::HalfRun(const HalfRunInput& input)
    : graph_(input.scale_up ? &ScaleUpGraph() : &SmallGraph()), priced_(input.priced) {
  OptionSet options;
  transport_.Declare(&options);
  collectives_.Declare(&options);
  for (const auto& [key, value] : input.options) options.Set(key, value);
  if (input.workload == nullptr) return;
  const bool trace = std::string(input.workload).rfind("ranks ", 0) == 0;
  jobs_ = {trace ? testing::TraceJob(input.workload) : testing::MakeJob(*graph_, input.workload)};
}

HalfRun::Parts HalfRun::Make() const {
  const bool small = graph_ == &SmallGraph();
  const Domains domains = MakeDomains(*graph_, {});
  Parts parts;
  const FabricLayout layout{domains.domain_of, domains.nodes,
                            AssignDomains(*graph_, domains, 1, "block", 1)};
  if (priced_) {
    parts.carrier = std::make_unique<PricedCarrier>(*graph_, collectives_, layout);
  } else {
    parts.carrier = std::make_unique<PacketCarrier>(*graph_, transport_, layout,
                                                    small ? Failures() : std::vector<LinkEvent>());
  }
  if (jobs_.empty()) {
    static const std::vector<FlowRequest> kFlows = FlowsOn(SmallGraph(), Bytes{200'000}),
                                          kScaleUp = FlowsOn(ScaleUpGraph(), Bytes{20'000});
    parts.trace = std::make_unique<TraceDriver>(small ? kFlows : kScaleUp, transport_.split(),
                                                transport_.send_latency);
    parts.carrier->Drive(parts.trace.get());
  } else {
    parts.coordinator = std::make_unique<FlowCoordinator>(*graph_, jobs_, collectives_, true);
    parts.carrier->Drive(parts.coordinator.get());
  }
  return parts;
}

HalfRun::State HalfRun::RunUntil(Time stop) const {
  const Parts parts = Make();
  PostOffice& post = parts.carrier->post_office();
  GoOn(parts, stop, UINT64_MAX);
  post.EmptyAllInboxes();
  parts.carrier->TakeMonitors();
  State state;
  for (std::size_t i = 0; i < post.domains().size(); ++i) {
    StateWriter writer;
    parts.carrier->Save(i, &writer);
    state.domains.emplace_back(writer.bytes().begin(), writer.bytes().end());
  }
  if (parts.coordinator) {
    StateWriter writer;
    parts.coordinator->context().SaveCollectives(&writer);
    state.collectives.assign(writer.bytes().begin(), writer.bytes().end());
  }
  return state;
}

HalfRun::Parts HalfRun::Load(const State& state) const {
  Parts parts = Make();
  for (std::size_t i = 0; i < state.domains.size(); ++i) {
    StateReader reader(state.domains[i].data(), state.domains[i].size());
    parts.carrier->Load(i, &reader);
  }
  if (parts.coordinator) {
    StateReader reader(state.collectives.data(), state.collectives.size());
    parts.coordinator->context().ForgetRecords();
    parts.coordinator->context().AddCollectives(&reader);
  }
  parts.carrier->post_office().Resume();
  return parts;
}

void HalfRun::GoOn(const Parts& parts, Time stop, std::uint64_t windows) {
  PostOffice& post = parts.carrier->post_office();
  const Time lookahead = parts.carrier->Lookahead();
  for (Time next = post.NextTime(); next < stop && windows > 0; next = post.NextTime(), --windows) {
    const Time edge = next > stop - lookahead ? stop : next + lookahead;
    for (std::size_t i = 0; i < post.domains().size(); ++i) post.RunDomain(i, edge);
  }
}

const std::vector<HalfRun>& HalfRuns() {
  static const std::vector<HalfRun> runs = [] {
    std::vector<HalfRun> made;
    for (const auto& inputs :
         {SimpleRuns(), RequestRuns(), SprayingRuns(), ScaleUpRuns(), PricedRuns(), GraphRuns()})
      made.insert(made.end(), inputs.begin(), inputs.end());
    return made;
  }();
  return runs;
}

}  // namespace heddle
