// SPDX-License-Identifier: GPL-2.0-only
/// The central controller: requests that conflict at the same time, answers that flows wait for,
/// paths that change with the links. Choices, times and reserved paths are compared like all
/// results.
#include <utility>

#include "tests/invariance/case.h"
#include "tests/invariance/failure_events.h"
#include "tests/invariance/traffic.h"
#include "tests/invariance/workloads.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::invariance {
namespace {

using Events = std::vector<FailureEvent> (*)(const Graph&);

const Settings kOn = {{"CC_ENABLE", "1"}};
const Settings kLeastLoaded = {{"controller.fallback", "least-loaded"}};

Settings Latency(const char* time) { return {{"controller.latency", time}}; }
Settings Service(const char* time) { return {{"controller.service", time}}; }

/// Counts the controller's choices that fulfil a condition.
template <class Value, class Holds>
Proof Choices(const char* what, const char* column, Holds holds) {
  return {what, [column, holds](const Results& r) {
            std::int64_t count = 0;
            for (const Value value : GetColumn<Value>(r.table("controller/requests"), column))
              count += holds(value) ? 1 : 0;
            return count;
          }};
}

template <std::uint8_t kValue>
bool Is(std::uint8_t value) {
  return value == kValue;
}

Proof Free() { return Choices<std::uint8_t>("free", "outcome", Is<0>); }
Proof Ecmp() { return Choices<std::uint8_t>("left to ECMP", "outcome", Is<1>); }
Proof Least() { return Choices<std::uint8_t>("least loaded", "outcome", Is<2>); }
Proof Moved() { return Choices<std::uint8_t>("moved", "cause", Is<1>); }
Proof Waits() {
  return Choices<std::int64_t>("waits", "wait_ps", [](std::int64_t wait) { return wait > 0; });
}

/// Counts choices whose release lets a later choice of another flow succeed.
Proof Released() {
  return Choices<std::int64_t>("released", "released_ps",
                               [](std::int64_t time) { return time >= 0; });
}

/// Counts requests that had to queue for the controller.
Proof Queued(Time latency, Time service) {
  return {
      "queued", [=](const Results& r) {
        const auto& asked = GetColumn<std::int64_t>(r.table("controller/requests"), "asked_ps");
        const auto& decided = GetColumn<std::int64_t>(r.table("controller/requests"), "decided_ps");
        const auto& cause = GetColumn<std::uint8_t>(r.table("controller/requests"), "cause");
        std::int64_t count = 0;
        for (std::size_t row = 0; row < asked.size(); ++row) {
          count += cause[row] == 0 && decided[row] > asked[row] + (latency + service).ps ? 1 : 0;
        }
        return count;
      }};
}

/// 32 GPUs below four leaves, and three spines. Cables between leaf and spine within the same group
/// of three switches (grain 3) have 500 ns, all others 2 us: the lookahead is 500 ns at grain 1, 2
/// us at grain 3, and 1 us if all is one domain; requests are held back for correspondingly longer.
/// Half of the spines' cables carry two flows.
Graph MixedDelays() {
  constexpr std::uint32_t kFirst = kGpus, kLeaves = 4;
  const std::uint32_t leaves[kLeaves] = {kFirst, kFirst + 1, kFirst + 2, kFirst + 4};
  const std::uint32_t spines[] = {kFirst + 3, kFirst + 5, kFirst + 6};
  constexpr BitRate kRate{200'000'000'000}, kDouble{400'000'000'000};
  Graph graph(kGpus, 0, kLeaves + 3, 1, "NONE");
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    graph.AddLink(
        {NodeId(gpu), NodeId(leaves[gpu / (kGpus / kLeaves)]), kRate, MicroSeconds(2), 0});
  }
  for (std::uint32_t leaf : leaves) {
    for (std::uint32_t spine : spines) {
      const Time delay = leaf / 3 == spine / 3 ? NanoSeconds(500) : MicroSeconds(2);
      graph.AddLink(
          {NodeId(leaf), NodeId(spine), (leaf + spine) % 2 == 0 ? kRate : kDouble, delay, 0});
    }
  }
  return graph;
}

Case Trace(const std::string& name, Graph graph, std::vector<FlowRequest> flows,
           const Settings& settings, std::vector<Proof> proofs, Events events = nullptr) {
  std::vector<LinkEvent> failures;
  if (events != nullptr) failures = ExpandFailures(graph, events(graph));
  return {name,
          std::move(graph),
          std::move(flows),
          Set(kOn + Tight() + settings),
          std::move(failures),
          std::move(proofs)};
}

Case Training(const std::string& name, Graph graph, const Settings& how, const Settings& settings,
              std::vector<Proof> proofs, std::uint32_t passes = 1) {
  return OneJob(name, std::move(graph), invariance::Training(), how, kOn + settings,
                std::move(proofs), passes);
}

/// Flows from every GPU to one of the next server and one of the server after it, all at the same
/// time, in several rounds.
std::vector<FlowRequest> Crowd() {
  std::vector<FlowRequest> flows;
  for (std::uint32_t wave = 0; wave < 3; ++wave) {
    for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
      for (std::uint32_t further = 1; further <= 2; ++further) {
        const std::uint32_t to = (gpu + further * kPerServer + wave) % kGpus;
        flows.push_back(Flow(gpu, to, 40000 + 9000 * ((gpu + wave) % 3), MicroSeconds(9) * wave));
      }
    }
  }
  return flows;
}

/// Without failures.
void AddHealthy(std::vector<CaseMaker>* cases) {
  const auto add = [&](const char* name, auto make) {
    cases->push_back({name, [=] { return make(std::string(name)); }});
  };
  add("paths-ecmp", [](const std::string& name) {
    return Trace(name, SmallFabric("DCN-SingleToR", "0", 2), MeetingFlows() + Crowd(),
                 Monitored(false) + Settings{{"CC_MODE", "1"}},
                 {Free(), Ecmp(), Released(), proofs::Marks()});
  });
  add("paths-least-loaded", [](const std::string& name) {
    return Trace(name, SmallFabric("Spectrum-X", "0", 3), MeetingFlows() + Crowd(),
                 kLeastLoaded + Monitored(true) + Settings{{"CC_MODE", "8"}},
                 {Free(), Least(), Released()});
  });
  // Two flows a link, with two queue pairs each.
  add("paths-share", [](const std::string& name) {
    return Trace(name, SmallFabric("DCN-DualToR", "0", 2), Crowd(),
                 {{"CC_MODE", "1"}, {"controller.share", "2"}, {"nic.qps_per_connection", "2"}},
                 {Free(), Ecmp(), Released()});
  });
  // Every second flow asks early enough, but the controller is busy.
  add("paths-share-rate", [](const std::string& name) {
    return Trace(name, SmallFabric("AlibabaHPN-DualPlane", "0", 4), Crowd(),
                 kLeastLoaded + Service("40ns") +
                     Settings{{"CC_MODE", "0"}, {"controller.share", "400Gbps"}},
                 {Free(), Least(), Waits(), Queued(MicroSeconds(1), NanoSeconds(40))});
  });
  add("paths-late", [](const std::string& name) {
    return Trace(name, SmallFabric("DCN-SingleToR", "0", 4), Shifts(8, 90000, MicroSeconds(3)),
                 Latency("5us") + Monitored(true) + Settings{{"CC_MODE", "3"}},
                 {Free(), Ecmp(), Waits(), Released()});
  });
  // Less than the round trip over a cable: the window shrinks.
  add("paths-early", [](const std::string& name) {
    return Trace(name, SmallFabric("Spectrum-X", "0", 2), Shifts(8, 90000, MicroSeconds(3)),
                 Latency("0.3us") + Monitored(false) + Settings{{"CC_MODE", "1"}},
                 {Free(), Ecmp(), Released()});
  });
  // Windows of different lengths at different grains.
  add("paths-windows", [](const std::string& name) {
    return Trace(name, MixedDelays(), Crowd(),
                 Latency("4us") + Monitored(false) +
                     Settings{{"CC_MODE", "1"}, {"controller.share", "line"}},
                 {Free(), Ecmp(), Waits(), Released()});
  });
  add("paths-windows-job", [](const std::string& name) {
    return Training(name, MixedDelays(), {},
                    Latency("4us") + Tight() + Monitored(false) + Settings{{"CC_MODE", "1"}},
                    {Free(), Ecmp(), Waits(), proofs::Collectives()}, 2);
  });
  add("paths-windows-received", [](const std::string& name) {
    return Training(
        name, MixedDelays(), {},
        Latency("5us") + Service("30ns") + kLeastLoaded +
            Settings{
                {"CC_MODE", "3"}, {"flow.completion", "received"}, {"nic.qps_per_connection", "2"}},
        {Free(), Least(), Waits(), proofs::Collectives()});
  });
  add("paths-ring", [](const std::string& name) {
    return OneJob(name, SmallFabric("DCN-SingleToR", "0", 2), One(32, "ALLREDUCE", 1000003), {},
                  kOn + Monitored(false), {Free(), Ecmp(), Released()});
  });
  add("paths-all-to-all", [](const std::string& name) {
    return OneJob(name, SmallFabric("DCN-DualToR", "0", 4), One(32, "ALLTOALL", 1 << 20), {},
                  kOn + kLeastLoaded + Tight(), {Free(), Least(), Released()});
  });
  // NVSwitches' flows do not use the controller.
  add("paths-nvls-tree", [](const std::string& name) {
    return OneJob(name, SmallFabric("Spectrum-X", "0", 2), One(32, "ALLREDUCE", 1 << 20),
                  {{"algorithm.allreduce", "nvls_tree"}}, kOn, {Free(), Released()});
  });
  // Slower than the software, and every message carries telemetry.
  add("paths-telemetry", [](const std::string& name) {
    return Training(name, SmallFabric("DCN-SingleToR", "0", 2), {},
                    Latency("2us") + Tight() + Monitored(true) + Settings{{"CC_MODE", "3"}},
                    {Free(), Ecmp(), Waits(), Released()}, 2);
  });
  add("paths-nccl", [](const std::string& name) {
    return Training(
        name, SmallFabric("AlibabaHPN-DualPlane", "0", 2), {{"collective.latency", "nccl"}},
        Latency("0.3us") + Settings{{"nic.qps_per_connection", "2"}}, {Free(), Ecmp(), Released()});
  });
  add("paths-received", [](const std::string& name) {
    return Training(name, SmallFabric("Spectrum-X", "0", 2), {},
                    Monitored(false) + Settings{{"flow.completion", "received"}},
                    {Free(), Ecmp(), Released()}, 2);
  });
}

void AddFailing(std::vector<CaseMaker>* cases) {
  const auto add = [&](const char* name, auto make) {
    cases->push_back({name, [=] { return make(std::string(name)); }});
  };
  const std::vector<Proof> moved = {Moved(), Released(), proofs::Drops(DropReason::kLinkDown)};
  add("paths-links-down", [=](const std::string& name) {
    return Trace(
        name, SmallFabric("DCN-SingleToR"),
        Incasts({0, 9}, 180000) + Shifts(4, 180000, MicroSeconds(4)),
        Impatient() + Monitored(true) + Settings{{"CC_MODE", "1"}, {"failure.convergence", "7us"}},
        moved, LinksDownAndUp);
  });
  // The links change again before the controller has decided, and some flows to be moved have
  // ended.
  add("paths-nodes-down", [=](const std::string& name) {
    return Trace(name, SmallFabric("DCN-DualToR"), Shifts(6, 180000, MicroSeconds(4)),
                 Impatient() + kLeastLoaded + Latency("5us") + Service("150ns") +
                     Settings{{"CC_MODE", "8"},
                              {"reliability.selective_repeat", "true"},
                              {"failure.convergence", "1us"}},
                 moved, NodesDownAndUp);
  });
  add("paths-plane-down", [=](const std::string& name) {
    return Trace(
        name, SmallFabric("AlibabaHPN-DualPlane"), Shifts(6, 180000, MicroSeconds(4)),
        Impatient() + Latency("0.3us") + Settings{{"CC_MODE", "3"}, {"failure.convergence", "0us"}},
        moved, LinksDownAndUp);
  });
  add("paths-down-for-good", [=](const std::string& name) {
    std::vector<Proof> proofs = moved;
    proofs.push_back(proofs::Flows(FlowState::kNoRoute));
    return Trace(name, SmallFabric("DCN-SingleToR"), Shifts(6, 180000, MicroSeconds(4)),
                 Impatient() + Settings{{"CC_MODE", "1"}, {"failure.convergence", "2us"}}, proofs,
                 NodesDownForGood);
  });
  // Rows of one flow in four, and of all flows that do not end.
  add("paths-sampled", [=](const std::string& name) {
    Case c =
        Trace(name, SmallFabric("DCN-SingleToR"), Shifts(6, 180000, MicroSeconds(4)),
              Impatient() + Settings{{"CC_MODE", "1"}, {"failure.convergence", "2us"}},
              {proofs::Flows(FlowState::kFinished), proofs::Flows(FlowState::kNoRoute), Released()},
              NodesDownForGood);
    c.sample = {4};
    return c;
  });
  add("paths-job-down", [=](const std::string& name) {
    Case c = OneJob(
        name, SmallFabric("DCN-DualToR", "0", 4), One(32, "ALLTOALL", 4 << 20), {},
        kOn + Impatient() + Tight() + Settings{{"CC_MODE", "1"}, {"failure.convergence", "1us"}},
        moved);
    c.failures = ExpandFailures(c.graph, LinksDownAndUp(c.graph));
    return c;
  });
}

/// Jobs of two GPUs each, around a ring of switches whose buffers fill in a cycle; and one job
/// behind another switch, which continues when the others are stuck. Ports of the ring stay paused
/// to the end of the run, whose time must not depend on when it is detected.
Case Deadlock(const std::string& name) {
  constexpr std::uint32_t kRing = 7, kEnds = 2 * kRing + 2;
  constexpr BitRate kRate{100'000'000'000};
  constexpr Time kDelay = NanoSeconds(500);
  const auto at_switch = [](std::uint32_t number) { return NodeId(kEnds + number); };
  Graph graph(kEnds, 0, kRing + 2, 1, "NONE");
  for (std::uint32_t i = 0; i < 2 * kRing; ++i)
    graph.AddLink({NodeId(i), at_switch(i % kRing), kRate, kDelay, 0});
  for (std::uint32_t i = 0; i < kRing; ++i)
    graph.AddLink({at_switch(i), at_switch((i + 1) % kRing), kRate, kDelay, 0});
  graph.AddLink({at_switch(0), at_switch(kRing), kRate, kDelay, 0});
  graph.AddLink({at_switch(kRing), at_switch(kRing + 1), kRate, kDelay, 0});
  const NodeId last[] = {NodeId(2 * kRing), NodeId(2 * kRing + 1)};
  for (std::uint32_t i = 0; i < 2; ++i)
    graph.AddLink({last[i], at_switch(kRing + i), kRate, kDelay, 0});
  std::vector<Job> jobs;
  for (std::uint32_t i = 0; i < kRing; ++i) {
    jobs.push_back(testing::MakeJob(graph, One(2, "ALLREDUCE", 36'000'000),
                                    {NodeId(i), NodeId(kRing + (i + 3) % kRing)}));
  }
  jobs.push_back(testing::MakeJob(graph, One(2, "ALLREDUCE", 300'000), {last[0], last[1]},
                                  MicroSeconds(30'000)));
  const Settings settings = {{"CC_MODE", "0"}, {"HAS_WIN", "0"}, {"BUFFER_SIZE", "1"}};
  return {
      name,
      std::move(graph),
      {},
      Set(kOn + Latency("4us") + settings),
      {},
      {Free(),
       Ecmp(),
       proofs::Flows(FlowState::kPaused),
       {"deadlock", [](const Results& r) { return static_cast<std::int64_t>(r.deadlock.size()); }}},
      std::move(jobs),
      SetCollectives({})};
}

/// The job does not end, as a GPU is missing. The paths held by hosts and by the controller must
/// agree.
Case Stalled(const std::string& name) {
  Case c = OneJob(
      name, SmallFabric("DCN-SingleToR", "0", 4), One(32, "ALLTOALL", 4 << 20), {},
      kOn + Impatient() + kLeastLoaded + Latency("5us") +
          Settings{
              {"CC_MODE", "1"}, {"failure.convergence", "100us"}, {"reliability.retry_limit", "0"}},
      {Moved(), Least(), proofs::Flows(FlowState::kNoRoute),
       proofs::Flows(FlowState::kRetryLimit)});
  c.failures = ExpandFailures(c.graph, NodesDownForGood(c.graph));
  return c;
}

}  // namespace

void AddControllerCases(std::vector<CaseMaker>* cases) {
  AddHealthy(cases);
  AddFailing(cases);
  cases->push_back({"paths-stalled", [] { return Stalled("paths-stalled"); }});
  cases->push_back({"paths-deadlock", [] { return Deadlock("paths-deadlock"); }});
}

}  // namespace heddle::invariance
