// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/runs/draw.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "topology/generate/fabric_plan.h"
#include "topology/generate/family.h"
#include "topology/shapes/families.h"
#include "topology/shapes/generator.h"
#include "topology/tables/table_check.h"
#include "topology/tables/table_makers.h"
#include "topology/tables/table_routing.h"

namespace heddle {
namespace {

const std::vector<std::int64_t>& Gigabits() {
  static const std::vector<std::int64_t> rates = {25, 100, 100, 100, 200, 400, 2880};
  return rates;
}

const std::vector<std::int64_t>& Delays() {
  static const std::vector<std::int64_t> delays = {1, 25000, 500000, 1000000, 1000000, 20000000};
  return delays;
}

void Count(DrawnFabric* fabric, std::uint32_t gpus, std::uint32_t nvswitches,
           std::uint32_t switches, std::uint32_t per_server = 1) {
  fabric->gpus = gpus;
  fabric->nvswitches = nvswitches;
  fabric->switches = switches;
  fabric->gpus_per_server = per_server;
}

}  // namespace

Graph DrawnFabric::Build() const {
  if (!dimensions.empty()) return MakeScaleUpGraph({gpu_type, dimensions});
  Graph graph(gpus, nvswitches, switches, gpus_per_server, gpu_type);
  for (const Link& link : links) graph.AddLink(link);
  if (tables.empty()) return graph;
  auto made = std::make_shared<const ForwardingTables>(MakeTables(graph, tables));
  if (CheckTables(graph, *made).loops > 0) throw UserError("tables with a loop");
  graph.SetRouting(std::make_shared<const TableRouting>(std::move(made)));
  return graph;
}

const std::map<std::string, std::vector<std::string>>& TransportValues() {
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
      {"balance.ports",
       {"hash", "hash", "random", "round-robin", "flowlet", "adaptive", "adaptive-flowlet"}},
      {"balance.weighted", {"false", "true"}},
      {"balance.levels", {"all", "all", "1", "2 3"}},
      {"balance.flowlet_gap", {"1ns", "500ns", "10us", "100us"}},
      {"balance.flowlet_table", {"1", "7", "4096"}},
      {"balance.grades", {"5 10 20", "0 0 0", "100 100 100"}},
      {"balance.grade_full", {"0", "1", "20000", "4294967296"}},
      {"transport.protocol", {"roce", "roce", "uec", "mixed"}},
      {"transport.uec_priority", {"1", "3", "7"}},
      {"scale_up.credits", {"true", "false"}},
      {"scale_up.trains", {"true", "false"}},
      {"nvlink.layer", {"packets", "credits"}},
      {"nvlink.lossless", {"false", "true"}},
      {"nvlink.train", {"1", "2", "7", "64"}},
      {"nvlink.preset", {"nvlink", "ualink", "ub"}},
      {"nvlink.packet", {"1", "256", "4096"}},
      {"nvlink.header", {"0", "16"}},
      {"nvlink.flit", {"16", "64"}},
      {"nvlink.buffer", {"0", "300", "8192"}},
      {"nvlink.channels", {"1", "3"}},
      {"nvlink.credit_delay", {"0ns", "100ns"}},
      {"scale_up.congestion", {"true", "true", "false"}},
      {"uec.congestion", {"nscc", "rccc", "both", "none"}},
      {"uec.mode", {"rud", "rud", "rod"}},
      {"uec.mtu", {"1024", "4150", "9000"}},
      {"uec.header", {"32", "64", "512"}},
      {"uec.control", {"32", "64", "512"}},
      {"uec.trimming", {"true", "true", "false"}},
      {"uec.trimmed", {"32", "64", "1024"}},
      {"uec.queue_limit", {"0", "0.01", "1", "5"}},
      {"uec.last_hop_limit", {"0.1", "1", "1.5"}},
      {"uec.kmin", {"0", "0.2", "1"}},
      {"uec.kmax", {"0", "0.8", "2"}},
      {"uec.ack_threshold", {"1", "4000", "16384", "1000000"}},
      {"uec.min_rto", {"auto", "5us", "100us", "1ms"}},
      {"uec.retries", {"1", "20", "250"}},
      {"uec.max_window", {"0.1", "1.5", "10"}},
      {"uec.initial_window", {"0", "1", "100"}},
      {"uec.target_delay", {"auto", "10ns", "20us"}},
      {"uec.gamma", {"0", "0.8", "1"}},
      {"uec.max_decrease", {"0", "0.5", "1"}},
      {"uec.eta", {"0", "0.15", "100"}},
      {"uec.fair_increase", {"0", "5", "500"}},
      {"uec.proportional", {"0", "4", "400"}},
      {"uec.fast_scale", {"0", "0.25", "10"}},
      {"uec.fast_delay", {"1ns", "1us", "50us"}},
      {"uec.quick_adapt_gate", {"0", "3", "8"}},
      {"uec.quick_adapt_delay", {"0.1", "4"}},
      {"uec.delay_gain", {"0.0125", "0.5", "1"}},
      {"uec.adjust_packets", {"1", "8", "100"}},
      {"uec.nack_lowers_rtt", {"true", "false"}},
      {"uec.spec_full_mtu", {"false", "true"}},
      {"uec.spec_needs_sample", {"false", "true"}},
      {"uec.spec_quick_adapt", {"false", "true"}},
      {"uec.spec_ack_request", {"false", "true"}},
      {"uec.pull", {"256", "4096", "16384"}},
      {"uec.pull_rate", {"0.1", "0.99", "1"}},
      {"uec.slow_pulls", {"true", "false"}},
      {"uec.oversubscribed", {"auto", "on", "off"}},
      {"uec.sleek", {"false", "true"}},
      {"entropy.scheme",
       {"auto", "flow", "oblivious", "bitmap", "reps", "mixed", "plb", "mrc", "mrc"}},
      {"entropy.paths", {"1", "2", "5", "64", "65536"}},
      {"entropy.bitmap_marked", {"0", "1", "15"}},
      {"entropy.bitmap_trimmed", {"0", "4", "15"}},
      {"entropy.bitmap_lost", {"0", "4", "15"}},
      {"entropy.bitmap_saturation", {"0", "0.5", "1"}},
      {"entropy.reps_ring", {"1", "3", "8", "16"}},
      {"entropy.reps_freeze", {"0us", "10us", "10ms"}},
      {"entropy.reps_thaw", {"paper", "uet-htsim"}},
      {"entropy.reps_explore", {"0", "1", "1000000"}},
      {"entropy.plb_share", {"0.000001", "0.25", "1"}},
      {"entropy.plb_idle_rounds", {"1", "3"}},
      {"entropy.plb_rounds", {"1", "2", "12"}},
      {"entropy.plb_suspend", {"0us", "50us", "60s"}},
      {"entropy.mrc_skip", {"auto", "1ns", "10us", "1s"}},
      {"entropy.mrc_probe_interval", {"1us", "20us", "100us"}},
      {"entropy.mrc_probes", {"1", "3", "1000000"}},
      {"entropy.mrc_least", {"0", "0.25", "1"}},
      {"requests.scheduler",
       {"message", "message", "single", "round-robin", "stripe", "cast-stripe", "cast-wrr"}},
      {"requests.size", {"129", "9001", "65536", "524288"}},
      {"requests.send_recv_size", {"1", "100000"}},
      {"requests.in_flight", {"1", "2", "8"}},
      {"requests.stripe_start", {"same", "next"}},
      {"cast.estimator", {"auto", "average", "tcp"}},
      {"cast.weight", {"0", "0.01", "0.5", "1"}},
      {"cast.metric", {"rccl", "paper"}},
      {"cast.metric_floor", {"1ns", "1us", "100us"}},
      {"cast.weights", {"filtered", "inverse"}},
      {"cast.reset_interval", {"0", "1us", "30us", "60000"}},
      {"cast.update_interval", {"1us", "5us", "50us"}},
      {"cast.split_min", {"0", "1", "4096", "65536"}},
      {"cast.tokens", {"1", "7", "100"}},
      {"cast.token_update", {"clamp", "keep"}},
      {"cast.poll_interval", {"0", "100ns", "1us", "20us"}},
      {"cast.poll_jitter", {"none", "uniform", "exponential"}},
      {"cast.poll_jitter_time", {"0", "1us", "30us"}},
      {"reliability.reorder", {"0", "0", "3", "100", "1000000"}},
      {"switch.buffer", {"1", "1", "2", "32"}},
      {"switch.reserve", {"0", "4096", "40000"}},
      {"switch.headroom_factor", {"0", "1", "3", "30"}},
      {"switch.alpha_shift", {"0", "3", "8", "16"}},
      {"pfc.resume_offset", {"0", "1", "3000", "200000"}},
      {"pfc.pause_time", {"1us", "5us", "20us"}},
      {"pfc.watchdog", {"1us", "10us", "200us", "2ms"}},
      {"aggregation.switches", {"none", "all"}},
      {"compat.simai", {"1.6", "1.7"}},
      {"aggregation.streams", {"1", "2", "1000000"}},
      {"aggregation.mode", {"streaming", "low-latency"}},
      {"aggregation.operation_bytes", {"256", "1000", "1024", "65536"}},
      {"aggregation.operations", {"1", "3", "64"}},
      {"aggregation.latency", {"0ns", "1ps", "200ns", "5us"}},
      {"reliability.ack_interval", {"1", "1000", "20000", "1000000"}},
      // Not much larger: with a fifth of all packets lost, a chunk of a hundred packets would
      // restart forever.
      {"reliability.chunk", {"1", "100", "4000", "9000", "40000"}},
      {"reliability.nack_interval", {"0us", "1us", "20us", "500us"}},
      {"reliability.timeout", {"1us", "5us", "20us", "100us", "1ms"}},
      {"reliability.retry_limit", {"0", "1", "3", "7", "12"}},
      {"link.error_rate", {"0", "0", "0.0001", "0.01", "0.2"}},
      {"nic.qps_per_connection", {"1", "2", "4", "13"}},
      {"nic.ports", {"hash", "round-robin"}},
      {"nic.source_ports", {"sequential", "random"}},
      {"nic.weights",
       {"1 1 1 1 1 1 1 1", "1 2 3 4 5 6 7 8", "1000 1 1 1 1 1 1 1000", "3 3 3 3 3 3 3 3"}},
      {"monitor.kinds", {"none", "all", "queues,links", "rates,cnps", "links", "pfc"}},
      {"monitor.start", {"0us", "1ns", "10us", "100us"}},
      {"monitor.pair_interval", {"auto", "500ns", "7us", "100us"}},
      {"monitor.queue_interval", {"auto", "500ns", "7us", "100us"}},
      {"monitor.link_interval", {"auto", "500ns", "7us", "100us"}},
      {"failure.convergence", {"0us", "1us", "10us", "300us"}},
      {"failure.link_down", {"0 0 0"}},  // read by heddle run; failures are drawn here
      {"debug.lose_packet", {"0"}},      // breaks conservation on purpose
      {"flow.completion", {"acked", "received"}},
      {"flow.congestion", {"none", "marks"}},
      {"flow.detail", {"messages", "streams"}},
      {"engine.replay", {"off", "on"}},
      {"replay.memory", {"1", "64"}},
      {"debug.refuse_replay", {"0", "1", "7", "97"}},
      {"flow.send_latency", {"0us", "1us", "6us", "20us"}},  // here: when the controller is asked
      {"controller.latency", {"100ns", "1us", "1us", "7us", "60us"}},
      {"controller.service", {"0us", "0us", "200ns", "5us"}},
      {"controller.share", {"1", "1", "2", "5", "30Gbps", "200Gbps", "line"}},
      {"controller.fallback", {"ecmp", "least-loaded"}},
      {"controller.log", {""}},  // written by heddle run
  };
  return values;
}

std::string ValueForEveryRate(const std::string& value) {
  std::string text = "7";
  for (const std::int64_t gigabits : {25, 50, 100, 200, 400, 1, 2880})
    text += fmt::format(" {}Gbps {}", gigabits, value);
  return text;
}

BitRate Draw::Rate() { return mixed_ ? BitRate{Pick(Gigabits()) * 1'000'000'000} : rate_; }

void Draw::Connect(DrawnFabric* fabric, std::uint32_t a, std::uint32_t b) {
  for (std::uint32_t cables = Chance(7) ? 2 : 1; cables > 0; --cables) {
    const Time delay = mixed_ ? PicoSeconds(Pick(Delays())) : delay_;
    double error = errors_ && Chance(3) ? Pick(std::vector<double>{0.0001, 0.01, 0.3}) : 0;
    // Going back N all over a long link that loses a third makes no headway for minutes.
    if (delay > MicroSeconds(1000)) error = std::min(error, 0.01);
    fabric->links.push_back({NodeId(a), NodeId(b), Rate(), delay, error});
  }
}

void Draw::DrawLinks() {
  mixed_ = Chance(3);
  errors_ = Chance(4);
  rate_ = BitRate{Pick(Gigabits()) * 1'000'000'000};
  delay_ = PicoSeconds(Pick(Delays()));
}

void Draw::DrawFabric(DrawnFabric* fabric) {
  DrawLinks();
  switch (Below(9)) {
    case 7:
    case 8:
      return Shaped(fabric);
    case 0:
      return Star(fabric);
    case 1:
      return Row(fabric);
    case 2:
      return LeafSpine(fabric, Between(1, 3));
    case 3:
      return Ring(fabric);
    case 4:
      return Tree(fabric);
    case 5:
      return Servers(fabric);
    default:
      return Generated(fabric);
  }
}

void Draw::DrawManyWays(DrawnFabric* fabric) {
  DrawLinks();
  switch (Below(6)) {
    case 0:
      return Ring(fabric);
    case 1:
      return Generated(fabric);
    default:
      return LeafSpine(fabric, Between(2, 5));
  }
}

void Draw::Star(DrawnFabric* fabric) {
  const std::uint32_t gpus = Between(2, 9);
  Count(fabric, gpus, 0, 1);
  for (std::uint32_t i = 0; i < gpus; ++i) Connect(fabric, i, gpus);
}

void Draw::Row(DrawnFabric* fabric) {
  const std::uint32_t switches = Between(0, 4);
  Count(fabric, 2, 0, switches);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < switches; ++i) {
    Connect(fabric, last, 2 + i);
    last = 2 + i;
  }
  Connect(fabric, last, 1);
}

void Draw::LeafSpine(DrawnFabric* fabric, std::uint32_t spines) {
  const std::uint32_t leaves = Between(2, 3), hosts = Between(1, 3) * leaves;
  Count(fabric, hosts, 0, leaves + spines);
  for (std::uint32_t h = 0; h < hosts; ++h) Connect(fabric, h, hosts + h % leaves);
  for (std::uint32_t l = 0; l < leaves; ++l) {
    for (std::uint32_t s = 0; s < spines; ++s) Connect(fabric, hosts + l, hosts + leaves + s);
  }
}

void Draw::Ring(DrawnFabric* fabric) {
  const std::uint32_t size = Between(3, 8);
  Count(fabric, size, 0, size);
  for (std::uint32_t i = 0; i < size; ++i) Connect(fabric, i, size + i);
  for (std::uint32_t i = 0; i < size; ++i) Connect(fabric, size + i, size + (i + 1) % size);
}

void Draw::Tree(DrawnFabric* fabric) {
  const std::uint32_t gpus = Between(2, 6), switches = Between(1, 5);
  Count(fabric, gpus, 0, switches);
  for (std::uint32_t s = 1; s < switches; ++s) Connect(fabric, gpus + s, gpus + Below(s));
  for (std::uint32_t i = 0; i < gpus; ++i) {
    for (std::uint32_t nics = Between(1, 2); nics > 0; --nics)
      Connect(fabric, i, gpus + Below(switches));
  }
}

void Draw::Servers(DrawnFabric* fabric) {
  const std::uint32_t per_server = Between(2, 4), nvswitches = Between(1, 2),
                      switches = Between(1, 2);
  const std::uint32_t gpus = 2 * per_server;
  Count(fabric, gpus, 2 * nvswitches, switches, per_server);
  for (std::uint32_t i = 0; i < gpus; ++i) {
    for (std::uint32_t n = 0; n < nvswitches; ++n)
      Connect(fabric, i, gpus + i / per_server * nvswitches + n);
    Connect(fabric, i, gpus + 2 * nvswitches + i % switches);
  }
  if (switches == 2) Connect(fabric, gpus + 2 * nvswitches, gpus + 2 * nvswitches + 1);
}

void Draw::Generated(DrawnFabric* fabric) {
  const LeafSpineTemplate& kind = Pick(LeafSpineTemplates());
  LeafSpineOptions options = kind.defaults;
  options.gpus_per_server = Between(1, 2) * 4;
  options.gpus = options.gpus_per_server * Between(1, 3);
  options.nvswitches_per_server = Between(0, 2);
  options.nics_per_leaf = Between(1, 4) * 2;
  options.spine_switches = Between(1, 2) * 2;
  options.error_rate = errors_ ? "0.001" : "0";
  try {
    const Graph graph = Generate(kind.name, options);
    Count(fabric, graph.gpu_count(), graph.nvswitch_count(), graph.switch_count(),
          graph.gpus_per_server());
    fabric->links = graph.links();
  } catch (const UserError&) {
    Star(fabric);
  }
}

void Draw::Shaped(DrawnFabric* fabric) {
  const Family& family = Pick(Families());
  const NamedFabric& named = Pick(family.fabrics);
  const std::unique_ptr<FabricMaker> maker = named.make();
  FlagSet flags;
  maker->Declare(&flags);
  const std::uint32_t per_server = Pick(std::vector<std::uint32_t>{1, 2, 4});
  flags.Set("gps", std::to_string(per_server));
  flags.Set("gpus", std::to_string(per_server * Between(2, 8)));
  flags.Set("oversubscription", Pick(std::vector<std::string>{"0.5", "1", "2"}));
  try {
    maker->Settle(flags);
    const Graph graph = MakeGraph(maker->Plan(flags));
    if (graph.node_count() > 80) return Star(fabric);
    Count(fabric, graph.gpu_count(), graph.nvswitch_count(), graph.switch_count(),
          graph.gpus_per_server());
    fabric->links = graph.links();
  } catch (const UserError&) {
    Star(fabric);
  } catch (const UsageError&) {
    Star(fabric);
  }
}

void Draw::DrawTables(DrawnFabric* fabric) {
  if (!fabric->dimensions.empty() || fabric->switches == 0) return;
  static const std::vector<std::string> makers = {"minhop", "updown",   "dmodk",
                                                  "random", "random:7", "valiant:2"};
  fabric->tables = Pick(makers);
  try {
    fabric->Build();
  } catch (const UserError&) {
    fabric->tables.clear();
  }
}

void Draw::ScaleUp(DrawnFabric* fabric) {
  using Kind = Dimension::Kind;
  std::uint32_t npus = 1;
  for (std::uint32_t count = Between(1, 3); count > 0 && npus <= 12; --count) {
    NetworkDimension d;
    d.kind =
        Pick(std::vector<Kind>{Kind::kRing, Kind::kRing, Kind::kFullyConnected, Kind::kSwitch});
    d.size = Between(2, npus > 4 ? 3 : 4);
    d.clockwise = Between(1, 2);
    if (d.kind == Kind::kRing) d.anticlockwise = Below(3);
    d.rate = Rate();
    d.latency = PicoSeconds(Pick(Delays()));
    d.router_latency = NanoSeconds(Below(3));
    d.level.name = fmt::format("dimension {}", fabric->dimensions.size());
    d.level.packet_bytes = Pick(std::vector<std::int64_t>{256, 512, 4096});
    d.level.header_bytes = Pick(std::vector<std::int64_t>{0, 0, 24});
    d.level.padded = Chance(2);
    d.level.efficiency = Pick(std::vector<double>{1, 0.94});
    d.level.virtual_channels = Pick(std::vector<std::uint32_t>{1, 8, 50});
    d.level.buffer_flits = Pick(std::vector<std::int64_t>{0, 40, 5000});
    npus *= d.size;
    fabric->dimensions.push_back(d);
  }
  Count(fabric, npus, 0, 0);
}

}  // namespace heddle
