// SPDX-License-Identifier: GPL-2.0-only
/// Pipeline schedules run to their ends: with messages of one price as the closed forms say, to the
/// picosecond; over packets as with messages of the time that one takes alone.
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <string>

#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/pipeline/ideal_times.h"
#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_route.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// Of a stage: forward, gradient of inputs, gradient of weights each.
constexpr Time kPart = MicroSeconds(1000);

Graph FourStages() { return Star({{400}, {400}, {400}, {400}}); }

/// Each micro-batch has four lines; a change of state of 1 ns follows what each of them computes.
std::string StagesText(std::uint32_t micro_batches) {
  std::string text = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 4 ga: " +
                     std::to_string(micro_batches) + " pp_comm: 4000\n" +
                     std::to_string(4 * micro_batches) + "\n";
  for (std::uint32_t i = 0; i < 4 * micro_batches; ++i)
    text += "layer -1 249999 NONE 0 249999 NONE 0 249999 NONE 0 0\n";
  return text;
}

PipelineOptions By(const std::string& word, std::int64_t chunks = 2) {
  PipelineOptions options;
  options.schedule = word;
  options.chunks = chunks;
  return options;
}

/// The latest end, with messages of a fixed time.
double EndAtPrice(const PipelineOptions& pipeline, std::uint32_t micro_batches, Time message) {
  const Graph graph = FourStages();
  const std::vector<Job> jobs = {
      MakeJob(graph, StagesText(micro_batches), {}, Time{0}, 1, pipeline)};
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), /*timeline=*/false);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  FixedTime fixed(graph, domains, message);
  AnalyticalBackend backend(fixed.Input());
  backend.Drive(&coordinator);
  backend.Run(EngineKind::kDomain, Communicator::Serial(), {});
  ns3::Simulator::Destroy();
  Time end;
  for (const FinishRecord& finish : coordinator.context().finishes) end = std::max(end, finish.end);
  EXPECT_EQ(coordinator.context().finishes.size(), 4U);
  return static_cast<double>(end.ps) / static_cast<double>(kPart.ps);
}

/// The same of the table alone; in units of kPart.
double IdealEnd(const PipelineOptions& pipeline, std::uint32_t micro_batches, double message) {
  const PipelineTable table = MakePipelineTable(pipeline, 4, micro_batches, "test");
  PipelineTimes times;
  const double parts = PipelineRoute(table.shape).layer_parts();
  times.message = message;
  times.held = pipeline.senders_wait() ? message : 0;
  times.task = [parts](std::uint32_t, const PipelineTask& task) {
    return (task.work == PipelineWork::kBackward ? 2 : 1) / parts;
  };
  return RunIdeally(table, times).total;
}

TEST(PipelineSchedules, TakeWhatTheClosedFormsSay) {
  struct ClosedFormCase {
    PipelineOptions pipeline;
    double alone, with_messages;  ///< of 8 micro-batches; messages of a tenth of a forward
  };
  for (const ClosedFormCase& of :
       {ClosedFormCase{By("1f1b"), 33, 34.6}, ClosedFormCase{By("gpipe"), 33, 33.6},
        ClosedFormCase{By("interleaved", 2), 28.5, 28.5 + 2 * 0.1 * 7},
        ClosedFormCase{By("interleaved", 4), 26.25, 26.25 + 2 * 0.1 * 15},
        ClosedFormCase{By("zb-h1"), 27, 27 + 4 * 0.1 * 3},
        ClosedFormCase{By("dualpipe"), 26, 26 + 0.9}}) {
    EXPECT_NEAR(EndAtPrice(of.pipeline, 8, Time{0}), of.alone, 1e-9) << of.pipeline.schedule;
    EXPECT_NEAR(EndAtPrice(of.pipeline, 8, MicroSeconds(100)), of.with_messages, 1e-9)
        << of.pipeline.schedule << ' ' << of.pipeline.chunks;
  }
}

/// Any message, also one that is longer than a forward.
TEST(PipelineSchedules, TakeWhatTheirTablesTakeOnIdealStages) {
  for (const char* word : {"1f1b", "interleaved", "gpipe", "zb-h1", "dualpipe", "dualpipev"}) {
    for (const double message : {0.03, 0.4, 1.7}) {
      EXPECT_NEAR(EndAtPrice(By(word), 12, MicroSeconds(static_cast<std::int64_t>(1000 * message))),
                  IdealEnd(By(word), 12, message), 1e-9)
          << word << ' ' << message;
    }
  }
}

/// Joint calls: slower as soon as messages take time.
TEST(PipelineSchedules, SendersThatWait) {
  for (const char* word : {"1f1b", "interleaved", "gpipe", "zb-h1", "dualpipe", "dualpipev"}) {
    PipelineOptions joint = By(word);
    joint.senders = PipelineOptions::Senders::kWait;
    EXPECT_EQ(EndAtPrice(joint, 8, Time{0}), EndAtPrice(By(word), 8, Time{0})) << word;
    EXPECT_NEAR(EndAtPrice(joint, 8, MicroSeconds(200)), IdealEnd(joint, 8, 0.2), 1e-9) << word;
    EXPECT_GT(EndAtPrice(joint, 8, MicroSeconds(200)), IdealEnd(By(word), 8, 0.2) + 0.1) << word;
  }
}

TEST(PipelineSchedules, ATableOfOnesOwn) {
  PipelineOptions own;
  PipelineTable table = MakePipelineTable(By("zb-h1"), 4, 8, "test");
  std::reverse(table.order[3].end() - 3,
               table.order[3].end());  // gradients of weights that are left
  own.schedule = "file:mine.txt";
  own.own = std::make_shared<PipelineTable>(table);
  EXPECT_NEAR(EndAtPrice(own, 8, MicroSeconds(100)), 28.2, 1e-9);
}

/// Packets of two messages may meet at a port, for less than a microsecond.
TEST(PipelineSchedules, OverPackets) {
  const Graph graph = FourStages();
  const auto end = [&](const PipelineOptions& pipeline, std::uint32_t micro_batches) {
    const Job job = MakeJob(graph, StagesText(micro_batches), {}, Time{0}, 1, pipeline);
    const Observed outcome = SimulateJobs(graph, {job});
    double latest = 0;
    for (const Table& jobs : outcome.jobs) {
      if (jobs.name != "jobs") continue;
      for (const std::int64_t at : GetColumn<std::int64_t>(jobs, "end_ps"))
        latest = std::max(latest, static_cast<double>(at));
    }
    return latest / static_cast<double>(kPart.ps);
  };
  // One micro-batch: forward and backward through all stages, and six messages in a row.
  const double message = (end(By("1f1b"), 1) - 4 * 3) / 6;
  EXPECT_GT(message, 0.006) << "flow.send_latency";
  EXPECT_LT(message, 0.02);
  for (const char* word : {"1f1b", "interleaved", "gpipe", "zb-h1", "dualpipe", "dualpipev"})
    EXPECT_NEAR(end(By(word), 8), IdealEnd(By(word), 8, message), 0.005) << word;
}

}  // namespace
}  // namespace heddle::testing
