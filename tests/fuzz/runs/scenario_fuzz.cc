// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of whole simulations: random small fabrics, flows, options and failures.
///
/// Each scenario is either rejected with a UserError before the first event, or it runs to its end,
/// fulfils Check() below and gives the same results in every partition into domains, and however it
/// is cut (cuts.h). Each runs in a child process with a limit on its processor time, so that a
/// crash or an endless run costs one seed only.
///
/// Usage: scenario_fuzz COUNT FIRST_SEED: the seeds FIRST_SEED..., one after the other.
///        scenario_fuzz shrink SEED: makes a failing scenario smaller as long as it fails, and
///            prints what is left.
///        scenario_fuzz show SEED: prints the scenario.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/engine/engine_session.h"
#include "core/options/options.h"
#include "partition/partition.h"
#include "tests/fuzz/apart.h"
#include "tests/fuzz/runs/cuts.h"
#include "tests/fuzz/runs/draw.h"
#include "tests/fuzz/runs/seeds.h"
#include "tests/support/controller_rows.h"
#include "tests/support/results.h"
#include "tests/support/simulate.h"
#include "tests/support/temporary_folder.h"
#include "transport/run/fabric/fabric.h"

namespace heddle {
namespace {

struct Scenario : DrawnFabric {
  std::vector<FlowRequest> flows;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<FailureEvent> failures;
  std::uint64_t seed = 1;
};

class ScenarioDraw final : private Draw {
 public:
  explicit ScenarioDraw(std::uint64_t seed) : Draw(seed) { scenario_.seed = seed; }

  Scenario Make() {
    const bool controlled = Chance(3);
    controlled ? DrawManyWays(&scenario_) : DrawFabric(&scenario_);
    // The controller chooses among equal-cost ports.
    if (!controlled && Chance(4)) DrawTables(&scenario_);
    DrawFlows();
    DrawSettings();
    scenario_.settings.emplace_back("controller.enable", controlled ? "true" : "false");
    LimitRequests();
    LimitEntropies(controlled);
    if (Chance(controlled ? 2 : 3)) DrawFailures();
    return std::move(scenario_);
  }

 private:
  void DrawFlows() {
    const std::vector<std::int64_t> sizes = {1,    99,    100,    8999,   9000,
                                             9001, 40000, 100000, 333333, 1000000};
    const std::vector<std::int64_t> starts = {0, 0, 0, 1, 1000, 1000000, 5000001, 50000000};
    const std::uint8_t priority = Chance(2) ? std::uint8_t{3} : Priority();
    const bool priorities = Chance(3), incast = Chance(3);
    const std::uint32_t sink = Below(scenario_.gpus);
    for (std::uint32_t burst = Between(1, 12); burst > 0; --burst) {
      FlowRequest flow;
      std::tie(flow.source, flow.destination) = Ends(incast, sink);
      if (flow.source == flow.destination) continue;
      flow.size = Bytes{Chance(3) ? 1 + Below(1000000) : Pick(sizes)};
      flow.start = PicoSeconds(Chance(4) ? Below(100000000) : Pick(starts));
      flow.priority = priorities ? Priority() : priority;
      for (std::uint32_t copies = Chance(4) ? Between(2, 6) : 1; copies > 0; --copies)
        scenario_.flows.push_back(flow);
    }
  }
  /// Priority of data: readers reject 0, which is never paused.
  std::uint8_t Priority() {
    const std::uint32_t priority = Below(8);
    return static_cast<std::uint8_t>(priority == 0 ? 3 : priority);
  }
  std::pair<NodeId, NodeId> Ends(bool incast, std::uint32_t sink) {
    const Link& link = Pick(scenario_.links);
    const bool nvlink = link.a.value < scenario_.gpus && link.b.value >= scenario_.gpus &&
                        link.b.value < scenario_.gpus + scenario_.nvswitches;
    if (nvlink && Chance(2))
      return Chance(2) ? std::make_pair(link.a, link.b) : std::make_pair(link.b, link.a);
    return {NodeId(Below(scenario_.gpus)), NodeId(incast ? sink : Below(scenario_.gpus))};
  }

  void DrawSettings() {
    TransportOptions transport;
    OptionSet options;
    transport.Declare(&options);
    const bool few = Chance(3);
    for (const Option& option : options.options()) {
      if (option.key == "nvlink.spray") continue;  // changes the fabric before a run
      const auto found = TransportValues().find(option.key);
      if (found == TransportValues().end() && option.range != "true or false") {
        throw std::logic_error("scenario_fuzz: TransportValues() has no values for option " +
                               option.key + " (" + option.range + ")");
      }
      if (Chance(few ? 8 : 2) && option.key.rfind("ecn.", 0) != 0) continue;
      std::string value = found != TransportValues().end() ? Pick(found->second)
                          : Chance(2)                      ? "true"
                                                           : "false";
      if (option.key.rfind("ecn.k", 0) == 0 || option.key == "ecn.pmax")
        value = ValueForEveryRate(value);
      scenario_.settings.emplace_back(option.key, value);
    }
    // Packets that take no time and a NACK for each of them repeat the same data many times: the
    // run ends, but takes minutes.
    const auto set = [&](const char* key, const char* value) {
      return std::find(scenario_.settings.begin(), scenario_.settings.end(),
                       std::pair<std::string, std::string>(key, value)) != scenario_.settings.end();
    };
    if (set("compat.truncate_ns", "true") && set("reliability.nack_interval", "0us")) {
      scenario_.settings.emplace_back("compat.truncate_ns", "false");
    }
    // A chunk of tens of small packets never arrives complete on a link that loses a fifth of them.
    const bool small = set("transport.payload", "100") || set("transport.payload", "257") ||
                       set("transport.payload", "1000") || set("transport.payload", "1500");
    if (small && set("reliability.back_to_zero", "true"))
      scenario_.settings.emplace_back("reliability.chunk", "100");
    // Thousands of packets that all go back to the one of them that was lost: the run ends, but
    // takes a quarter of a minute; a minute, where no window limits them.
    const bool go_back = small && !set("reliability.selective_repeat", "true");
    if (go_back && set("link.error_rate", "0.2"))
      scenario_.settings.emplace_back("link.error_rate", "0.0001");
    if (go_back && set("transport.window", "false"))
      scenario_.settings.emplace_back("transport.window", "true");
  }

  /// As core/app/run/setup/run_input.cc: requests are RoCE's, in order.
  void LimitRequests() {
    std::string scheduler = "message";
    for (const auto& [key, value] : scenario_.settings) {
      if (key == "requests.scheduler") scheduler = value;
    }
    if (scheduler == "message") return;
    for (const auto& [key, value] :
         {std::pair("transport.protocol", "roce"),
          std::pair("reliability.selective_repeat", "false"), std::pair("reliability.reorder", "0"),
          std::pair("entropy.scheme", "flow")})
      scenario_.settings.emplace_back(key, value);
  }

  /// As core/app/run/setup/run_input.cc: packets with entropies have an ACK each, and the
  /// controller wants paths by flow.
  void LimitEntropies(bool controlled) {
    if (controlled) {
      for (const auto& [key, value] :
           {std::pair("entropy.scheme", "flow"), std::pair("balance.ports", "hash"),
            std::pair("balance.weighted", "false")})
        scenario_.settings.emplace_back(key, value);
    }
    OptionSet options;
    TransportOptions transport;
    transport.Declare(&options);
    for (const auto& [key, value] : scenario_.settings) options.Set(key, value);
    if (transport.roce_entropy().scheme == EntropyOptions::Scheme::kFlow) return;
    for (const auto& [key, value] :
         {std::pair("reliability.ack_interval", "1"), std::pair("compat.simai_acks", "false"),
          std::pair("reliability.back_to_zero", "false")})
      scenario_.settings.emplace_back(key, value);
  }

  void DrawFailures() {
    const bool comes_back = !Chance(3);
    for (std::uint32_t count = Between(1, 5); count > 0; --count) {
      FailureEvent event;
      const Link& link = Pick(scenario_.links);
      event.time = PicoSeconds(Chance(4) ? 1000000 : Below(150000000));
      event.a = link.a;
      event.b = link.b;
      const bool rate = Chance(4), node = !rate && Chance(4);
      using What = FailureEvent::What;
      event.what = rate ? What::kLinkRate : node ? What::kNodeDown : What::kLinkDown;
      if (rate)
        event.rate = BitRate{Pick(std::vector<std::int64_t>{1, 25, 50, 100, 400}) * 1'000'000'000};
      if (node) std::tie(event.a, event.b) = std::make_pair(Chance(2) ? link.a : link.b, NodeId());
      scenario_.failures.push_back(event);
      if (rate || !comes_back) continue;
      event.time += PicoSeconds(1 + Below(100000000));
      event.what = node ? What::kNodeUp : What::kLinkUp;
      scenario_.failures.push_back(event);
    }
  }

  Scenario scenario_;
};

/// Data of a run for Check(), besides its results.
struct Run {
  const Graph& graph;
  const TransportOptions& options;
  const std::vector<LinkEvent>& failures;

  bool SomeLinkStaysDown() const {
    std::vector<bool> down(graph.links().size(), false);
    for (const LinkEvent& event : failures) {
      if (event.kind != LinkEvent::Kind::kRate)
        down[event.link.value] = event.kind == LinkEvent::Kind::kDown;
    }
    return std::find(down.begin(), down.end(), true) != down.end();
  }
  bool LosesOnLinks() const {
    bool errors = options.reliability.error_rate > 0;
    for (const Link& link : graph.links()) errors = errors || link.error_rate > 0;
    for (const LinkEvent& event : failures) errors = errors || event.kind == LinkEvent::Kind::kDown;
    return errors;
  }
};

void Require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

void CheckFlows(const Run& run, const testing::Observed& o) {
  const auto& states = GetColumn<std::uint8_t>(o.flows, "state");
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  const auto& received = GetColumn<std::int64_t>(o.flows, "received_ps");
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string which = fmt::format("flow row {}: ", i);
    switch (static_cast<FlowState>(states[i])) {
      case FlowState::kFinished:
        Require(
            received[i] > 0 && received[i] <= fct[i],
            which + fmt::format("finished, but received after {} ps and acknowledged after {} ps",
                                received[i], fct[i]));
        break;
      case FlowState::kNoRoute:
        Require(run.SomeLinkStaysDown(), which + "no route, but all links are up");
        break;
      case FlowState::kRetryLimit:
        Require(o.books.timeouts > 0, which + "retry limit without a timeout");
        break;
      case FlowState::kPaused:
        Require(!o.deadlock.empty(), which + "paused for ever without a deadlock");
        break;
      case FlowState::kUnderWay:
      case FlowState::kNotStarted:
        Require(run.options.divides() && (run.SomeLinkStaysDown() || !o.deadlock.empty()),
                which + "waits for nothing at the end of the run");
        break;
      default:
        Require(false, which + fmt::format("state {} at the end of the run", states[i]));
    }
    if (static_cast<FlowState>(states[i]) != FlowState::kFinished)
      Require(fct[i] == -1, which + "unfinished with a time");
  }
}

/// The samples of a port must add up to what it has sent.
void CheckLinkSamples(const Run& run, const testing::Observed& o) {
  if (!run.options.monitors.links || run.options.monitors.start > Time{0}) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sampled, sent;
  const auto sum = [](const Table& table, auto* sums) {
    for (std::size_t i = 0; i < testing::RowCount(table); ++i) {
      (*sums)[{GetColumn<std::uint32_t>(table, "node")[i],
               GetColumn<std::uint32_t>(table, "port")[i]}] +=
          GetColumn<std::int64_t>(table, "sent_bytes")[i];
    }
  };
  for (const Table& table : o.monitors) {
    if (table.name == "monitors/links") sum(table, &sampled);
  }
  sum(o.ports, &sent);
  for (const auto& [port, bytes] : sent) {
    Require(sampled[port] == bytes, fmt::format("node {} port {} sent {} bytes, {} were sampled",
                                                port.first, port.second, bytes, sampled[port]));
  }
}

void CheckDrops(const Run& run, const testing::Observed& o) {
  const auto& reasons = GetColumn<std::string>(o.drops, "reason");
  const auto& nodes = GetColumn<std::uint32_t>(o.drops, "node");
  const TransportOptions& options = run.options;
  const bool lossless = options.pfc.enabled && options.buffer.headroom_factor > 0 &&
                        !options.buffer.simai_headroom && !options.nic.ack_high_priority &&
                        run.failures.empty() && !run.LosesOnLinks() && options.uec_classes() == 0;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const std::string& reason = reasons[i];
    // NVSwitches never pause (Nvls.NoPausesNoMarks).
    const bool nvswitch = run.graph.kind(NodeId(nodes[i])) == NodeKind::kNvSwitch;
    Require(!lossless || nvswitch || reason != "buffer full",
            "a buffer overflowed in spite of PFC");
    Require(run.LosesOnLinks() || reason == "buffer full",
            "lost by '" + reason + "' on links that lose nothing");
  }
}

/// No link may be reserved for more flows than its limit, and all reservations must be released
/// (CheckHeldPaths has compared the counts).
void CheckController(const Run& run, const testing::Observed& o) {
  if (!run.options.controller.enabled) return;
  const ShareLimit share = run.options.controller.share;
  // The tables do not contain the rates of NICs.
  const bool counted = share.unit == ShareLimit::Unit::kFlows;
  const auto& states = GetColumn<std::uint8_t>(o.flows, "state");
  const bool all_ended =
      std::count(states.begin(), states.end(), static_cast<std::uint8_t>(FlowState::kPaused)) == 0;
  const std::vector<testing::Choice> choices = testing::Choices(o);
  const std::string wrong = testing::WhatIsWrongWith(
      choices, counted ? static_cast<std::size_t>(share.value) : ~std::size_t{0}, all_ended);
  Require(wrong.empty(), "controller: " + wrong);
  const Time latency = run.options.controller.latency;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool start = choices[i].cause == 0;
    Require(
        choices[i].decided - choices[i].asked >=
            (start ? latency + run.options.controller.service : run.options.controller.service).ps,
        fmt::format("controller row {} was decided before it could be", i));
  }
}

void Check(const Run& run, const testing::Observed& o) {
  const auto rows = static_cast<std::int64_t>(testing::RowCount(o.flows));
  // A message without a way ends before all its requests have begun.
  Require(o.books.flows_started == rows || (run.options.divides() && o.books.flows_started < rows),
          "a flow did not start");
  CheckFlows(run, o);
  CheckDrops(run, o);
  CheckLinkSamples(run, o);
  CheckController(run, o);
}

/// Runs a scenario in every partition, and cut; throws if the results differ.
void Compare(const Scenario& scenario, const Graph& graph, TransportOptions options,
             const std::vector<LinkEvent>& failures) {
  testing::RunPlan plan;
  plan.seed = scenario.seed;
  const auto digests = [&](const testing::Observed& outcome) {
    return testing::DigestParts(testing::Join(Communicator::Serial(), outcome));
  };
  options.replay.replay = ReplayOptions::Replay::kOff;
  const testing::Observed whole =
      testing::Simulate(graph, scenario.flows, {options, plan, failures});
  const std::string oracle = digests(whole);
  Check({graph, options, failures}, whole);
  options.replay.replay = ReplayOptions::Replay::kOn;
  const auto run = [&](const std::string& how) {
    const std::string found =
        digests(testing::Simulate(graph, scenario.flows, {options, plan, failures}));
    Require(found == oracle,
            fmt::format("grain {} {}gives {}\nbut grain 1 {}", plan.grain, how, found, oracle));
  };
  for (const std::uint32_t grain : {3U, 0U}) {
    plan.grain = grain;
    run("");
  }
  const TemporaryFolder folder;
  plan.grain = scenario.seed % 3 == 0 ? 0 : 1;
  CutRun(scenario.seed, whole, options.monitors, folder.In("cut"), &plan);
  run(DescribeCuts(plan) + " ");
}

/// Returns the verdict; prints the reason of a failure.
Verdict Try(const Scenario& scenario) {
  try {
    const Graph graph = scenario.Build();
    TransportOptions options;
    std::vector<LinkEvent> failures;
    try {
      OptionSet set;
      options.Declare(&set);
      for (const auto& [key, value] : scenario.settings) set.Set(key, value);
      failures = ExpandFailures(graph, scenario.failures);
      const Domains domains = MakeDomains(graph, {Time{0}, 1});
      Fabric fabric(
          graph, options,
          {domains.domain_of, domains.nodes, std::vector<RankId>(domains.nodes.size(), RankId(0))},
          RankId(0), 1, scenario.seed, failures);
      fabric.CheckFlows(scenario.flows);
    } catch (const UserError& error) {
      if (std::getenv("SCENARIO_FUZZ_VERBOSE") != nullptr)
        std::fprintf(stderr, "refused: %s\n", error.what());
      return kRefused;
    }
    Compare(scenario, graph, options, failures);
    return kGood;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBroken;
  }
}

int TryApart(const Scenario& scenario, bool quiet) {
  return RunApart([&] { return Try(scenario); }, quiet);
}

void Print(const Scenario& s) {
  std::printf("Graph graph(%u, %u, %u, %u, \"X\");  // seed %llu\n", s.gpus, s.nvswitches,
              s.switches, s.gpus_per_server, static_cast<unsigned long long>(s.seed));
  if (!s.tables.empty()) std::printf("tables by %s\n", s.tables.c_str());
  for (const Link& l : s.links) {
    std::printf("link %u - %u, %s, %lld ps, error rate %g\n", l.a.value, l.b.value,
                ToText(l.rate).c_str(), static_cast<long long>(l.delay.ps), l.error_rate);
  }
  for (const FlowRequest& f : s.flows) {
    std::printf("Flow(%u, %u, %lld, %u, %lld)\n", f.source.value, f.destination.value,
                static_cast<long long>(f.size.count), f.priority,
                static_cast<long long>(f.start.ps));
  }
  for (const auto& [key, value] : s.settings)
    std::printf("--set %s=%s\n", key.c_str(), value.c_str());
  static const char* const kWhat[] = {"link down", "link up", "link rate", "node down", "node up"};
  for (const FailureEvent& e : s.failures) {
    std::printf("%s at %lld ps: %u %d %s\n", kWhat[static_cast<int>(e.what)],
                static_cast<long long>(e.time.ps), e.a.value,
                e.b.valid() ? static_cast<int>(e.b.value) : -1,
                e.rate.bps > 0 ? ToText(e.rate).c_str() : "");
  }
}

/// Removes ranges of a list, halves first, as long as the scenario fails in the same way.
template <class Part>
bool ShrinkList(Scenario* scenario, std::vector<Part> Scenario::*list, int verdict) {
  bool smaller = false;
  for (std::size_t size = std::max<std::size_t>(1, (scenario->*list).size() / 2); size > 0;
       size /= 2) {
    for (std::size_t at = 0; at < (scenario->*list).size();) {
      Scenario less = *scenario;
      auto& parts = less.*list;
      const auto from = parts.begin() + static_cast<std::ptrdiff_t>(at);
      parts.erase(from,
                  parts.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, parts.size())));
      if (TryApart(less, true) == verdict) {
        *scenario = std::move(less);
        smaller = true;
      } else {
        at += size;
      }
    }
  }
  return smaller;
}

int Shrink(std::uint64_t seed) {
  Scenario scenario = ScenarioDraw(seed).Make();
  const int verdict = TryApart(scenario, false);
  if (IsBroken(verdict)) {
    for (bool smaller = true; smaller;) {
      smaller = ShrinkList(&scenario, &Scenario::flows, verdict);
      smaller = ShrinkList(&scenario, &Scenario::failures, verdict) || smaller;
      smaller = ShrinkList(&scenario, &Scenario::settings, verdict) || smaller;
      smaller = ShrinkList<Link>(&scenario, &Scenario::links, verdict) || smaller;
      for (FlowRequest& flow : scenario.flows) {
        for (bool halved = flow.size.count > 1; halved && flow.size.count > 1;
             smaller = smaller || halved) {
          const Bytes whole = flow.size;
          flow.size.count /= 2;
          halved = TryApart(scenario, true) == verdict;
          if (!halved) flow.size = whole;
        }
      }
    }
  }
  Print(scenario);
  std::fflush(stdout);
  std::printf("%s\n", Words(TryApart(scenario, false)).c_str());
  return IsBroken(verdict) ? 1 : 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s COUNT FIRST_SEED\n       %s shrink SEED\n       %s show SEED\n",
                 argv[0], argv[0], argv[0]);
    return 2;
  }
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  const std::uint64_t second = std::strtoull(argv[2], nullptr, 10);
  if (std::string(argv[1]) == "shrink") return heddle::Shrink(second);
  if (std::string(argv[1]) == "show") {
    heddle::Print(heddle::ScenarioDraw(second).Make());
    return 0;
  }
  return heddle::TrySeeds(
      "scenario_fuzz", {second, std::strtoull(argv[1], nullptr, 10)},
      [](std::uint64_t seed) { return heddle::Try(heddle::ScenarioDraw(seed).Make()); });
}
