// SPDX-License-Identifier: GPL-2.0-only
/// Options of entropies, each with a scenario in which it matters.
#include <algorithm>

#include "tests/models/knob.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kLeaf = 8, kSpines = 4;

/// Eight hosts at two leaves, four spines; one has links of this rate. The leaf's port 4 and link 8
/// lead to it.
Graph SlowSpineOf(std::int64_t gbps) {
  Graph graph(8, 0, 2 + kSpines, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
    graph.AddLink(
        {NodeId(gpu), NodeId(kLeaf + gpu / 4), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  for (std::uint32_t spine = 0; spine < kSpines; ++spine) {
    for (std::uint32_t leaf = kLeaf; leaf < kLeaf + 2; ++leaf)
      graph.AddLink({NodeId(leaf), NodeId(kLeaf + 2 + spine),
                     BitRate{(spine == 0 ? gbps : 100) * kG}, PicoSeconds(kMicro), 0});
  }
  return graph;
}
std::vector<FlowRequest> Across(std::int64_t size) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) flows.push_back(Flow(gpu, 4 + gpu, size));
  return flows;
}
double OnTheFirstSpine(const Observed& o) {
  return static_cast<double>(PortFigure(o, kLeaf, 4, "sent_packets"));
}

Observed EntropyKnobsPermuted(const TransportOptions& options) {
  const LeafSpine fabric{4, 4, 4};
  return Simulate(fabric.Build(), Permutation(fabric.hosts(), Bytes{900'000}, 3), options);
}
double EntropyKnobsLastFct(const Observed& o) {
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  return static_cast<double>(*std::max_element(fct.begin(), fct.end()));
}
double LastOfPermutation(const TransportOptions& options) {
  return EntropyKnobsLastFct(EntropyKnobsPermuted(options));
}
/// Packets on a spine of a quarter of the rate.
double EntropiesOnTheSlowWay(const TransportOptions& options) {
  return OnTheFirstSpine(Simulate(SlowSpineOf(25), Across(4'500'000), options));
}
double LastBesideASlowWay(const TransportOptions& options) {
  return EntropyKnobsLastFct(Simulate(SlowSpineOf(25), Across(4'500'000), options));
}
/// Uplinks of 25 Gbps. One host fills one of them; flows of the others, at 1 Gbps, have nothing in
/// flight when they send: the sum of their times.
double TimesOfSlowFlows(const TransportOptions& options) {
  Graph graph(8, 0, 2 + kSpines, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(kLeaf + gpu / 4), BitRate{(gpu % 4 == 0 ? 100 : 1) * kG},
                   PicoSeconds(kMicro), 0});
  for (std::uint32_t spine = 0; spine < kSpines; ++spine) {
    for (std::uint32_t leaf = kLeaf; leaf < kLeaf + 2; ++leaf)
      graph.AddLink(
          {NodeId(leaf), NodeId(kLeaf + 2 + spine), BitRate{25 * kG}, PicoSeconds(kMicro), 0});
  }
  std::vector<FlowRequest> flows = {Flow(0, 4, 9'000'000)};
  for (std::uint32_t i = 0; i < 24; ++i) flows.push_back(Flow(1 + i % 3, 5 + i % 3, 27'000));
  const Observed outcome = Simulate(graph, flows, options);
  return static_cast<double>(Sum(GetColumn<std::int64_t>(outcome.flows, "fct_ps")));
}
/// An uplink goes down at 30 us, and comes back at 200 us.
Observed Outaged(const TransportOptions& options, std::int64_t size) {
  return RunWith(SlowSpineOf(100), Across(size), options, Outage(8, 30 * kMicro, 200 * kMicro));
}
double Dropped(const TransportOptions& options) {
  return static_cast<double>(Outaged(options, 4'500'000).books.dropped_packets);
}
double Sent(const TransportOptions& options) {
  return static_cast<double>(Outaged(options, 4'500'000).books.injected_packets);
}
/// A hash of what every port sent.
double Ways(const TransportOptions& options) {
  return static_cast<double>(Digest(Outaged(options, 4'500'000).ports) >> 12);
}
double OnTheWayThatCameBack(const TransportOptions& options) {
  return OnTheFirstSpine(Outaged(options, 18'000'000));
}
/// Of Ultra Ethernet, whose switches trim: a hash of all flows.
double EntropiesFingerprint(const TransportOptions& options) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) flows.push_back(Flow(gpu, (gpu + 5) % 8, 4'500'000));
  return static_cast<double>(Digest(Simulate(SlowSpineOf(25), flows, options).flows) >> 12);
}

}  // namespace

std::vector<Knob> EntropyKnobs() {
  const KnobSettings free = {{"transport.congestion_control", "0"},
                             {"transport.window", "false"},
                             {"reliability.selective_repeat", "true"},
                             {"reliability.timeout", "100us"},
                             {"failure.convergence", "1s"}};
  const auto by = [&](const char* scheme,
                      const KnobSettings& more = {{"reliability.reorder", "1024"}}) {
    KnobSettings all = free;
    all.emplace_back("entropy.scheme", scheme);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const KnobSettings near = {{"reliability.reorder", "24"}};
  const auto near_and = [&](const KnobSettings& more) {
    KnobSettings all = near;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const KnobSettings fast_probes =
      near_and({{"entropy.mrc_probe_interval", "12us"}, {"entropy.paths", "16"}});
  const KnobSettings short_queues = near_and({{"entropy.plb_rounds", "1000000"},
                                              {"reliability.timeout", "5ms"},
                                              {"switch.alpha_shift", "10"},
                                              {"ecn.kmin", "3 1Gbps 0 25Gbps 0 100Gbps 0"},
                                              {"ecn.kmax", "3 1Gbps 1 25Gbps 1 100Gbps 1"}});
  const KnobSettings ultra = {{"transport.protocol", "uec"}, {"entropy.scheme", "bitmap"}};
  return {
      {"entropy.scheme", "flow", "oblivious", Expect::kLess,
       "no two flows share an uplink for long", LastOfPermutation, by("flow")},
      {"entropy.paths", "1", "64", Expect::kLess, "one value is one path", LastOfPermutation,
       by("oblivious")},
      {"entropy.bitmap_marked", "0", "4", Expect::kLess, "marked values lose turns",
       EntropiesOnTheSlowWay, by("bitmap")},
      {"entropy.bitmap_trimmed", "0", "15", Expect::kLess, "", EntropiesFingerprint, ultra},
      {"entropy.bitmap_lost", "0", "15", Expect::kLess, "values that lost a packet lose turns",
       Dropped, by("bitmap", near)},
      {"entropy.bitmap_saturation", "1", "0", Expect::kMore, "no value is passed over",
       EntropiesOnTheSlowWay, by("bitmap")},
      {"entropy.reps_ring", "1", "8", Expect::kLess, "", Ways, by("reps", near)},
      {"entropy.reps_freeze", "0us", "1ms", Expect::kLess, "no random value during the outage",
       Dropped, by("reps", near)},
      {"entropy.reps_thaw", "paper", "uet-htsim", Expect::kLess, "", Sent,
       by("reps", near_and({{"entropy.reps_freeze", "0us"}}))},
      {"entropy.reps_explore", "1", "1000", Expect::kMore, "random values once more", Dropped,
       by("reps", near_and({{"entropy.reps_freeze", "0us"}}))},
      {"entropy.plb_share", "0.000001", "1", Expect::kLess, "", LastOfPermutation,
       by("plb", near_and({{"entropy.plb_rounds", "1"}}))},
      {"entropy.plb_idle_rounds", "1", "1000000", Expect::kMore, "they stay behind the full queue",
       TimesOfSlowFlows, by("plb", short_queues)},
      {"entropy.plb_rounds", "1", "1000000", Expect::kMore, "the slow way is left late",
       LastBesideASlowWay, by("plb")},
      {"entropy.plb_suspend", "0us", "60s", Expect::kMore, "", Ways,
       by("plb", near_and({{"entropy.plb_rounds", "1"}, {"link.error_rate", "0.001"}}))},
      {"entropy.mrc_skip", "1us", "1ms", Expect::kLess, "marked values rest longer",
       EntropiesOnTheSlowWay, by("mrc")},
      {"entropy.mrc_probe_interval", "12us", "1ms", Expect::kLess, "fewer probes", Sent,
       by("mrc", near)},
      {"entropy.mrc_probes", "1", "1000000", Expect::kLess, "retired for good",
       OnTheWayThatCameBack, by("mrc", fast_probes)},
      {"entropy.mrc_least", "0", "1", Expect::kMore, "none may be retired", Dropped,
       by("mrc", near)},
  };
}

}  // namespace heddle::testing
