// SPDX-License-Identifier: GPL-2.0-only
/// Random traffic on several fabrics, with and without failures: no link is ever reserved for more
/// flows than its limit, all reservations are released, and results do not depend on the partition
/// into domains.
#include "core/options/enum_words.h"
#include "tests/models/controller/controlled.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {
namespace {

using Fallback = ControllerOptions::Fallback;

struct Case {
  const char* name;
  Graph graph;
  int flows;
};

Graph SmallDualPlane() {
  LeafSpineOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
  options.gpus = 32;
  options.nics_per_leaf = 2;
  options.spine_switches = 4;
  return Generate("AlibabaHPN-DualPlane", options);
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  cases.push_back(
      {"leaf-spine", LeafSpine{4, 2, 3, BitRate{100 * kG}, NanoSeconds(500)}.Build(), 90});
  cases.push_back({"specification", SpecificationFabric(), 120});
  cases.push_back({"dual plane", SmallDualPlane(), 120});
  cases.push_back({"ring", Ring(), 60});
  return cases;
}

/// Random outages of links, but never of a GPU's only one, and all are repaired: no flow is lost
/// for want of a way.
std::vector<LinkEvent> Outages(const Graph& graph, std::uint64_t seed) {
  RandomStream random(seed, 1, RandomPurpose::kPermutation);
  std::vector<LinkEvent> events;
  std::vector<std::uint32_t> between;
  for (std::uint32_t link = 0; link < graph.links().size(); ++link) {
    if (graph.kind(graph.link(LinkId(link)).a) == NodeKind::kSwitch &&
        graph.kind(graph.link(LinkId(link)).b) == NodeKind::kSwitch) {
      between.push_back(link);
    }
  }
  for (int i = 0; i < 4; ++i) {
    const std::size_t pick = random.Below(between.size());
    const std::uint32_t link = between[pick];
    between.erase(between.begin() + static_cast<std::ptrdiff_t>(pick));
    const auto down = static_cast<std::int64_t>(8 + random.Below(60)) * kMicro;
    const auto up = down + static_cast<std::int64_t>(1 + random.Below(60)) * kMicro;
    for (const LinkEvent& event : Outage(link, down, up)) events.push_back(event);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const LinkEvent& a, const LinkEvent& b) { return a.time < b.time; });
  return events;
}

TEST(ControllerProperty, NoLinkIsPromisedTwice) {
  std::size_t moves = 0, late = 0, full = 0;
  std::uint64_t seed = 1;
  for (const Case& one : Cases()) {
    for (const bool failing : {false, true}) {
      for (const std::int64_t most : {1, 2}) {
        for (const std::int64_t service : {0, 700'000}) {
          ++seed;
          TransportOptions options = Controlled(TransportOptions());
          options.controller.share = {ShareLimit::Unit::kFlows, most};
          options.controller.service = PicoSeconds(service);
          options.controller.latency = PicoSeconds(seed % 3 == 0 ? 100'000 : 2'000'000);
          options.controller.fallback = seed % 2 == 0 ? Fallback::kEcmp : Fallback::kLeastLoaded;
          options.reliability.timeout = MicroSeconds(50);
          options.reliability.retry_limit = 50;
          options.convergence = MicroSeconds(seed % 5);
          std::vector<LinkEvent> failures;
          if (failing) failures = Outages(one.graph, seed);
          const std::vector<FlowRequest> flows =
              Bursts(one.graph.gpu_count(), one.flows, 300'000, seed);
          const std::string which =
              fmt::format("{}, seed {}, failing {}, {} flows a link, service {}", one.name, seed,
                          failing, most, service);
          std::uint64_t digest = 0;
          for (const std::uint32_t grain : {1U, 0U}) {
            RunPlan plan;
            plan.grain = grain;
            const Observed outcome = Simulate(one.graph, flows, {options, plan, failures});
            const std::vector<Choice> choices = Choices(outcome);
            EXPECT_TRUE(AllFinished(outcome)) << which;
            EXPECT_EQ(WhatIsWrongWith(choices, static_cast<std::size_t>(most)), "") << which;
            EXPECT_GT(choices.size(), 10U) << which;
            for (const Choice& choice : choices) {
              moves += choice.cause;
              late += choice.wait > 0 ? 1 : 0;
              full += choice.outcome != 0 ? 1 : 0;
            }
            const std::uint64_t now = Digest(outcome.flows) ^ Digest(outcome.controller[0]) * 3 ^
                                      Digest(outcome.controller[1]) * 5;
            if (digest == 0) digest = now;
            EXPECT_EQ(now, digest) << which << ": the cut matters";
          }
        }
      }
    }
  }
  // Guards against a property that holds trivially.
  EXPECT_GT(moves, 100U);
  EXPECT_GT(late, 100U);
  EXPECT_GT(full, 100U);
}

TEST(ControllerProperty, JobsKeepItTooWhenLinksFail) {
  // Rings and all-to-all on pairs of servers; every message asks when the previous one is complete.
  const Graph graphs[] = {LeafSpine{4, 2, 3, BitRate{100 * kG}, NanoSeconds(500)}.Build(),
                          SpecificationFabric()};
  std::size_t moves = 0;
  std::uint64_t seed = 100;
  for (const Graph& graph : graphs) {
    for (const char* completion : {"acked", "received"}) {
      for (const std::int64_t pairs : {1, 3}) {
        ++seed;
        TransportOptions options = Controlled(TransportOptions());
        options.completion = *FindWord<TransportOptions::Completion>(completion);
        options.nic.qps_per_connection = pairs;
        options.controller.service = PicoSeconds(seed % 2 == 0 ? 0 : 300'000);
        options.controller.fallback = seed % 3 == 0 ? Fallback::kEcmp : Fallback::kLeastLoaded;
        options.reliability.timeout = MicroSeconds(50);
        options.reliability.retry_limit = 50;
        options.convergence = MicroSeconds(seed % 4);
        const std::vector<LinkEvent> failures = Outages(graph, seed);
        const Job job =
            MakeJob(graph,
                    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4\n1\n"
                    "layer -1 1000 ALLTOALL 200000 500 NONE 0 1000 ALLREDUCE 900000 1\n");
        std::uint64_t digest = 0;
        for (const std::uint32_t grain : {1U, 0U}) {
          RunPlan plan;
          plan.grain = grain;
          const Observed outcome = SimulateJobs(graph, {job}, {options, plan, failures});
          EXPECT_TRUE(AllFinished(outcome)) << seed;
          EXPECT_TRUE(outcome.waiting.empty()) << seed;
          EXPECT_EQ(WhatIsWrongWith(Choices(outcome)), "") << seed;
          for (const Choice& choice : Choices(outcome)) moves += choice.cause;
          const std::uint64_t now = Digest(outcome.flows) ^ Digest(outcome.controller[0]) * 3 ^
                                    Digest(outcome.controller[1]) * 5;
          if (digest == 0) digest = now;
          EXPECT_EQ(now, digest) << seed << ": the cut matters";
        }
      }
    }
  }
  EXPECT_GT(moves, 50U);
}

}  // namespace
}  // namespace heddle::testing
