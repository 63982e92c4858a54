// SPDX-License-Identifier: GPL-2.0-only
// Programs of GPUs and messages in a checkpoint: numbers that somebody forged are refused before
// they lead anywhere.
#include <gtest/gtest.h>

#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/coordinator/known_messages.h"
#include "collectives/execution/gpu_execution.h"
#include "collectives/program/make_program.h"
#include "collectives/program/workload_defaults.h"
#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "io/simai/simai_workload.h"
#include "tests/support/simulate_jobs.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFar = 1'000'000, kNothing = ~0U;

/// Two servers of four GPUs and an NVSwitch.
Graph TwoServers() {
  Graph graph(8, 2, 1, 4, "X");
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(8 + gpu / 4), BitRate{400'000'000'000}, NanoSeconds(25), 0});
    graph.AddLink({NodeId(gpu), NodeId(10), BitRate{400'000'000'000}, NanoSeconds(500), 0});
  }
  return graph;
}

Job MakeJob(const char* text) {
  Workload workload = ParseSimaiWorkload(text, "test");
  const ParallelGroups groups(DefaultSizes(workload, 8, 4), 8, "test");
  Program program = MakeProgram(workload, groups, 1);
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) gpus.emplace_back(gpu);
  return {"test",  std::move(workload), groups, std::move(program), std::move(gpus),
          Time{0}, Placement::kList};
}

class NoPoster final : public FlowPoster {
 public:
  void Post(const FlowPost&) override {}
  void WakeAt(Time) override {}
};

struct SavedQueued {
  std::uint32_t operation = 0;
  Time issued;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& operation& issued;
  }
};

struct SavedGroup {
  bool busy = false;
  Time free_at;
  std::deque<SavedQueued> waiting;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& busy& free_at& waiting;
  }
};

/// A GPU's state in the order in which it is saved.
struct SavedGpu {
  explicit SavedGpu(std::size_t layer_count) : layers(layer_count) {}

  std::uint32_t pass = 0, step = 0;
  Time clock;
  std::uint32_t waits_for = 0;
  bool at_end = false, ended = false;
  Time sent_until;
  std::uint32_t last_sent = 0;
  SavedGroup groups[kGroupTypes];
  std::map<std::uint32_t, SavedGroup> listed;
  std::map<std::uint32_t, Time> overlapped;
  std::vector<LayerRecord> layers;
  std::vector<Participation> parts;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& pass& step& clock& waits_for& at_end& ended& sent_until& last_sent& groups& listed&
        overlapped;
    for (LayerRecord& layer : layers) archive& layer;
    StateCount count(parts.size());
    archive& count;
    parts.resize(count);
    for (Participation& part : parts) archive& part;
  }
};

/// Rank 0 of a ring of eight in its first all-reduce; the second one waits for it.
class ForgedExecution : public ::testing::Test {
 protected:
  ForgedExecution()
      : graph_(TwoServers()),
        job_(MakeJob("DATA\n2\na -1 10 NONE 0 10 NONE 0 10 ALLREDUCE 80000 1\n"
                     "b -1 10 NONE 0 10 NONE 0 10 ALLREDUCE 40000 1\n")),
        context_(Options()),
        saved_(job_.workload.layers.size()) {
    context_.jobs.push_back(std::make_unique<PlacedJob>(0, job_, graph_, context_.options));
    GpuExecution gpu(&context_, &poster_, 0, 0);
    gpu.Begin();
    StateWriter writer;
    gpu.Save(&writer);
    StateReader reader(writer.bytes());
    reader >> saved_;
    reader.ExpectEnd();
  }
  static CollectiveOptions Options() {
    CollectiveOptions options;
    options.allreduce = "ring";
    return options;
  }
  std::string RefusalAfter(const std::function<void()>& forge) {
    forge();
    StateWriter writer;
    writer << saved_;
    GpuExecution gpu(&context_, &poster_, 0, 0);
    gpu.Begin();
    try {
      StateReader reader(writer.bytes());
      gpu.Load(&reader);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  Participation& part() { return saved_.parts.at(0); }
  /// A message to rank 0.
  NumberedFlow Message(Participant source) {
    NumberedFlow message;
    message.flow.source = source;
    return message;
  }
  static std::string Says(const char* what) { return std::string("the saved state has ") + what; }

  Graph graph_;
  Job job_;
  ExecutionContext context_;
  NoPoster poster_;
  SavedGpu saved_;
};

TEST_F(ForgedExecution, SoundStateIsLoaded) {
  EXPECT_EQ(saved_.parts.size(), 1u);
  EXPECT_EQ(RefusalAfter([&] { part().early.push_back({Message(7), Time{0}}); }), "");
}

TEST_F(ForgedExecution, OperationsOfAProgram) {
  const char* what = "an operation that the program of a GPU has not";
  EXPECT_EQ(RefusalAfter([&] { saved_.overlapped[kFar] = Time{1}; }), Says(what));
  saved_.overlapped.erase(kFar);
  EXPECT_EQ(RefusalAfter([&] { saved_.last_sent = kFar; }), Says(what));
  EXPECT_EQ(RefusalAfter([&] {
              saved_.last_sent = kNothing;
              saved_.sent_until = MicroSeconds(1);
            }),
            Says(what));
  saved_.sent_until = Time{0};
  EXPECT_EQ(RefusalAfter([&] { saved_.groups[0].waiting.push_back({kFar, Time{0}}); }), Says(what));
}

TEST_F(ForgedExecution, PlaceInAProgram) {
  const char* what = "a step that the program of a GPU has not";
  const std::uint32_t step = saved_.step;
  EXPECT_EQ(RefusalAfter([&] { saved_.step = kFar; }), Says(what));
  saved_.step = step;
  EXPECT_EQ(RefusalAfter([&] { saved_.clock = PicoSeconds(-1); }), Says(what));
}

TEST_F(ForgedExecution, ParticipantOfACollective) {
  EXPECT_EQ(RefusalAfter([&] { part().me = kFar; }), Says("a collective that the job has not"));
  EXPECT_EQ(RefusalAfter([&] { part().me = 3; }), Says("a collective that is another GPU's"));
  part().me = 0;
  EXPECT_EQ(RefusalAfter([&] { saved_.parts.push_back(part()); }),
            Says("a collective that the job has not"));
}

TEST_F(ForgedExecution, MessagesThatCameTooEarly) {
  const char* what = "a message that came and no job has";
  const auto refuses = [&](const std::function<void(NumberedFlow*)>& forge) {
    NumberedFlow message = Message(7);
    forge(&message);
    part().early = {{message, Time{0}}};
    part().overtaking.clear();
    EXPECT_EQ(RefusalAfter([] {}), Says(what));
    part().early.clear();
    part().overtaking = {message};
    EXPECT_EQ(RefusalAfter([] {}), Says(what));
  };
  refuses([](NumberedFlow* m) { m->flow.source = kFar; });
  refuses([](NumberedFlow* m) { m->flow.source = 8; });  // an NVSwitch is on no ring
  refuses([](NumberedFlow* m) { m->flow.source = 0; });
  refuses([](NumberedFlow* m) { m->flow.destination = 1; });
  refuses([](NumberedFlow* m) { m->flow.channel = 4; });
  refuses([](NumberedFlow* m) { m->flow.chunk = 14; });
  refuses([](NumberedFlow* m) { m->flow.connection = Connection(200); });
}

TEST_F(ForgedExecution, CookiesOfMessages) {
  MessageName sound;
  sound.source = 7;
  const auto knows = [&](const std::function<void(MessageName*)>& forge) {
    MessageName name = sound;
    forge(&name);
    return KnowsMessage(context_, name, NodeId(7), NodeId(0));
  };
  EXPECT_TRUE(knows([](MessageName*) {}));
  EXPECT_FALSE(knows([](MessageName* n) { n->job = 1; }));
  EXPECT_FALSE(knows([](MessageName* n) { n->operation = kFar; }));
  EXPECT_FALSE(knows([](MessageName* n) { n->group = 1; }));
  EXPECT_FALSE(knows([](MessageName* n) { n->source = 6; }));
  EXPECT_FALSE(knows([](MessageName* n) { n->node = 1; }));
  EXPECT_FALSE(knows([](MessageName* n) { n->channel = 4; }));
  EXPECT_FALSE(knows([](MessageName* n) { n->chunk = 14; }));
  EXPECT_FALSE(knows([](MessageName* n) { n->connection_bits = 200; }));
  MessageName from_switch = sound;
  from_switch.source = 8;
  EXPECT_FALSE(KnowsMessage(context_, from_switch, NodeId(8), NodeId(0)));
}

TEST_F(ForgedExecution, WakesOfAnAgentWithoutPhases) {
  const std::vector<Job> jobs = {job_};
  FlowCoordinator coordinator(graph_, jobs, Options(), false);
  std::vector<NodeId> nodes;
  for (std::uint32_t node = 0; node < graph_.node_count(); ++node) nodes.emplace_back(node);
  FlowAgent* agent = coordinator.AgentOf(DomainId(0), nodes);
  agent->Begin(&poster_);
  EXPECT_TRUE(agent->Awaits({}));
  EXPECT_FALSE(agent->Awaits({MicroSeconds(1)}));
}

TEST_F(ForgedExecution, CallsOfGpus) {
  std::vector<Seat> seats(8);
  for (std::uint32_t gpu = 0; gpu < 7; ++gpu) seats[gpu] = {0, gpu};  // GPU 7 has no job
  const auto call = [&](std::uint32_t operation, std::uint32_t group, std::uint16_t job,
                        std::uint32_t node) {
    return CallOfGpu(context_, seats, {operation, group, job}, NodeId(node));
  };
  ASSERT_TRUE(call(0, 0, 0, 6));
  EXPECT_EQ(call(0, 0, 0, 6)->node(), NodeId(6));
  EXPECT_FALSE(call(0, 0, 0, 7));
  EXPECT_FALSE(call(0, 0, 0, 8));
  EXPECT_FALSE(call(0, 0, 0, kFar));
  EXPECT_FALSE(call(kFar, 0, 0, 6));
  EXPECT_FALSE(call(0, 1, 0, 6));
  EXPECT_FALSE(call(0, 0, 1, 6));
}

}  // namespace
}  // namespace heddle
