// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/runs/draw.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "topology/generate/generator.h"

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
  Graph graph(gpus, nvswitches, switches, gpus_per_server, gpu_type);
  for (const Link& link : links) graph.AddLink(link);
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
      {"switch.buffer", {"1", "1", "2", "32"}},
      {"switch.reserve", {"0", "4096", "40000"}},
      {"switch.headroom_factor", {"0", "1", "3", "30"}},
      {"switch.alpha_shift", {"0", "3", "8", "16"}},
      {"pfc.resume_offset", {"0", "1", "3000", "200000"}},
      {"pfc.pause_time", {"1us", "5us", "20us"}},
      {"pfc.watchdog", {"1us", "10us", "200us", "2ms"}},
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
    const double error = errors_ && Chance(3) ? Pick(std::vector<double>{0.0001, 0.01, 0.3}) : 0;
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
  switch (Below(7)) {
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

}  // namespace heddle
