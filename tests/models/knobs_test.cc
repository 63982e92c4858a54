// SPDX-License-Identifier: GPL-2.0-only
/// Every option of the transport: changing it changes the expected figure in the expected
/// direction.
///
/// The table has a row for each option. An option without a row fails the test, so a new option
/// needs a scenario.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "core/options/options.h"
#include "tests/models/controller/controlled.h"
#include "tests/models/knob.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

using Settings = KnobSettings;

TransportOptions Build(const Settings& settings, const char* key, const char* value) {
  TransportOptions options;
  OptionSet set;
  options.Declare(&set);
  for (const auto& [name, text] : settings) set.Set(name, text);
  set.Set(key, value);
  // The option set refers to members of `options` itself, which is copied after all are set.
  return options;
}

// --- Scenarios ---

Graph Pair() { return Row({{100}, {100}}); }
Graph FourToOne() { return Row({{400}, {100}}); }

double LastFct(const Observed& o) {
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  return static_cast<double>(*std::max_element(fct.begin(), fct.end()));
}
double Single(const TransportOptions& o) {
  return LastFct(Simulate(Pair(), {Flow(0, 1, 900'000)}, o));
}

/// Two flows into one port at 100 Gbps.
Observed TwoToOne(const TransportOptions& o, std::int64_t size = 2'000'000) {
  return Simulate(Star({{100}, {100}, {100}}), {Flow(0, 2, size), Flow(1, 2, size)}, o);
}
double Congested(const TransportOptions& o) { return LastFct(TwoToOne(o)); }
double CongestedLong(const TransportOptions& o) { return LastFct(TwoToOne(o, 10'000'000)); }
double Marked(const TransportOptions& o) { return static_cast<double>(TwoToOne(o).books.marked); }
double MeanRate(const TransportOptions& o) {
  TransportOptions watched = o;
  watched.monitors.rates = true;
  watched.monitors.pair_interval = MicroSeconds(2);
  const Observed outcome = TwoToOne(watched, 10'000'000);
  const auto& rates = GetColumn<std::int64_t>(Monitor(outcome, "monitors/rates"), "rate_bps");
  return static_cast<double>(Sum(rates)) / static_cast<double>(rates.size());
}
double Changes(const TransportOptions& o) {
  TransportOptions watched = o;
  watched.monitors.rates = watched.monitors.on_change = true;
  return static_cast<double>(
      GetColumn<std::int64_t>(Monitor(TwoToOne(watched), "monitors/rates"), "rate_bps").size());
}
/// Four GPUs below a switch, which adds as the options say.
Graph BelowASwitchThatAdds(TransportOptions options) {
  Graph graph(4, 0, 1, 1, "H100");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(4), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  options.aggregation.switches = AggregationOptions::Switches::kAll;
  options.aggregation.Apply(options.payload, &graph);
  return graph;
}
/// End of an AllReduce of all of them.
double EndOfSum(const Graph& graph, const TransportOptions& options, const std::string& bytes) {
  Scenario scenario = options;
  scenario.collectives.allreduce = "collnet_direct";
  const Job job =
      MakeJob(graph, "MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE " + bytes + " 0\n");
  return static_cast<double>(SimulateJobs(graph, {job}, scenario).end.ps);
}
double SumBySwitch(const TransportOptions& options) {
  return EndOfSum(BelowASwitchThatAdds(options), options, "9000");
}
double SumByOperations(const TransportOptions& options) {
  TransportOptions low_latency = options;
  low_latency.aggregation.mode = AggregationOptions::Mode::kLowLatency;
  return EndOfSum(BelowASwitchThatAdds(low_latency), options, "1000000");
}

/// Of two jobs below one switch that adds, how many have a tree.
double JobsBySwitch(const TransportOptions& options) {
  const Graph graph = BelowASwitchThatAdds(options);
  Scenario scenario = options;
  scenario.collectives.choice = CollectiveOptions::Choice::kNccl;
  scenario.collectives.collnet = true;
  const char* text = "MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 9000 0\n";
  const Observed outcome = SimulateJobs(
      graph,
      {MakeJob(graph, text, {NodeId(0), NodeId(1)}), MakeJob(graph, text, {NodeId(2), NodeId(3)})},
      scenario);
  double jobs = 0;
  for (const std::string& name : GetColumn<std::string>(outcome.jobs.at(2), "algorithm"))
    jobs += name.rfind("COLLNET", 0) == 0 ? 1 : 0;
  return jobs;
}

/// A hash of all results, as a number: for knobs whose effect has no direction.
double Fingerprint(const TransportOptions& o) {
  const Observed outcome = TwoToOne(o, 10'000'000);
  return static_cast<double>(Digest(outcome.flows) >> 12);
}
double Pauses(const TransportOptions& o) {
  return static_cast<double>(Simulate(FourToOne(), {Flow(0, 1, 900'000)}, o).books.pauses);
}
double Drops(const TransportOptions& o) {
  return static_cast<double>(Simulate(FourToOne(), {Flow(0, 1, 900'000)}, o).books.dropped_packets);
}
/// Time when a ring deadlocked by PFC ends, on links with a loss rate but no actual loss
/// (deadlock_in_fabric_test.cc).
double EndOfLossyDeadlock(const TransportOptions& o) {
  TransportOptions options = o;
  options.congestion.mode = 0;
  options.has_window = false;
  options.buffer.buffer_mib = 1;
  options.reliability.selective_repeat = true;
  options.reliability.retry_limit = 3;
  return static_cast<double>(Simulate(Ring(kMicro, 1e-15), AllClockwise(300), options).end.ps);
}
double DropsOnShortCables(const TransportOptions& o) {
  return static_cast<double>(Simulate(Row({{400, 10'000}, {100, 10'000}}), {Flow(0, 1, 900'000)}, o)
                                 .books.dropped_packets);
}
/// Completion time of a flow that cut its rate because of a short one, and is then alone.
double Recovered(const TransportOptions& o) {
  return static_cast<double>(Fct(
      Simulate(Star({{100}, {100}, {100}}), {Flow(0, 2, 10'000'000), Flow(1, 2, 90'000)}, o), 0));
}
/// End of an AllReduce of two GPUs: two messages one after the other.
double TwoSteps(const TransportOptions& o) {
  const Graph graph = Pair();
  const Job job = MakeJob(graph,
                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n1\n"
                          "layer -1 1 ALLREDUCE 100000 1 NONE 0 1 NONE 0 1\n");
  return static_cast<double>(SimulateJobs(graph, {job}, o).end.ps);
}
double TwoBottlenecks(const TransportOptions& o) {
  Graph graph(4, 0, 2, 1, "X");
  const std::pair<std::uint32_t, std::uint32_t> cables[] = {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {4, 5}};
  for (const auto& [a, b] : cables)
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  return static_cast<double>(Fct(Simulate(graph,
                                          {Flow(0, 3, 10'000'000), Flow(1, 2, 2'000'000),
                                           Flow(2, 3, 2'000'000, 3, 150 * kMicro)},
                                          o),
                                 0));
}
double FullestQueue(const TransportOptions& o) {
  return static_cast<double>(
      PortFigure(Simulate(FourToOne(), {Flow(0, 1, 1'800'000)}, o), 2, 1, "max_queued_bytes"));
}
/// The second packet on 10 ns cables is lost (see reliability_test.cc).
Observed OneLost(const TransportOptions& o, std::int64_t lost) {
  const std::int64_t tx = (o.payload + 52) * kPs, at = (lost + 1) * tx + 10'000 + 40'000;
  return RunWith(Row({{100, 10'000}, {100, 10'000}}), {Flow(0, 1, 20 * o.payload)}, o,
                 Outage(1, at, at + 1000));
}
double LossyFct(const TransportOptions& o) { return LastFct(OneLost(o, 6)); }
double Nacks(const TransportOptions& o) { return static_cast<double>(OneLost(o, 6).books.nacks); }
double Resent(const TransportOptions& o) {
  return static_cast<double>(OneLost(o, 6).books.resent_bytes);
}
double LostTailFct(const TransportOptions& o) { return LastFct(OneLost(o, 19)); }
double TimeoutsOfADeadWay(const TransportOptions& o) {
  return static_cast<double>(Simulate(Pair(), {Flow(0, 1, 9000)}, o).books.timeouts);
}
double Packets(const TransportOptions& o) {
  return static_cast<double>(Simulate(Pair(), {Flow(0, 1, 900'000)}, o).books.injected_packets);
}
double Rows(const TransportOptions& o, const char* table) {
  return static_cast<double>(
      GetColumn<std::int64_t>(Monitor(TwoToOne(o), table), "time_ps").size());
}
double HeldAck(const TransportOptions& o) {
  return static_cast<double>(
      Fct(Simulate(Star({{400}, {100}, {100}}),
                   {Flow(0, 1, 360'000), Flow(2, 0, 9000, 3, 5 * kMicro)}, o),
          1));
}
std::int64_t HeavyAhead(const TransportOptions& o) {
  return Received(Simulate(Pair(), {Flow(0, 1, 360'000, 3), Flow(0, 1, 360'000, 5)}, o), 0);
}
/// Packets sent into a link that is down for good, until routes follow.
double LateRoutes(const TransportOptions& o) {
  return static_cast<double>(RunWith(Pair(), {Flow(0, 1, 900'000)}, o,
                                     {{MicroSeconds(10), LinkId(1), LinkEvent::Kind::kDown, {}}})
                                 .books.dropped_packets);
}
/// A fast second port on the switch: with the NVLink's rate as reference its shift does not change.
double AlphaByNvLink(const TransportOptions& o) {
  // GPU 0 has an NVLink of 1600 Gbps (port 0) and a NIC of 100; the sender's port at the switch has
  // 400 Gbps: shift 3, or 1.
  Graph graph(3, 1, 1, 3, "X");
  graph.AddLink({NodeId(0), NodeId(3), BitRate{1600 * kG}, PicoSeconds(kMicro), 0});
  graph.AddLink({NodeId(0), NodeId(4), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  graph.AddLink({NodeId(1), NodeId(4), BitRate{400 * kG}, PicoSeconds(kMicro), 0});
  graph.AddLink({NodeId(2), NodeId(4), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  return static_cast<double>(
      PortFigure(Simulate(graph, {Flow(1, 2, 1'800'000)}, o), 4, 2, "max_queued_bytes"));
}
/// A pause on a link with losses that is never resumed in time: frames for each pause time.
double RenewedFrames(const TransportOptions& o) {
  return static_cast<double>(PortFigure(
      Simulate(Row({{400, kMicro, 1e-9}, {100}}), {Flow(0, 1, 900'000)}, o), 2, 0, "sent_packets"));
}

/// Four flows at once over four spines.
Observed FourOverFour(const TransportOptions& o) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    flows.push_back(Flow(gpu, 4 + gpu, 900'000, 3, kSendLatency));
  return Simulate(LeafSpine{2, 4, 4, BitRate{100 * kG}, MicroSeconds(1)}.Build(), flows, o);
}
double LastEnd(const TransportOptions& o) {
  const Observed outcome = FourOverFour(o);
  double last = 0;
  for (std::size_t i = 0; i < 4; ++i)
    last = std::max(last, static_cast<double>(Start(outcome, i) + Fct(outcome, i)));
  return last;
}
/// Four flows over two spines: how many have a reserved path, and how many found a free one.
Observed FourOverTwo(const TransportOptions& o) {
  return Simulate(TwoLeaves(2).Build(),
                  std::vector<FlowRequest>(4, Flow(0, 2, 90'000, 3, kSendLatency)), o);
}
double HeldPaths(const TransportOptions& o) {
  const std::vector<Choice> choices = Choices(FourOverTwo(o));
  return static_cast<double>(std::count_if(choices.begin(), choices.end(),
                                           [](const Choice& c) { return !c.path.empty(); }));
}
double FreePaths(const TransportOptions& o) {
  const std::vector<Choice> choices = Choices(FourOverTwo(o));
  return static_cast<double>(std::count_if(choices.begin(), choices.end(),
                                           [](const Choice& c) { return c.outcome == 0; }));
}

const char* const kZeroMap = "2 100Gbps 0 400Gbps 0";

std::vector<Knob> OwnKnobs() {
  const Settings none = {{"transport.congestion_control", "0"}, {"transport.window", "false"}};
  const auto with = [](Settings a, const Settings& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const Settings small = with(none, {{"switch.buffer", "1"}});
  const Settings lossy =
      with(small, {{"pfc.enabled", "false"}, {"reliability.selective_repeat", "true"}});
  const Settings lost = with(none, {{"failure.convergence", "1s"}});
  const Settings controlled = with(none, {{"controller.enable", "true"}});
  const Settings chunks = with(lost, {{"transport.payload", "1000"}});
  const Settings marks = {
      {"transport.window", "false"}, {"ecn.kmin", kZeroMap}, {"ecn.kmax", kZeroMap}};
  const Settings quick = with(marks, {{"dcqcn.increase_interval", "20us"}});
  const Settings climb =
      with(quick, {{"dcqcn.fast_recovery", "0"}, {"dcqcn.clamp_target", "true"}});
  // Marks that have no effect on the traffic, so that they can be counted.
  const Settings idle = {{"transport.window", "false"}, {"transport.rate_bound", "false"}};
  const Settings hpcc = {{"transport.congestion_control", "3"}};
  const Settings timely = {
      {"transport.congestion_control", "7"}, {"timely.low", "5us"}, {"transport.window", "false"}};
  const Settings rise = with(timely, {{"rate.minimum", "1Gbps"}});
  const Settings dctcp = with(marks, {{"transport.congestion_control", "8"}});
  const Settings pint = {{"transport.congestion_control", "10"}};
  const Settings watch = {{"monitor.kinds", "all"},         {"monitor.queue_interval", "1us"},
                          {"monitor.link_interval", "1us"}, {"monitor.pair_interval", "1us"},
                          {"ecn.kmin", kZeroMap},           {"ecn.kmax", kZeroMap}};
  const auto rows = [](const char* table) {
    return [table](const TransportOptions& o) { return Rows(o, table); };
  };
  const auto tables = [](const TransportOptions& o) {
    return static_cast<double>(TwoToOne(o).monitors.size());
  };
  return {
      {"transport.payload", "1000", "9000", Expect::kLess, "fewer packets", Packets, none},
      {"transport.window",
       "true",
       "false",
       Expect::kMore,
       "the queue is no longer bound by the window",
       FullestQueue,
       {{"transport.congestion_control", "0"}}},
      {"transport.variable_window",
       "true",
       "false",
       Expect::kLess,
       "cut rates no longer shrink the window",
       Congested,
       {{"transport.rate_bound", "false"}, {"ecn.kmin", kZeroMap}, {"ecn.kmax", kZeroMap}}},
      {"transport.rate_bound", "true", "false", Expect::kLess, "cut rates no longer pace",
       Congested, marks},
      {"transport.pair_window",
       "false",
       "true",
       Expect::kLess,
       "a near pair's window is smaller",
       [](const TransportOptions& o) {
         return static_cast<double>(PortFigure(
             Simulate(Star({{100, 10'000}, {100, 10'000}, {100, 10'000}, {100, 5 * kMicro}}),
                      {Flow(0, 1, 900'000), Flow(2, 1, 900'000)}, o),
             4, 1, "max_queued_bytes"));
       },
       {{"transport.congestion_control", "0"}}},
      {"transport.congestion_control", "0", "1", Expect::kMore, "marks cut the rate", Congested,
       marks},
      {"rate.minimum", "100Mbps", "20Gbps", Expect::kLess, "rates fall less far", Congested, marks},
      {"rate.additive_increase", "50Mbps", "5Gbps", Expect::kLess, "recovery is faster", Recovered,
       climb},
      {"rate.hyper_increase", "100Mbps", "10Gbps", Expect::kLess, "recovery is faster", Recovered,
       climb},
      {"rate.gain", "0.00390625", "0.5", Expect::kLess,
       "alpha forgets its first value sooner, cuts are smaller", Congested, quick},
      {"dcqcn.alpha_interval", "55us", "1us", Expect::kLess,
       "alpha decays faster, cuts are smaller", Congested, with(quick, {{"rate.gain", "0.1"}})},
      {"dcqcn.decrease_interval", "4us", "40us", Expect::kLess, "fewer cuts", Congested, marks},
      {"dcqcn.increase_interval", "900us", "20us", Expect::kLess, "recovery is faster", Congested,
       marks},
      {"dcqcn.fast_recovery", "1000", "0", Expect::kLess, "the target rises at once", Congested,
       with(quick, {{"dcqcn.clamp_target", "true"},
                    {"rate.additive_increase", "5Gbps"},
                    {"rate.hyper_increase", "5Gbps"}})},
      {"dcqcn.clamp_target", "false", "true", Expect::kMore,
       "every cut lowers the target, recovery is lower", Congested, quick},
      {"hpcc.target_utilisation", "0.95", "0.5", Expect::kMore, "half of the link is left idle",
       CongestedLong, hpcc},
      {"hpcc.increase_stages", "0", "100", Expect::kMore,
       "additive steps instead of multiplicative ones are slower", CongestedLong, hpcc},
      {"hpcc.fast_react", "true", "false", Expect::kLess,
       "one reaction a round trip, not one an ACK", Changes, hpcc},
      {"hpcc.rate_per_hop", "false", "true", Expect::kMore, "", TwoBottlenecks, hpcc},
      {"hpcc.sample_feedback", "false", "true", Expect::kMore, "", Fingerprint, hpcc},
      {"timely.weight", "0.875", "0.01", Expect::kMore, "new gradients hardly count: higher rates",
       MeanRate, timely},
      {"timely.decrease", "0.8", "0.01", Expect::kMore, "small cuts: higher rates", MeanRate,
       timely},
      {"timely.low", "5us", "1ms", Expect::kMore, "always below it, the rate never falls", MeanRate,
       timely},
      {"timely.high", "500us", "6us", Expect::kLess, "the rate falls by the round trip itself",
       MeanRate, timely},
      {"timely.minimum_rtt", "20us", "2ms", Expect::kMore, "the same gradient counts less",
       MeanRate, timely},
      {"timely.hyper_after", "1000000", "0", Expect::kMore, "every raise is a hyper increase",
       MeanRate, with(rise, {{"rate.hyper_increase", "20Gbps"}})},
      {"dctcp.additive_increase", "100Mbps", "10Gbps", Expect::kLess, "recovery is faster",
       Congested, dctcp},
      {"pint.log_base", "1.05", "1.9", Expect::kMore, "", Fingerprint, pint},
      {"pint.probability", "1", "0.01", Expect::kLess, "fewer reactions", Changes, pint},
      {"ecn.enabled", "true", "false", Expect::kLess, "no marks", Marked, marks},
      {"ecn.kmin", "1 100Gbps 0", "1 100Gbps 300", Expect::kLess, "short queues are not marked",
       Marked, with(idle, {{"ecn.pmax", "1 100Gbps 1"}})},
      {"ecn.kmax", "1 100Gbps 100", "1 100Gbps 1600", Expect::kLess,
       "the probability rises more slowly", Marked, with(idle, {{"ecn.kmin", "1 100Gbps 50"}})},
      {"ecn.pmax", "1 100Gbps 1", "1 100Gbps 0", Expect::kLess, "no marks between the thresholds",
       Marked, with(idle, {{"ecn.kmin", "1 100Gbps 0"}})},
      {"switch.buffer", "1", "32", Expect::kLess, "nobody has to be paused", Pauses, none},
      {"switch.reserve", "4096", "200000", Expect::kMore,
       "what the reserve takes does not count: pauses come later", FullestQueue, small},
      {"switch.headroom_factor", "3", "0", Expect::kMore,
       "nothing takes what comes after the threshold", Drops, lossy},
      {"switch.alpha_shift", "3", "0", Expect::kMore, "one port may fill half of the pool",
       FullestQueue, small},
      {"pfc.resume_offset", "3072", "60000", Expect::kLess, "fewer and longer pauses", Pauses,
       small},
      {"compat.nvlink_alpha", "false", "true", Expect::kLess,
       "the fast port gets the share of a slow one", AlphaByNvLink, small},
      {"compat.simai_headroom", "false", "true", Expect::kMore,
       "400 Gbps x 10 ns x 3 / 8 hold no packet", DropsOnShortCables, small},
      {"pfc.enabled", "false", "true", Expect::kLess, "nothing is lost", Drops,
       with(small, {{"reliability.selective_repeat", "true"}})},
      {"pfc.watchdog", "1ms", "100ms", Expect::kMore, "a deadlock is kept up longer",
       EndOfLossyDeadlock, none},
      {"aggregation.latency", "0ns", "5us", Expect::kMore, "every sum waits for it", SumBySwitch,
       none},
      {"aggregation.streams", "1", "2", Expect::kMore, "the second job has a tree, too",
       JobsBySwitch, none},
      {"aggregation.mode", "streaming", "low-latency", Expect::kMore,
       "operations need no stream, so the second job has a tree, too", JobsBySwitch, none},
      {"aggregation.operation_bytes", "1024", "256", Expect::kMore,
       "64 operations under way carry less", SumByOperations, none},
      {"aggregation.operations", "64", "4", Expect::kMore, "fewer are under way", SumByOperations,
       none},
      {"pfc.pause_time", "5us", "1us", Expect::kMore, "renewals come more often", RenewedFrames,
       small},
      {"reliability.ack_interval", "1", "36000", Expect::kLess, "fewer ACKs", Packets, none},
      {"reliability.chunk", "1000", "4000", Expect::kMore, "it goes back farther", LossyFct,
       with(chunks, {{"reliability.back_to_zero", "true"}})},
      {"reliability.back_to_zero", "false", "true", Expect::kMore, "it goes back farther", LossyFct,
       chunks},
      {"reliability.selective_repeat", "false", "true", Expect::kLess,
       "only the lost packet comes again", Resent, lost},
      {"reliability.nack_interval", "500us", "0us", Expect::kMore,
       "each packet behind the gap is answered", Nacks, lost},
      {"reliability.timeout", "4ms", "1ms", Expect::kLess, "a lost tail comes sooner", LostTailFct,
       lost},
      {"reliability.retry_limit", "7", "2", Expect::kLess, "it gives up sooner", TimeoutsOfADeadWay,
       with(none, {{"link.error_rate", "0.999999"}})},
      {"link.error_rate", "0", "0.05", Expect::kMore, "packets are lost", Drops, none},
      {"nic.ports", "hash", "round-robin", Expect::kLess,
       "four flows share two ports evenly; by the hash three of them one",
       [](const TransportOptions& o) {
         const Observed outcome =
             Simulate(TwoPorts(), std::vector<FlowRequest>(4, Flow(0, 1, 90'000)), o);
         return static_cast<double>(std::max(PortFigure(outcome, 0, 0, "sent_packets"),
                                             PortFigure(outcome, 0, 1, "sent_packets")));
       },
       none},
      {"nic.qps_per_connection", "1", "4", Expect::kMore, "more queue pairs, a row each",
       [](const TransportOptions& o) {
         return static_cast<double>(
             GetColumn<std::uint32_t>(Simulate(Pair(), {Flow(0, 1, 90'000)}, o).flows, "src")
                 .size());
       },
       none},
      {"nic.source_ports", "sequential", "random", Expect::kMore, "from 49152 on, not from 10000",
       [](const TransportOptions& o) {
         const Observed outcome = Simulate(Pair(), {Flow(0, 1, 9'000)}, o);
         return static_cast<double>(GetColumn<std::uint16_t>(outcome.flows, "source_port")[0]);
       },
       none},
      {"nic.ack_high_priority", "false", "true", Expect::kLess, "an ACK passes the pause", HeldAck,
       small},
      {"nic.weights", "1 1 1 1 1 1 1 1", "1 1 1 5 1 1 1 1", Expect::kLess,
       "priority 3 has five turns of six",
       [](const TransportOptions& o) { return static_cast<double>(HeavyAhead(o)); }, none},
      {"monitor.kinds", "none", "queues,links", Expect::kMore, "two tables", tables, {}},
      {"monitor.on_change", "false", "true", Expect::kMore, "a row a change",
       rows("monitors/queues"), with(watch, {{"monitor.queue_interval", "100us"}})},
      {"monitor.start", "0us", "100us", Expect::kLess, "the first 100 us are left out",
       rows("monitors/links"), watch},
      {"monitor.pair_interval", "1us", "50us", Expect::kLess, "fewer samples",
       rows("monitors/rates"), watch},
      {"monitor.queue_interval", "1us", "50us", Expect::kLess, "fewer samples",
       rows("monitors/queues"), watch},
      {"monitor.link_interval", "1us", "50us", Expect::kLess, "fewer samples",
       rows("monitors/links"), watch},
      {"failure.convergence", "0us", "20us", Expect::kMore, "packets run into the dead port",
       LateRoutes, none},
      {"compat.simai_acks", "false", "true", Expect::kMore,
       "after 36,000 bytes each packet has its ACK", Packets,
       with(none, {{"reliability.ack_interval", "36000"}})},
      {"compat.truncate_ns", "false", "true", Expect::kLess, "724.16 ns become 724", Single, none},
      {"flow.completion", "acked", "received", Expect::kLess,
       "the next step need not wait for the ACK", TwoSteps, none},
      {"controller.enable", "false", "true", Expect::kLess, "no two flows on one spine", LastEnd,
       none},
      {"controller.latency", "1us", "50us", Expect::kMore, "flows wait for the answer", LastEnd,
       controlled},
      {"controller.service", "0us", "20us", Expect::kMore, "flows wait for each other's answers",
       LastEnd, controlled},
      {"controller.share", "1", "2", Expect::kMore, "a spine takes two flows", FreePaths,
       controlled},
      {"controller.fallback", "ecmp", "least-loaded", Expect::kMore,
       "every flow has a path of the controller's", HeldPaths, controlled},
      {"debug.lose_packet", "0", "3", Expect::kMore, "the books do not balance",
       [](const TransportOptions& o) {
         try {
           Simulate(Pair(), {Flow(0, 1, 90'000)}, o);
           return 0.0;
         } catch (const SharedError&) {
           return 1.0;
         }
       },
       none},
  };
}

std::vector<Knob> Knobs() {
  std::vector<Knob> all = OwnKnobs();
  for (const Knob& knob : BalanceKnobs()) all.push_back(knob);
  for (const Knob& knob : EntropyKnobs()) all.push_back(knob);
  for (const Knob& knob : UecKnobs()) all.push_back(knob);
  for (const Knob& knob : CastKnobs()) all.push_back(knob);
  for (const Knob& knob : ScaleUpKnobs()) all.push_back(knob);
  return all;
}

/// Options read by the application (core/app), not by the transport: a trace's start times, one
/// more failure event, the file of the path log (tests/unit/io/export/export_path_log_test.cc),
/// whether switches add (tests/regression/commands/collnet.sh), and whether NVSwitches act as one
/// (tests/regression/runs/spray.sh).
/// flow.send_latency also determines when a trace's flow asks the controller:
/// controller_times_test.cc. flow.completion applies to posted flows only:
/// tests/unit/transport/domain/fabric_domain/posting_test.cc. uec.spec_quick_adapt is about one
/// instant: tests/unit/transport/model/uec/nscc_loss_test.cc. What repeats is replayed, and nothing
/// else changes: tests/unit/transport/domain/replay. flow.congestion is about fluids:
/// tests/unit/transport/model/fluid/fluid_control_test.cc; flow.detail about their grain:
/// tests/models/collectives/streams_test.cc.
const char* const kReadElsewhere[] = {
    "failure.link_down",    "flow.send_latency", "controller.log",  "aggregation.switches",
    "uec.spec_quick_adapt", "engine.replay",     "replay.memory",   "debug.refuse_replay",
    "compat.simai",         "nvlink.spray",      "flow.congestion", "flow.detail"};

TEST(Knobs, EveryOptionHasItsScenario) {
  TransportOptions options;
  OptionSet set;
  options.Declare(&set);
  const std::vector<Knob> knobs = Knobs();
  for (const Option& option : set.options()) {
    const bool here =
        std::any_of(knobs.begin(), knobs.end(), [&](const Knob& k) { return option.key == k.key; });
    const bool elsewhere = std::any_of(std::begin(kReadElsewhere), std::end(kReadElsewhere),
                                       [&](const char* key) { return option.key == key; });
    EXPECT_TRUE(here != elsewhere) << option.key << " has no scenario: add a row to Knobs()";
  }
  for (const Knob& knob : knobs) EXPECT_TRUE(set.Knows(knob.key)) << knob.key;
}

TEST(Knobs, ThoseReadElsewhereReachTheirFields) {
  const TransportOptions moved = Build({{"failure.link_down", "5 0 2"},
                                        {"controller.log", "paths.csv"},
                                        {"aggregation.switches", "all"},
                                        {"engine.replay", "on"},
                                        {"replay.memory", "3"},
                                        {"debug.refuse_replay", "7"}},
                                       "flow.send_latency", "3");
  EXPECT_TRUE(moved.aggregation.any());
  EXPECT_TRUE(moved.replay.on());
  EXPECT_EQ(moved.replay.bytes(), std::size_t{3} << 20);
  EXPECT_EQ(moved.replay.refused, 7);
  EXPECT_EQ(moved.link_down, "5 0 2");
  EXPECT_EQ(moved.send_latency.ps, 3 * kMicro);
  EXPECT_EQ(moved.controller.log, "paths.csv");
  const TransportOptions seven = Build({{"compat.simai", "1.7"}}, "flow.send_latency", "3000");
  EXPECT_EQ(seven.send_latency.ps, 3 * kMicro) << "nanoseconds";
}

class Turned : public ::testing::TestWithParam<Knob> {};

TEST_P(Turned, ChangesWhatItShould) {
  const Knob& knob = GetParam();
  const double first = knob.figure(Build(knob.base, knob.key, knob.first));
  const double second = knob.figure(Build(knob.base, knob.key, knob.second));
  if (*knob.why == '\0') {
    EXPECT_NE(first, second) << knob.key;
  } else if (knob.expect == Expect::kLess) {
    EXPECT_LT(second, first) << knob.key << " = " << knob.second << ": " << knob.why;
  } else {
    EXPECT_GT(second, first) << knob.key << " = " << knob.second << ": " << knob.why;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Turned, ::testing::ValuesIn(Knobs()), [](const auto& row) {
  std::string name = row.param.key;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace heddle::testing
