// SPDX-License-Identifier: GPL-2.0-only
/// Schedules in GOAL: alone, with links that fail, placed beside a workload and a trace.
#include <string>
#include <utility>
#include <vector>

#include "io/goal/goal_text.h"
#include "tests/invariance/case.h"
#include "tests/invariance/failure_events.h"
#include "tests/invariance/traffic.h"
#include "tests/invariance/workloads.h"
#include "tests/support/chakra/chakra_programs.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::invariance {
namespace {

/// So many steps of a ring of ranks: calcs on two cpus, messages that overtake each other, receives
/// of any source and tag, messages of a rank to itself, waits for starts.
std::string RingText(int ranks, int steps) {
  std::string text = "num_ranks " + std::to_string(ranks) + "\n";
  const auto number = [](int value) { return std::to_string(value); };
  for (int rank = 0; rank < ranks; ++rank) {
    text += "rank " + number(rank) + " {\n";
    for (int step = 0; step < steps; ++step) {
      const std::string s = number(step);
      const std::string bytes = number(step % 3 == 0 ? 90'000 : 3'000 + step) + "b";
      const std::string tag = number(step % 2);
      const bool any = step % 4 == 3;
      text += "c" + s + ": calc " + number((200 + rank * 37 + step * 911) % 3000) + " cpu " + tag +
              "\n" + "s" + s + ": send " + bytes + " to " + number((rank + 1 + step % 3) % ranks) +
              " tag " + tag + "\n" + "r" + s + ": recv " + bytes + " from -1 tag " +
              (any ? "-1" : tag) + " cpu 1\n" + "s" + s + " requires c" + s + "\n";
      if (step > 1) text += "c" + s + " requires r" + number(step - 2) + "\n";
      if (step > 0) text += "r" + s + " irequires c" + number(step - 1) + "\n";
    }
    text += "o: send 8b to " + number(rank) + " tag 7\ni: recv 8b from " + number(rank) +
            " tag 7\no requires r0\n}\n";
  }
  return text;
}

/// `window`: operations that stay in memory; 0: all.
GoalJob ScheduleOn(int ranks, int steps, const std::vector<std::uint32_t>& gpus,
                   std::uint64_t window = 0) {
  std::vector<std::string> warnings;
  const std::string text = RingText(ranks, steps);
  GoalBytes bytes(text, "a.goal");
  GoalJob job{ParseGoalText(&bytes, window, &warnings), {}, {}};
  for (int rank = 0; rank < ranks; ++rank)
    job.gpus.emplace_back(gpus.empty() ? static_cast<std::uint32_t>(rank)
                                       : gpus[static_cast<std::size_t>(rank)]);
  return job;
}

/// Ranks whose operations have all ended.
Proof EndedRanks() {
  return {
      "ranks of schedules that ended", [](const Results& r) {
        std::int64_t count = 0;
        for (const std::int64_t open : GetColumn<std::int64_t>(r.table("schedule/ranks"), "open"))
          count += open == 0 ? 1 : 0;
        return count;
      }};
}

Case Alone(const char* name, const Settings& settings, std::uint64_t window = 0) {
  heddle::testing::LeafSpine fabric;
  fabric.leaves = 3;
  fabric.hosts_per_leaf = 4;
  fabric.spines = 2;
  Case made{name, fabric.Build(), {}, Set(Tight() + settings), {}, {EndedRanks()}};
  made.schedules = {ScheduleOn(12, 9, {}, window)};
  return made;
}

Case Failing() {
  Case made{"goal-failures",
            SmallFabric("DCN-SingleToR"),
            {},
            Set(Impatient() + Settings{{"failure.convergence", "7us"}}),
            {},
            {EndedRanks()}};
  made.failures = ExpandFailures(made.graph, LinksDownAndUp(made.graph));
  made.proofs.push_back(proofs::Drops(DropReason::kLinkDown));
  made.schedules = {ScheduleOn(32, 6, {})};
  return made;
}

/// Two schedules, a workload and a trace, whose GPUs share servers and leaves.
Case Beside(const char* name, const Settings& collectives) {
  Case made{name, SmallFabric("DCN-SingleToR"),         {}, Set(Tight()),
            {},   {EndedRanks(), proofs::Collectives()}};
  made.collectives = SetCollectives(collectives);
  std::vector<NodeId> even;
  for (std::uint32_t gpu = 0; gpu < 32; gpu += 4) even.emplace_back(gpu);
  made.jobs.push_back(heddle::testing::MakeJob(made.graph, One(8, "ALLREDUCE", 200'000), even));
  Job trace = heddle::testing::TraceJob(
      "ranks 4\n*: 1 comp 3\n*: 2 coll ALL_GATHER 20000 after 1\n*: 3 coll ALL_TO_ALL 9000 after "
      "2\n");
  trace.gpus = {NodeId(1), NodeId(9), NodeId(17), NodeId(25)};
  trace.start = MicroSeconds(4);
  made.jobs.push_back(std::move(trace));
  made.schedules = {ScheduleOn(8, 6, {30, 26, 22, 18, 14, 10, 6, 2}),
                    ScheduleOn(4, 7, {3, 7, 31, 27})};
  made.schedules[1].start = MicroSeconds(5);
  made.schedules[1].priority = 5;
  return made;
}

}  // namespace

void AddGoalCases(std::vector<CaseMaker>* cases) {
  cases->push_back({"goal", [] { return Alone("goal", {}); }});
  cases->push_back({"goal-received", [] {
                      return Alone("goal-received",
                                   {{"flow.completion", "received"}, {"flow.send_latency", "0us"}});
                    }});
  cases->push_back({"goal-window", [] { return Alone("goal-window", {}, 1); }});
  cases->push_back({"goal-failures", [] { return Failing(); }});
  cases->push_back({"goal-beside", [] { return Beside("goal-beside", {}); }});
  cases->push_back({"goal-beside-lasting", [] {
                      return Beside("goal-beside-lasting", {{"collective.connections", "lasting"}});
                    }});
}

}  // namespace heddle::invariance
