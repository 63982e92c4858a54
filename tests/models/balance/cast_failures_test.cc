// SPDX-License-Identifier: GPL-2.0-only
/// Messages of requests of which a queue pair fails (docs/models/cast.md).
#include <gtest/gtest.h>

#include <string>

#include "core/options/enum_words.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// GPU 0 at leaf 3, GPUs 1 and 2 at leaf 4, and two ways between the leaves: over the spines 5 and
/// 6. All at 100 Gbps.
Graph TwoWaysOfThree() {
  Graph graph(3, 0, 4, 1, "X");
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  };
  add(0, 3);
  add(1, 4);
  add(2, 4);
  for (const std::uint32_t leaf : {3U, 4U}) {
    for (const std::uint32_t spine : {5U, 6U}) add(leaf, spine);
  }
  return graph;
}

/// A broadcast of one piece from GPU 0 to 1 and from there to 2. One way is dead before it starts
/// and routes never follow, so the queue pairs of that way give up.
Observed BroadcastOverADeadWay(const char* completion, const char* scheduler,
                               std::int64_t queue_pairs) {
  const Graph graph = TwoWaysOfThree();
  TransportOptions options = Unlimited();
  options.nic.qps_per_connection = queue_pairs;
  options.requests.scheduler = scheduler;
  options.requests.size = 65'536;
  options.requests.in_flight = 4;
  options.reliability.retry_limit = 1;
  options.reliability.timeout = MicroSeconds(50);
  options.convergence = MicroSeconds(1'000'000);
  options.completion = *FindWord<TransportOptions::Completion>(completion);
  Scenario scenario = options;
  scenario.collectives.chunk_bytes = 4'000'000;
  scenario.failures = {{MicroSeconds(1), LinkId(3), LinkEvent::Kind::kDown, {}}};
  return SimulateJobs(graph, {MakeJob(graph, "1 BROADCAST 4000000 DP\n")}, scenario);
}

/// The queue pairs of a message, by what became of them.
struct Ends {
  int gave_up = 0, finished = 0;
  int passed_on = 0;  ///< flows of GPU 1, which has nothing to pass on before it has all
};

Ends EndsOf(const Observed& outcome) {
  Ends ends;
  const auto& source = GetColumn<std::uint32_t>(outcome.flows, "src");
  for (std::size_t row = 0; row < source.size(); ++row) {
    const auto state = static_cast<FlowState>(State(outcome, row));
    ends.gave_up += state == FlowState::kRetryLimit;
    ends.finished += source[row] == 0 && state == FlowState::kFinished;
    ends.passed_on += source[row] == 1 && state != FlowState::kNotStarted;
  }
  return ends;
}

TEST(Requests, AMessageOfWhichAQueuePairGaveUpIsNeverReceived) {
  for (const char* completion : {"acked", "received"}) {
    for (const char* scheduler : {"round-robin", "stripe", "cast-wrr"}) {
      for (const std::int64_t queue_pairs : {2, 4}) {
        SCOPED_TRACE(std::string(completion) + " " + scheduler);
        const Observed outcome = BroadcastOverADeadWay(completion, scheduler, queue_pairs);
        const Ends ends = EndsOf(outcome);
        EXPECT_GT(ends.gave_up, 0);
        EXPECT_GT(ends.finished, 0) << "what was posted on the other way arrives";
        EXPECT_EQ(ends.passed_on, 0);
        EXPECT_FALSE(outcome.waiting.empty());
      }
    }
  }
}

}  // namespace
}  // namespace heddle::testing
