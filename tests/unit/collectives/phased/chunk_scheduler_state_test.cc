// SPDX-License-Identifier: GPL-2.0-only
// State of chunks in a checkpoint: what was saved is loaded, and numbers that somebody forged are
// refused before they lead anywhere.
#include <gtest/gtest.h>

#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/phased/chunk_scheduler.h"
#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle::testing {
namespace {

// The saved state, in its order.

struct SavedChunk {
  std::uint16_t phase = 0;
  bool running = false;
  std::uint32_t received = 0;
  Time sent, since, posted, network;
  std::vector<std::uint32_t> ahead, lanes;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& phase& running& received& sent& since& posted& network& ahead& lanes;
  }
};

struct SavedSet {
  std::uint32_t operation = 0, group = 0;
  std::uint16_t job = 0;
  Operation kind = Operation::kAllReduce;
  std::int64_t bytes = 0;
  std::uint32_t dimensions = 0;
  std::int64_t priority = 0;
  std::uint32_t left = 0;
  std::vector<SavedChunk> chunks;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& operation& group& job& kind& bytes& dimensions& priority& left& chunks;
  }
};

struct SavedWaiting {
  std::int64_t priority = 0;
  std::uint32_t set = 0, chunk = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& priority& set& chunk;
  }
};

struct SavedQueue {
  std::uint32_t running = 0;
  std::vector<SavedWaiting> waiting;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& running& waiting;
  }
};

/// Of a scheduler of one NPU, which no message has reached too early.
struct Saved {
  std::map<std::uint32_t, SavedSet> sets;
  std::uint32_t next = 0;
  std::vector<SavedWaiting> ready;
  std::vector<SavedQueue> lanes;
  std::vector<std::uint32_t> turns;
  std::uint32_t first = 0;
  StateCount early;
  std::vector<std::pair<Time, NpuAction>> actions;
  std::vector<Time> wakes;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& sets& next& ready& lanes& turns& first& early;
    StateCount action_count(actions.size()), wake_count(wakes.size());
    archive& action_count& wake_count;
    actions.resize(action_count);
    wakes.resize(wake_count);
    for (auto& [when, action] : actions) archive& when& action;
    for (Time& when : wakes) archive& when;
  }
};

class Poster final : public FlowPoster {
 public:
  void Post(const FlowPost& flow) override { posts.push_back(flow); }
  void WakeAt(Time when) override { wakes.push_back(when); }
  Time Now() const override { return now; }

  std::vector<FlowPost> posts;
  std::vector<Time> wakes;
  Time now;
};

constexpr std::uint32_t kFar = 1'000'000;

/// NPU 0 of six, with an all-reduce of four chunks: one is at the end of its first phase, one waits
/// for its lane, two are ready.
class ForgedChunks : public ::testing::Test {
 protected:
  ForgedChunks() : graph_(ScaleUpFabric({Loop(2, 2), Loop(3, 1)})) {
    options_.collectives = PhasedOptions::Form::kEnhanced;
    options_.splits = 4;
    options_.threshold = 2;
    options_.per_lane = 1;
    planner_.emplace(graph_, options_);
    for (std::uint32_t npu = 0; npu < 6; ++npu) members_.emplace_back(npu);
    call_.operation = Operation::kAllReduce;
    call_.bytes = 24'000;
    call_.members = members_.data();
    call_.ranks = 6;
    ChunkScheduler scheduler = Make();
    scheduler.Begin(call_);
    scheduler.Woken();
    scheduler.Received(FlowCookie::Of(Message(0)), NanoSeconds(500));
    StateWriter writer;
    scheduler.Save(&writer);
    bytes_ = writer.bytes();
    StateReader reader(bytes_);
    reader >> saved_;
    reader.ExpectEnd();
  }

  ChunkScheduler Make() {
    return {&*planner_,
            &poster_,
            {NodeId(0)},
            [](const CollectiveName&, NodeId, Time) {},
            [](const CollectiveName&, std::uint32_t, const PhaseDelays&) {}};
  }
  /// The first message to NPU 0 of a chunk.
  static PhasedName Message(std::uint32_t chunk) {
    PhasedName name;
    name.source = 1;
    name.chunk = chunk;
    return name;
  }
  void LoadInto(ChunkScheduler* scheduler) {
    StateWriter writer;
    writer << saved_;
    StateReader reader(writer.bytes());
    scheduler->Load(&reader, [&](const CollectiveName& name, NodeId npu) {
      const bool known =
          name.job == 0 && name.operation == 0 && name.group == 0 && npu == NodeId(0);
      return known ? std::optional<CollectiveCall>(call_) : std::nullopt;
    });
    reader.ExpectEnd();
  }
  std::string RefusalAfter(const std::function<void()>& forge) {
    forge();
    try {
      ChunkScheduler scheduler = Make();
      LoadInto(&scheduler);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  SavedSet& set() { return saved_.sets.at(0); }
  /// The lane that a chunk waits for.
  SavedQueue& lane() {
    for (SavedQueue& queue : saved_.lanes) {
      if (!queue.waiting.empty()) return queue;
    }
    throw std::logic_error("no chunk waits for a lane");
  }
  static std::string Says(const char* what) { return std::string("the saved state has ") + what; }

  Graph graph_;
  PhasedOptions options_;
  std::optional<PhasePlanner> planner_;
  std::vector<NodeId> members_;
  CollectiveCall call_;
  Poster poster_;
  std::vector<char> bytes_;
  Saved saved_;
};

TEST_F(ForgedChunks, WhatWasSavedIsLoaded) {
  ASSERT_EQ(set().chunks.size(), 4u);
  ASSERT_EQ(saved_.ready.size(), 2u);
  ASSERT_EQ(saved_.actions.size(), 1u);
  EXPECT_EQ(lane().waiting[0].chunk, 1u);
  ChunkScheduler scheduler = Make();
  LoadInto(&scheduler);
  StateWriter again;
  scheduler.Save(&again);
  EXPECT_EQ(again.bytes(), bytes_);
}

TEST_F(ForgedChunks, SetAndChunkOfAnAction) {
  const NpuAction sound = saved_.actions[0].second;
  EXPECT_EQ(sound.kind, NpuAction::Kind::kEndPhase);
  const char* what = "the end of a phase that there is not";
  EXPECT_EQ(RefusalAfter([&] { saved_.actions[0].second.set = kFar; }), Says(what));
  saved_.actions[0].second = sound;
  EXPECT_EQ(RefusalAfter([&] { saved_.actions[0].second.chunk = kFar; }), Says(what));
  saved_.actions[0].second = sound;
  EXPECT_EQ(RefusalAfter([&] { saved_.actions[0].second.kind = NpuAction::Kind(77); }), Says(what));
  saved_.actions[0].second = sound;
  EXPECT_EQ(RefusalAfter([&] { saved_.actions[0].second.chunk = 1; }),
            Says("the end of a phase that has not ended"));
  saved_.actions[0].second = sound;
  EXPECT_EQ(RefusalAfter([&] { saved_.actions[0].second.npu = kFar; }),
            Says("a chunk of an NPU that is elsewhere"));
}

TEST_F(ForgedChunks, BeginningOfASet) {
  saved_.actions[0].second.kind = NpuAction::Kind::kBegin;
  saved_.actions[0].second.set = kFar;
  EXPECT_EQ(RefusalAfter([] {}), Says("a chunk of no collective"));
  saved_.actions[0].second.set = 0;
  EXPECT_EQ(RefusalAfter([] {}), Says("a chunk that began before it was issued"));
}

TEST_F(ForgedChunks, TwoEndsOfAPhase) {
  EXPECT_EQ(RefusalAfter([&] {
              saved_.actions.push_back(saved_.actions[0]);
              saved_.actions.back().first += NanoSeconds(1);
              saved_.wakes.push_back(saved_.actions.back().first);
            }),
            Says("the end of a phase that there is not"));
}

TEST_F(ForgedChunks, ActionThatNothingWakes) {
  EXPECT_EQ(RefusalAfter([&] { saved_.wakes.clear(); }),
            Says("an action of an NPU that nothing wakes"));
}

TEST_F(ForgedChunks, ChunksThatAreReady) {
  const SavedWaiting sound = saved_.ready[0];
  EXPECT_EQ(RefusalAfter([&] { saved_.ready[0].chunk = kFar; }), Says("a chunk that there is not"));
  saved_.ready[0] = sound;
  EXPECT_EQ(RefusalAfter([&] { saved_.ready[0].set = kFar; }), Says("a chunk of no collective"));
  saved_.ready[0] = sound;
  EXPECT_EQ(RefusalAfter([&] { saved_.ready[0].chunk = saved_.ready[1].chunk; }),
            Says("a chunk in two places"));
  EXPECT_EQ(RefusalAfter([&] { saved_.ready.erase(saved_.ready.begin()); }),
            Says("a chunk that is nowhere"));
}

TEST_F(ForgedChunks, ChunksBeforeALane) {
  EXPECT_EQ(RefusalAfter([&] { lane().waiting[0].chunk = 0; }),
            Says("a chunk before another lane"));
  EXPECT_EQ(RefusalAfter([&] { lane().waiting[0].chunk = kFar; }),
            Says("a chunk that there is not"));
}

TEST_F(ForgedChunks, LanesOfChunks) {
  EXPECT_EQ(RefusalAfter([&] { set().chunks[2].lanes[0] = 200; }),
            Says("a lane that there is not"));
}

TEST_F(ForgedChunks, PhaseOfAChunk) {
  EXPECT_EQ(RefusalAfter([&] { set().chunks[2].phase = 9; }), Says("a chunk without lanes"));
}

TEST_F(ForgedChunks, ChunkThatHasEnded) {
  EXPECT_EQ(RefusalAfter([&] {
              set().chunks[0].phase = static_cast<std::uint16_t>(set().chunks[0].lanes.size());
            }),
            Says("the end of a phase that has not ended"));
}

TEST_F(ForgedChunks, DelaysOfAChunk) {
  const char* what = "a chunk whose delays are below 0";
  const SavedChunk sound = set().chunks[0];
  EXPECT_EQ(RefusalAfter([&] { set().chunks[0].since = Time{-1}; }), Says(what));
  set().chunks[0] = sound;
  EXPECT_EQ(RefusalAfter([&] { set().chunks[0].posted = Time{-1}; }), Says(what));
  set().chunks[0] = sound;
  EXPECT_EQ(RefusalAfter([&] { set().chunks[0].network = Time{-1}; }), Says(what));
}

TEST_F(ForgedChunks, MessagesOfAChunk) {
  EXPECT_EQ(RefusalAfter([&] {
              set().chunks[0].received = 1000;
              saved_.actions.clear();
            }),
            Says("a phase with more messages than it has"));
}

TEST_F(ForgedChunks, MessagesOfLaterSteps) {
  set().chunks[0].received = 0;
  saved_.actions.clear();
  saved_.wakes.clear();
  const char* what = "a message of a later step that is awaited, or that there is not";
  EXPECT_EQ(RefusalAfter([&] { set().chunks[0].ahead = {0}; }), Says(what));
  EXPECT_EQ(RefusalAfter([&] { set().chunks[0].ahead = {kFar}; }), Says(what));
  EXPECT_EQ(RefusalAfter([&] {
              set().chunks[0].ahead = {2, 1};
            }),
            Says("messages of later steps in another order"));
  set().chunks[0].ahead.clear();
  EXPECT_EQ(RefusalAfter([&] { set().chunks[1].ahead = {1}; }),
            Says("messages of a phase that has not begun"));
}

TEST_F(ForgedChunks, Sets) {
  const SavedSet sound = set();
  const char* what = "a collective that no job has";
  EXPECT_EQ(RefusalAfter([&] { set().dimensions = 1U << 31 | 1; }), Says(what));
  set() = sound;
  EXPECT_EQ(RefusalAfter([&] { set().bytes = 1; }), Says(what));
  set() = sound;
  EXPECT_EQ(RefusalAfter([&] { set().kind = Operation(200); }), Says(what));
  set() = sound;
  EXPECT_EQ(RefusalAfter([&] { set().operation = 7; }), Says(what));
  set() = sound;
  EXPECT_EQ(RefusalAfter([&] { set().left = 1; }),
            Says("a collective with another number of chunks left"));
  set() = sound;
  EXPECT_EQ(RefusalAfter([&] { set().chunks.pop_back(); }),
            Says("another number of chunks than a collective"));
  set() = sound;
  EXPECT_EQ(RefusalAfter([&] {
              saved_.sets[1] = sound;
              saved_.next = 2;
            }),
            Says("a collective twice"));
}

TEST_F(ForgedChunks, CountsOfLanes) {
  EXPECT_EQ(RefusalAfter([&] { lane().running = 0; }), Says("a lane with other chunks"));
  lane().running = 1;
  EXPECT_EQ(RefusalAfter([&] { saved_.first = 0; }),
            Says("another number of chunks in their first phase"));
  saved_.first = 2;
  EXPECT_EQ(RefusalAfter([&] { saved_.lanes.pop_back(); }), Says("chunks of another fabric"));
}

TEST_F(ForgedChunks, WakesAreThoseThatItAskedFor) {
  ChunkScheduler scheduler = Make();
  LoadInto(&scheduler);
  EXPECT_TRUE(scheduler.Awaits(saved_.wakes));
  EXPECT_FALSE(scheduler.Awaits({}));
  EXPECT_FALSE(scheduler.Awaits({saved_.wakes[0], saved_.wakes[0]}));
}

TEST_F(ForgedChunks, MessagesThatACollectiveHas) {
  ChunkScheduler scheduler = Make();
  EXPECT_TRUE(scheduler.Has(call_, Message(3)));
  EXPECT_FALSE(scheduler.Has(call_, Message(4)));
  PhasedName name = Message(0);
  name.number = 1;  // a ring of two: one message
  EXPECT_FALSE(scheduler.Has(call_, name));
  name = Message(0);
  name.phase = 3;  // two dimensions: three phases
  EXPECT_FALSE(scheduler.Has(call_, name));
}

TEST_F(ForgedChunks, MessageFromAnotherDomain) {
  ChunkScheduler scheduler = Make();
  LoadInto(&scheduler);
  EXPECT_THROW(scheduler.Received(FlowCookie::Of(Message(kFar)), NanoSeconds(600)), InvariantError);
}

TEST_F(ForgedChunks, ACallBeforeTheClockBeginsAtOnce) {
  // A notice of a message between two ranks is late, so what follows it begins in the past.
  poster_ = {};
  poster_.now = NanoSeconds(900);
  call_.start = NanoSeconds(400);
  ChunkScheduler scheduler = Make();
  scheduler.Begin(call_);
  EXPECT_FALSE(poster_.posts.empty());
  for (const Time wake : poster_.wakes) EXPECT_GE(wake, NanoSeconds(900));
}

}  // namespace
}  // namespace heddle::testing
