// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of whole simulations: random small fabrics, flows, options and failures.
///
/// Whatever is drawn, it is either refused with a UserError before the first event, or it runs to its end, keeps the
/// promises of Check() below and gives the same results in every cut into domains. Each scenario runs in a child process
/// with a limit on its processor time, so that a crash or a run without end costs one seed.
///
/// Usage: scenario_fuzz COUNT FIRST_SEED: the seeds FIRST_SEED..., one after the other.
///        scenario_fuzz shrink SEED: makes a failing scenario smaller as long as it fails, and prints what is left.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/engine.h"
#include "partition/partition.h"
#include "tests/invariance/results.h"
#include "tests/support/simulate.h"
#include "topology/generator.h"

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep what they allocated until the process ends; that is not what leak checks are for.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
constexpr unsigned kMostSeconds = 60;
#else
constexpr unsigned kMostSeconds = 10;  ///< of processor time for a scenario, whose three runs take milliseconds
#endif

namespace heddle {
namespace {

enum Verdict : int { kGood = 0, kRefused = 10, kBroken = 11 };

struct Scenario {
  std::uint32_t gpus = 0, nvswitches = 0, switches = 0, gpus_per_server = 1;
  std::vector<Link> links;
  std::vector<FlowRequest> flows;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<FailureEvent> failures;
  std::uint64_t seed = 1;

  Graph Build() const {
    Graph graph(gpus, nvswitches, switches, gpus_per_server, "X");
    for (const Link& link : links) graph.AddLink(link);
    return graph;
  }
};

/// Values of every option that is no switch: around those that change what happens in a run of a millisecond.
const std::map<std::string, std::vector<std::string>>& Values() {
  static const std::vector<std::string> rates = {"10Mbps", "100Mbps", "1Gbps", "40Gbps"};
  static const std::vector<std::string> times = {"1us", "4us", "55us", "300us"};
  static const std::map<std::string, std::vector<std::string>> values = {
      {"transport.payload", {"9000", "4096", "1500", "1000", "257", "100"}},
      {"transport.congestion_control", {"0", "1", "3", "7", "8", "10"}},
      {"rate.minimum", rates},
      {"rate.additive_increase", rates},
      {"rate.hyper_increase", rates},
      {"rate.gain", {"0.000001", "0.00390625", "0.5", "1"}},
      {"dcqcn.alpha_interval", times},
      {"dcqcn.decrease_interval", times},
      {"dcqcn.increase_interval", times},
      {"dcqcn.fast_recovery", {"0", "1", "5"}},
      {"hpcc.target_utilisation", {"0.01", "0.5", "0.95", "1"}},
      {"hpcc.increase_stages", {"0", "1", "5"}},
      {"timely.weight", {"0.000001", "0.3", "1"}},
      {"timely.decrease", {"0.000001", "0.3", "1"}},
      {"timely.low", {"0us", "5us", "50us"}},
      {"timely.high", {"0us", "20us", "500us"}},
      {"timely.minimum_rtt", {"1ns", "1us", "20us"}},
      {"timely.hyper_after", {"0", "1", "5"}},
      {"dctcp.additive_increase", rates},
      {"pint.log_base", {"1.001", "1.05", "2"}},
      {"pint.probability", {"0.000001", "0.1", "1"}},
      {"ecn.kmin", {"0", "5", "50"}},
      {"ecn.kmax", {"0", "50", "400"}},
      {"ecn.pmax", {"0", "0.2", "1"}},
      {"switch.buffer", {"1", "1", "2", "32"}},
      {"switch.reserve", {"0", "4096", "40000"}},
      {"switch.headroom_factor", {"0", "1", "3", "30"}},
      {"switch.alpha_shift", {"0", "3", "8", "16"}},
      {"pfc.resume_offset", {"0", "1", "3000", "200000"}},
      {"pfc.pause_time", {"1us", "5us", "20us"}},
      {"pfc.watchdog", {"1us", "10us", "200us", "2ms"}},
      {"reliability.ack_interval", {"1", "1000", "20000", "1000000"}},
      // Not much larger: a fifth of all packets lost, and a chunk of a hundred would start anew for ever.
      {"reliability.chunk", {"1", "100", "4000", "9000", "40000"}},
      {"reliability.nack_interval", {"0us", "1us", "20us", "500us"}},
      {"reliability.timeout", {"1us", "5us", "20us", "100us", "1ms"}},
      {"reliability.retry_limit", {"0", "1", "3", "7", "12"}},
      {"link.error_rate", {"0", "0", "0.0001", "0.01", "0.2"}},
      {"nic.qps_per_connection", {"1", "2", "4", "13"}},
      {"nic.weights", {"1 1 1 1 1 1 1 1", "1 2 3 4 5 6 7 8", "1000 1 1 1 1 1 1 1000", "3 3 3 3 3 3 3 3"}},
      {"monitor.kinds", {"none", "all", "queues,links", "rates,cnps", "links", "pfc"}},
      {"monitor.start", {"0us", "1ns", "10us", "100us"}},
      {"monitor.pair_interval", {"500ns", "7us", "100us"}},
      {"monitor.queue_interval", {"500ns", "7us", "100us"}},
      {"monitor.link_interval", {"500ns", "7us", "100us"}},
      {"failure.convergence", {"0us", "1us", "10us", "300us"}},
      {"failure.link_down", {"0 0 0"}},   // read by heddle run; failures are drawn here
      {"debug.lose_packet", {"0"}},       // breaks conservation on purpose
      {"flow.send_latency", {"6us"}},     // of traces
  };
  return values;
}

const std::vector<std::int64_t>& Gigabits() {
  static const std::vector<std::int64_t> rates = {25, 100, 100, 100, 200, 400, 2880};
  return rates;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) { scenario_.seed = seed; }

  Scenario Make() {
    DrawFabric();
    DrawFlows();
    DrawSettings();
    if (Chance(3)) DrawFailures();
    return std::move(scenario_);
  }

 private:
  std::uint32_t Below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  std::uint32_t Between(std::uint32_t low, std::uint32_t high) { return low + Below(high - low + 1); }
  bool Chance(std::size_t one_in) { return Below(one_in) == 0; }
  template <class T>
  const T& Pick(const std::vector<T>& from) { return from[Below(from.size())]; }

  BitRate Rate() { return mixed_ ? BitRate{Pick(Gigabits()) * 1'000'000'000} : rate_; }
  void Connect(std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t cables = Chance(7) ? 2 : 1; cables > 0; --cables) {
      const Time delay = mixed_ ? PicoSeconds(Pick(delays_)) : delay_;
      const double error = errors_ && Chance(3) ? Pick(std::vector<double>{0.0001, 0.01, 0.3}) : 0;
      scenario_.links.push_back({NodeId(a), NodeId(b), Rate(), delay, error});
    }
  }
  void Count(std::uint32_t gpus, std::uint32_t nvswitches, std::uint32_t switches, std::uint32_t per_server = 1) {
    scenario_.gpus = gpus;
    scenario_.nvswitches = nvswitches;
    scenario_.switches = switches;
    scenario_.gpus_per_server = per_server;
  }

  void DrawFabric() {
    mixed_ = Chance(3);
    errors_ = Chance(4);
    rate_ = BitRate{Pick(Gigabits()) * 1'000'000'000};
    delay_ = PicoSeconds(Pick(delays_));
    switch (Below(7)) {
      case 0: return Star();
      case 1: return Row();
      case 2: return LeafSpine();
      case 3: return Ring();
      case 4: return Tree();
      case 5: return Servers();
      default: return Generated();
    }
  }
  void Star() {
    const std::uint32_t gpus = Between(2, 9);
    Count(gpus, 0, 1);
    for (std::uint32_t i = 0; i < gpus; ++i) Connect(i, gpus);
  }
  void Row() {
    const std::uint32_t switches = Between(0, 4);
    Count(2, 0, switches);
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < switches; ++i) {
      Connect(last, 2 + i);
      last = 2 + i;
    }
    Connect(last, 1);
  }
  void LeafSpine() {
    const std::uint32_t leaves = Between(2, 3), hosts = Between(1, 3) * leaves, spines = Between(1, 3);
    Count(hosts, 0, leaves + spines);
    for (std::uint32_t h = 0; h < hosts; ++h) Connect(h, hosts + h % leaves);
    for (std::uint32_t l = 0; l < leaves; ++l) {
      for (std::uint32_t s = 0; s < spines; ++s) Connect(hosts + l, hosts + leaves + s);
    }
  }
  void Ring() {
    const std::uint32_t size = Between(3, 8);
    Count(size, 0, size);
    for (std::uint32_t i = 0; i < size; ++i) Connect(i, size + i);
    for (std::uint32_t i = 0; i < size; ++i) Connect(size + i, size + (i + 1) % size);
  }
  void Tree() {
    const std::uint32_t gpus = Between(2, 6), switches = Between(1, 5);
    Count(gpus, 0, switches);
    for (std::uint32_t s = 1; s < switches; ++s) Connect(gpus + s, gpus + Below(s));
    for (std::uint32_t i = 0; i < gpus; ++i) {
      for (std::uint32_t nics = Between(1, 2); nics > 0; --nics) Connect(i, gpus + Below(switches));
    }
  }
  /// Two servers, each with NVSwitches, under one or two switches.
  void Servers() {
    const std::uint32_t per_server = Between(2, 4), nvswitches = Between(1, 2), switches = Between(1, 2);
    const std::uint32_t gpus = 2 * per_server;
    Count(gpus, 2 * nvswitches, switches, per_server);
    for (std::uint32_t i = 0; i < gpus; ++i) {
      for (std::uint32_t n = 0; n < nvswitches; ++n) Connect(i, gpus + i / per_server * nvswitches + n);
      Connect(i, gpus + 2 * nvswitches + i % switches);
    }
    if (switches == 2) Connect(gpus + 2 * nvswitches, gpus + 2 * nvswitches + 1);
  }
  void Generated() {
    const Template& kind = Pick(Templates());
    TemplateOptions options = kind.defaults;
    options.gpus_per_server = Between(1, 2) * 4;
    options.gpus = options.gpus_per_server * Between(1, 3);
    options.nvswitches_per_server = Between(0, 2);
    options.nics_per_asw = Between(1, 4) * 2;
    options.psw_switches = Between(1, 2) * 2;
    options.error_rate = errors_ ? "0.001" : "0";
    try {
      const Graph graph = Generate(kind.name, options);
      Count(graph.gpu_count(), graph.nvswitch_count(), graph.switch_count(), graph.gpus_per_server());
      scenario_.links = graph.links();
    } catch (const UserError&) {
      Star();
    }
  }

  void DrawFlows() {
    const std::vector<std::int64_t> sizes = {1, 99, 100, 8999, 9000, 9001, 40000, 100000, 333333, 1000000};
    const std::vector<std::int64_t> starts = {0, 0, 0, 1, 1000, 1000000, 5000001, 50000000};
    const std::uint8_t priority = Chance(2) ? 3 : static_cast<std::uint8_t>(Below(8));
    const bool priorities = Chance(3), incast = Chance(3);
    const std::uint32_t sink = Below(scenario_.gpus);
    for (std::uint32_t burst = Between(1, 12); burst > 0; --burst) {
      FlowRequest flow;
      std::tie(flow.source, flow.destination) = Ends(incast, sink);
      if (flow.source == flow.destination) continue;
      flow.size = Bytes{Chance(3) ? 1 + Below(1000000) : Pick(sizes)};
      flow.start = PicoSeconds(Chance(4) ? Below(100000000) : Pick(starts));
      flow.priority = priorities ? static_cast<std::uint8_t>(Below(8)) : priority;
      for (std::uint32_t copies = Chance(4) ? Between(2, 6) : 1; copies > 0; --copies) scenario_.flows.push_back(flow);
    }
  }
  std::pair<NodeId, NodeId> Ends(bool incast, std::uint32_t sink) {
    const Link& link = Pick(scenario_.links);
    const bool nvlink = link.a.value < scenario_.gpus && link.b.value >= scenario_.gpus &&
                        link.b.value < scenario_.gpus + scenario_.nvswitches;
    if (nvlink && Chance(2)) return Chance(2) ? std::make_pair(link.a, link.b) : std::make_pair(link.b, link.a);
    return {NodeId(Below(scenario_.gpus)), NodeId(incast ? sink : Below(scenario_.gpus))};
  }

  void DrawSettings() {
    TransportOptions transport;
    OptionSet options;
    transport.Declare(&options);
    const bool few = Chance(3);
    for (const Option& option : options.options()) {
      const auto found = Values().find(option.key);
      if (found == Values().end() && option.range != "true or false") {
        throw std::logic_error("scenario_fuzz: Values() has no values for option " + option.key + " (" + option.range + ")");
      }
      if (Chance(few ? 8 : 2) && option.key.rfind("ecn.", 0) != 0) continue;
      // Known: small packets of an NVSwitch's own queue pairs take no time then, and what waits behind them is not sent.
      if (option.key == "compat.truncate_ns") continue;
      std::string value = found != Values().end() ? Pick(found->second) : Chance(2) ? "true" : "false";
      if (option.key.rfind("ecn.k", 0) == 0 || option.key == "ecn.pmax") value = MapOf(value);
      scenario_.settings.emplace_back(option.key, value);
    }
  }
  static std::string MapOf(const std::string& value) {
    std::string text = "7";
    for (const std::int64_t gigabits : {25, 50, 100, 200, 400, 1, 2880}) text += fmt::format(" {}Gbps {}", gigabits, value);
    return text;
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
      if (rate) event.rate = BitRate{Pick(std::vector<std::int64_t>{1, 25, 50, 100, 400}) * 1'000'000'000};
      if (node) std::tie(event.a, event.b) = std::make_pair(Chance(2) ? link.a : link.b, NodeId());
      scenario_.failures.push_back(event);
      if (rate || !comes_back) continue;
      event.time += PicoSeconds(1 + Below(100000000));
      event.what = node ? What::kNodeUp : What::kLinkUp;
      scenario_.failures.push_back(event);
    }
  }

  std::mt19937_64 random_;
  Scenario scenario_;
  bool mixed_ = false, errors_ = false;
  BitRate rate_;
  Time delay_;
  const std::vector<std::int64_t> delays_ = {1, 25000, 500000, 1000000, 1000000, 20000000};
};

/// What Check() needs to know of a run besides its results.
struct Run {
  const Graph& graph;
  const TransportOptions& options;
  const std::vector<LinkEvent>& failures;

  bool SomeLinkStaysDown() const {
    std::vector<bool> down(graph.links().size(), false);
    for (const LinkEvent& event : failures) {
      if (event.kind != LinkEvent::Kind::kRate) down[event.link.value] = event.kind == LinkEvent::Kind::kDown;
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

void CheckFlows(const Run& run, const testing::Outcome& o) {
  const auto& states = ValuesOf<std::uint8_t>(o.flows, "state");
  const auto& fct = ValuesOf<std::int64_t>(o.flows, "fct_ps");
  const auto& received = ValuesOf<std::int64_t>(o.flows, "received_ps");
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string which = fmt::format("flow row {}: ", i);
    switch (static_cast<FlowState>(states[i])) {
      case FlowState::kFinished:
        Require(received[i] > 0 && received[i] <= fct[i],
                which + fmt::format("finished, but received after {} ps and acknowledged after {} ps", received[i], fct[i]));
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
      default:
        Require(false, which + fmt::format("state {} at the end of the run", states[i]));
    }
    if (static_cast<FlowState>(states[i]) != FlowState::kFinished) Require(fct[i] == -1, which + "unfinished with a time");
  }
}

/// The samples of a port add up to what it has sent.
void CheckLinkSamples(const Run& run, const testing::Outcome& o) {
  if (!run.options.monitors.links || run.options.monitors.start > Time{0}) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sampled, sent;
  const auto sum = [](const Table& table, auto* sums) {
    for (std::size_t i = 0; i < invariance::RowCount(table); ++i) {
      (*sums)[{ValuesOf<std::uint32_t>(table, "node")[i], ValuesOf<std::uint32_t>(table, "port")[i]}] +=
          ValuesOf<std::int64_t>(table, "sent_bytes")[i];
    }
  };
  for (const Table& table : o.monitors) {
    if (table.name == "monitors/links") sum(table, &sampled);
  }
  sum(o.ports, &sent);
  for (const auto& [port, bytes] : sent) {
    Require(sampled[port] == bytes, fmt::format("node {} port {} sent {} bytes, {} were sampled", port.first, port.second,
                                                bytes, sampled[port]));
  }
}

void CheckDrops(const Run& run, const testing::Outcome& o) {
  const auto& reasons = ValuesOf<std::string>(o.drops, "reason");
  const TransportOptions& options = run.options;
  const bool lossless = options.pfc.enabled && options.buffer.headroom_factor > 0 && !options.buffer.simai_headroom &&
                        !options.nic.ack_high_priority && run.failures.empty() && !run.LosesOnLinks();
  for (const std::string& reason : reasons) {
    Require(!lossless || reason != "buffer full", "a buffer overflowed in spite of PFC");
    Require(run.LosesOnLinks() || reason == "buffer full", "lost by '" + reason + "' on links that lose nothing");
  }
}

void Check(const Run& run, const testing::Outcome& o) {
  Require(o.books.flows_started == static_cast<std::int64_t>(invariance::RowCount(o.flows)), "a flow did not start");
  CheckFlows(run, o);
  CheckDrops(run, o);
  CheckLinkSamples(run, o);
}

/// Returns the verdict; prints why it is broken.
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
      Fabric fabric(graph, options, {domains.domain_of, domains.nodes, std::vector<RankId>(domains.nodes.size(), RankId(0))},
                    RankId(0), 1, scenario.seed, failures);
      fabric.Plan(PlanFlows(scenario.flows, options.nic.qps_per_connection));
    } catch (const UserError& error) {
      if (std::getenv("SCENARIO_FUZZ_VERBOSE") != nullptr) std::fprintf(stderr, "refused: %s\n", error.what());
      return kRefused;
    }
    std::string oracle;
    for (const std::uint32_t grain : {1U, 3U, 0U}) {
      testing::Cut cut;
      cut.grain = grain;
      cut.seed = scenario.seed;
      const testing::Outcome outcome = testing::Simulate(graph, scenario.flows, options, cut, EngineKind::kDomain,
                                                         Communicator::Serial(), failures);
      const std::string digests = invariance::DigestParts(invariance::Join(Communicator::Serial(), outcome));
      if (oracle.empty()) {
        oracle = digests;
        Check({graph, options, failures}, outcome);
      }
      Require(digests == oracle, fmt::format("grain {} gives {}\nbut grain 1 {}", grain, digests, oracle));
    }
    return kGood;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBroken;
  }
}

/// In a child; `quiet` hides what it prints. A signal counts as its number + 100.
int TryApart(const Scenario& scenario, bool quiet) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (quiet && std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    const rlimit limit{kMostSeconds, kMostSeconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    const int verdict = Try(scenario);
    std::fflush(nullptr);
    _exit(verdict);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) throw std::runtime_error("no child process");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

bool IsBroken(int verdict) { return verdict != kGood && verdict != kRefused; }
std::string Words(int verdict) {
  if (verdict == 100 + SIGXCPU || verdict == 100 + SIGKILL) return fmt::format("does not end within {} s", kMostSeconds);
  if (verdict > 100) return fmt::format("signal {}", verdict - 100);
  return verdict == kBroken ? "broken promise" : fmt::format("exit code {}", verdict);
}

void Print(const Scenario& s) {
  std::printf("Graph graph(%u, %u, %u, %u, \"X\");  // seed %llu\n", s.gpus, s.nvswitches, s.switches, s.gpus_per_server,
              static_cast<unsigned long long>(s.seed));
  for (const Link& l : s.links) {
    std::printf("link %u - %u, %s, %lld ps, error rate %g\n", l.a.value, l.b.value, ToText(l.rate).c_str(),
                static_cast<long long>(l.delay.ps), l.error_rate);
  }
  for (const FlowRequest& f : s.flows) {
    std::printf("Flow(%u, %u, %lld, %u, %lld)\n", f.source.value, f.destination.value, static_cast<long long>(f.size.count),
                f.priority, static_cast<long long>(f.start.ps));
  }
  for (const auto& [key, value] : s.settings) std::printf("--set %s=%s\n", key.c_str(), value.c_str());
  static const char* const kWhat[] = {"link down", "link up", "link rate", "node down", "node up"};
  for (const FailureEvent& e : s.failures) {
    std::printf("%s at %lld ps: %u %d %s\n", kWhat[static_cast<int>(e.what)], static_cast<long long>(e.time.ps), e.a.value,
                e.b.valid() ? static_cast<int>(e.b.value) : -1, e.rate.bps > 0 ? ToText(e.rate).c_str() : "");
  }
}

/// Without parts of a list, halves first, as long as the scenario fails in the same way.
template <class Part>
bool ShrinkList(Scenario* scenario, std::vector<Part> Scenario::*list, int verdict) {
  bool smaller = false;
  for (std::size_t size = std::max<std::size_t>(1, (scenario->*list).size() / 2); size > 0; size /= 2) {
    for (std::size_t at = 0; at < (scenario->*list).size();) {
      Scenario less = *scenario;
      auto& parts = less.*list;
      const auto from = parts.begin() + static_cast<std::ptrdiff_t>(at);
      parts.erase(from, parts.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, parts.size())));
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
  Scenario scenario = Draw(seed).Make();
  const int verdict = TryApart(scenario, false);
  if (IsBroken(verdict)) {
    for (bool smaller = true; smaller;) {
      smaller = ShrinkList(&scenario, &Scenario::flows, verdict);
      smaller = ShrinkList(&scenario, &Scenario::failures, verdict) || smaller;
      smaller = ShrinkList(&scenario, &Scenario::settings, verdict) || smaller;
      smaller = ShrinkList(&scenario, &Scenario::links, verdict) || smaller;
      for (FlowRequest& flow : scenario.flows) {
        for (bool halved = flow.size.count > 1; halved && flow.size.count > 1; smaller = smaller || halved) {
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

int Fuzz(std::uint64_t count, std::uint64_t first) {
  std::uint64_t refused = 0, broken = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const int verdict = TryApart(Draw(seed).Make(), false);
    if (verdict == kRefused) ++refused;
    if (!IsBroken(verdict)) continue;
    ++broken;
    std::fprintf(stderr, "scenario_fuzz: seed %llu: %s\n", static_cast<unsigned long long>(seed), Words(verdict).c_str());
  }
  std::printf("%llu scenarios from seed %llu: %llu refused with a message, %llu broken\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(refused), static_cast<unsigned long long>(broken));
  // A fuzzer whose inputs are all refused at the door tests the door only.
  return broken == 0 && refused * 2 <= count ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s COUNT FIRST_SEED\n       %s shrink SEED\n", argv[0], argv[0]);
    return 2;
  }
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  const std::uint64_t second = std::strtoull(argv[2], nullptr, 10);
  if (std::string(argv[1]) == "shrink") return heddle::Shrink(second);
  return heddle::Fuzz(std::strtoull(argv[1], nullptr, 10), second);
}
