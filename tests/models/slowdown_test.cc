// SPDX-License-Identifier: GPL-2.0-only
/// No flow is faster than its ideal (transport/domain/state/ideal_time.h), whatever the fabric, the
/// traffic and the failures; a flow alone takes its ideal time.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.h"
#include "tests/support/small_fabric.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kSizes[] = {1, 60, 8999, 9000, 9001, 27'001, 90'000, 400'003};

Graph TemplateFabric(const std::string& name) {
  LeafSpineOptions shape = FindTemplate(name).defaults;
  shape.gpus = 32;
  shape.nics_per_leaf = name.rfind("DCN", 0) == 0 ? 8 : 2;
  shape.spine_switches = 4;
  return Generate(name, shape);
}

/// Two leaves, three spines and four servers of two GPUs that an NVSwitch joins; every GPU has a
/// NIC at each leaf. Rates and delays of all cables are drawn.
Graph MixedFabric(std::uint64_t seed) {
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  const auto rate = [&] {
    constexpr std::int64_t kRates[] = {25, 40, 100, 200, 400};
    return BitRate{kRates[random.Below(5)] * kG};
  };
  const auto delay = [&] { return NanoSeconds(100 + random.Below(900)); };
  constexpr std::uint32_t kGpus = 8, kNvSwitches = 4, kLeaves = 2, kSpines = 3;
  Graph graph(kGpus, kNvSwitches, kLeaves + kSpines, 2, "H100");
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(kGpus + gpu / 2), BitRate{2880 * kG}, NanoSeconds(25), 0});
    for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf)
      graph.AddLink({NodeId(gpu), NodeId(kGpus + kNvSwitches + leaf), rate(), delay(), 0});
  }
  for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) {
    for (std::uint32_t spine = 0; spine < kSpines; ++spine) {
      graph.AddLink({NodeId(kGpus + kNvSwitches + leaf),
                     NodeId(kGpus + kNvSwitches + kLeaves + spine), rate(), delay(), 0});
    }
  }
  return graph;
}

std::vector<FlowRequest> RandomFlows(std::uint32_t gpus, std::uint32_t count, std::uint64_t seed) {
  RandomStream random(seed, 1, RandomPurpose::kPermutation);
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(random.Below(gpus));
    const auto to = static_cast<std::uint32_t>((from + 1 + random.Below(gpus - 1)) % gpus);
    FlowRequest flow = Flow(from, to, kSizes[random.Below(std::size(kSizes))], 3,
                            static_cast<std::int64_t>(random.Below(60)) * kMicro);
    flow.destination_port = static_cast<std::uint16_t>(100 + random.Below(4));
    flows.push_back(flow);
  }
  return flows;
}

/// Expects that no flow is faster than its ideal, and all have one. Returns how many are slower.
std::size_t ExpectNoneBelowOne(const Observed& outcome, const std::string& what) {
  EXPECT_TRUE(AllFinished(outcome)) << what;
  const auto& ideal = GetColumn<std::int64_t>(outcome.flows, "ideal_ps");
  std::size_t slower = 0;
  for (std::size_t i = 0; i < ideal.size(); ++i) {
    EXPECT_GT(ideal[i], 0) << what << ", flow " << i;
    EXPECT_GE(Fct(outcome, i), ideal[i]) << what << ", flow " << i;
    slower += Fct(outcome, i) > ideal[i] ? 1 : 0;
  }
  return slower;
}

TEST(Slowdown, IsNeverBelowOneInTemplates) {
  for (const LeafSpineTemplate& known : LeafSpineTemplates()) {
    const Graph graph = TemplateFabric(known.name);
    for (const int mode : {0, 1, 3}) {
      TransportOptions options;
      options.congestion.mode = mode;
      ExpectNoneBelowOne(Simulate(graph, RandomFlows(32, 300, 7), options),
                         std::string(known.name) + ", control " + std::to_string(mode));
    }
  }
}

TEST(Slowdown, IsNeverBelowOneWithMixedRates) {
  std::size_t slower = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = MixedFabric(seed);
    TransportOptions options = Unlimited();
    options.reliability.selective_repeat = seed % 2 == 0;
    options.truncate_ns = seed % 5 == 0;
    slower += ExpectNoneBelowOne(Simulate(graph, RandomFlows(8, 100, seed), options),
                                 "seed " + std::to_string(seed));
  }
  EXPECT_GT(slower, 1000U);  // they compete
}

TEST(Slowdown, IsNeverBelowOneWithFailures) {
  std::int64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Graph graph = MixedFabric(seed);
    RandomStream random(seed, 2, RandomPurpose::kPermutation);
    std::vector<FailureEvent> events;
    for (int i = 0; i < 6; ++i) {
      // NVLinks are the first of the three links of each GPU; those to the second leaf fail.
      const Link& link = graph.link(LinkId(static_cast<std::uint32_t>(3 * random.Below(8) + 2)));
      FailureEvent event;
      event.time = MicroSeconds(1 + random.Below(80));
      event.a = link.a;
      event.b = link.b;
      constexpr FailureEvent::What kWhat[] = {FailureEvent::What::kLinkDown,
                                              FailureEvent::What::kLinkUp,
                                              FailureEvent::What::kLinkRate};
      event.what = kWhat[i % 3];
      event.rate = BitRate{(i < 3 ? 400 : 25) * kG};
      events.push_back(event);
    }
    TransportOptions options = Unlimited();
    options.convergence = MicroSeconds(seed % 3 * 5);
    options.reliability.timeout = MicroSeconds(200);
    const Observed outcome =
        RunWith(graph, RandomFlows(8, 100, seed), options, ExpandFailures(graph, events), seed);
    ExpectNoneBelowOne(outcome, "seed " + std::to_string(seed));
    lost += outcome.books.dropped_packets;
  }
  EXPECT_GT(lost, 0);
}

TEST(Slowdown, OfALoneFlowIsOne) {
  for (const LeafSpineTemplate& known : LeafSpineTemplates()) {
    const Graph graph = TemplateFabric(known.name);
    std::vector<FlowRequest> flows;  // far apart: each is alone
    for (const std::uint32_t to : {1U, 9U, 31U}) {
      for (const std::int64_t size : kSizes) {
        flows.push_back(
            Flow(0, to, size, 3, static_cast<std::int64_t>(flows.size()) * 1000 * kMicro));
      }
    }
    const Observed outcome = Simulate(graph, flows);
    const auto& ideal = GetColumn<std::int64_t>(outcome.flows, "ideal_ps");
    for (std::size_t i = 0; i < ideal.size(); ++i) {
      EXPECT_GE(Fct(outcome, i), ideal[i]) << known.name << ", flow " << i;
      EXPECT_LE(static_cast<double>(Fct(outcome, i)), 1.01 * static_cast<double>(ideal[i]))
          << known.name << ", flow " << i;
    }
  }
}

TEST(Slowdown, OfALinkThatBecameSlowerCountsAgainstTheHealthyFabric) {
  const std::vector<LinkEvent> slower = {
      {PicoSeconds(0), LinkId(0), LinkEvent::Kind::kRate, BitRate{50 * kG}}};
  const Graph graph = Row({{100}, {100}});
  const Observed healthy = Simulate(graph, {Flow(0, 1, 900'000)}, Unlimited());
  const Observed slow = RunWith(graph, {Flow(0, 1, 900'000)}, Unlimited(), slower);
  const auto ideal = [](const Observed& o) {
    return GetColumn<std::int64_t>(o.flows, "ideal_ps")[0];
  };
  EXPECT_EQ(ideal(healthy), Fct(healthy, 0));
  EXPECT_EQ(ideal(slow), ideal(healthy));
  EXPECT_GT(Fct(slow, 0), ideal(slow) * 19 / 10);
}

TEST(Slowdown, OfOneDirectionLeavesTheOther) {
  const Graph graph = Row({{100}, {100}});
  const std::vector<FlowRequest> flows = {Flow(0, 1, 900'000),
                                          Flow(1, 0, 900'000, 3, 1000 * kMicro)};
  LinkEvent half{PicoSeconds(0), LinkId(0), LinkEvent::Kind::kRate, BitRate{50 * kG}, NodeId(0)};
  const Observed healthy = Simulate(graph, flows, Unlimited());
  const Observed from_gpu = RunWith(graph, flows, Unlimited(), {half});
  // Data of the second flow comes at full rate; its last ACK takes twice its time.
  EXPECT_GT(Fct(from_gpu, 0), Fct(healthy, 0) * 19 / 10);
  EXPECT_EQ(Fct(from_gpu, 1), Fct(healthy, 1) + kAckTx);
  half.sender = NodeId(2);
  const Observed from_switch = RunWith(graph, flows, Unlimited(), {half});
  EXPECT_EQ(Fct(from_switch, 0), Fct(healthy, 0) + kAckTx);
  EXPECT_GT(Fct(from_switch, 1), Fct(healthy, 1) * 19 / 10);
}

}  // namespace
}  // namespace heddle::testing
