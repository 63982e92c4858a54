// SPDX-License-Identifier: GPL-2.0-only
// Two NPUs that are not equally far give their places to chunks that the other has no place for.
#include "collectives/phased/chunk_deadlock.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/phased/npu_scheduler.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle::testing {
namespace {

/// NPUs 0 and 1, a ring of two with one place, and reduce-scatters of two chunks: each chunk is one
/// message in each direction, that arrives when the test says it.
class TwoNpus {
 public:
  TwoNpus(const std::string& order, std::int64_t per_lane, std::int64_t threshold)
      : options_(OptionsWith(order, per_lane, threshold)),
        graph_(ScaleUpFabric({Loop(2, 1)})),
        planner_(graph_, options_),
        plan_(planner_.Plan(Operation::kReduceScatter, kBytes, 1)) {
    for (std::uint32_t npu = 0; npu < 2; ++npu) npus_.push_back(std::make_unique<Npu>(this, npu));
  }

  /// Both NPUs begin a reduce-scatter.
  void Begin(std::uint32_t operation) {
    for (const auto& npu : npus_) {
      CollectiveCall call;
      call.name.operation = operation;
      call.operation = Operation::kReduceScatter;
      call.bytes = kBytes;
      npu->scheduler.Begin(call, 1);
      npu->Act();
    }
  }
  /// The other NPU's message of a chunk arrives, which ends the chunk if it has begun.
  void Arrive(std::uint32_t npu, std::uint32_t operation, std::uint32_t chunk) {
    PhasedName name;
    name.node = npu;
    name.source = 1 - npu;
    name.operation = operation;
    name.chunk = chunk;
    npus_[npu]->scheduler.Received(name, NanoSeconds(100));
  }
  void Act(std::uint32_t npu) { npus_[npu]->Act(); }
  /// "0: 1.1 -> 1: 1.1 -> ...": chunk 1 of operation 1 at NPU 0 waits for the same at NPU 1.
  std::string Cycle() const {
    std::vector<ChunkStand> stands;
    for (const auto& npu : npus_) npu->scheduler.AddStands(&stands);
    const auto plan = [&](const CollectiveName&, NodeId) -> const PhasePlan& { return plan_; };
    std::string text;
    for (const ChunkStand& stand : ChunkDeadlock(planner_, plan, stands).Cycle()) {
      text += (text.empty() ? "" : " -> ") + std::to_string(stand.npu.value) + ": " +
              std::to_string(stand.name.operation) + "." + std::to_string(stand.chunk);
    }
    return text;
  }

 private:
  static constexpr std::int64_t kBytes = 4096;

  struct Npu : NpuActions {
    Npu(TwoNpus* all, std::uint32_t npu) : scheduler(&all->planner_, NodeId(npu), this) {}
    /// All actions that it asked for, at their times.
    void Act() {
      const auto todo = std::exchange(actions, {});
      for (const auto& [when, action] : todo) scheduler.Act(action, when);
    }
    void At(Time when, const NpuAction& action) override { actions.emplace_back(when, action); }
    void Post(const FlowPost&) override {}
    void Ended(const CollectiveName&, NodeId, Time) override {}
    void Delayed(const CollectiveName&, std::uint32_t, const PhaseDelays&) override {}

    NpuScheduler scheduler;
    std::vector<std::pair<Time, NpuAction>> actions;
  };

  static PhasedOptions OptionsWith(const std::string& order, std::int64_t per_lane,
                                   std::int64_t threshold) {
    PhasedOptions options;
    options.collectives = PhasedOptions::Form::kBaseline;
    options.order = order == "lifo" ? PhasedOptions::Order::kLifo : PhasedOptions::Order::kFifo;
    options.splits = 2;
    options.per_lane = per_lane;
    options.threshold = threshold;
    return options;
  }

  PhasedOptions options_;
  Graph graph_;
  PhasePlanner planner_;
  PhasePlan plan_;
  std::vector<std::unique_ptr<Npu>> npus_;
};

/// NPU 0 ends its first chunk, and begins the second; NPU 1, whose message was lost, learns of a
/// newer collective first.
void RunApart(TwoNpus* npus, std::uint32_t first) {
  npus->Begin(1);
  EXPECT_EQ(npus->Cycle(), "") << "both have begun the same";
  npus->Arrive(0, 1, first);
  npus->Act(0);
  EXPECT_EQ(npus->Cycle(), "") << "a message to NPU 1 is under way";
  npus->Begin(2);
  EXPECT_EQ(npus->Cycle(), "");
  npus->Arrive(1, 1, first);
  EXPECT_EQ(npus->Cycle(), "") << "NPU 1 is to go on";
  npus->Act(1);
}

TEST(ChunkDeadlock, ALostMessageMakesNpusTakeOtherChunks) {
  TwoNpus lane("lifo", 1, 64);
  RunApart(&lane, 0);
  EXPECT_EQ(lane.Cycle(), "0: 1.1 -> 1: 1.1 -> 1: 2.1 -> 0: 2.1");
}

TEST(ChunkDeadlock, ThePlacesOfFirstPhasesAreTakenAsWell) {
  TwoNpus ready("lifo", 0, 1);
  RunApart(&ready, 0);
  EXPECT_EQ(ready.Cycle(), "0: 1.1 -> 1: 1.1 -> 1: 2.1 -> 0: 2.1");
}

TEST(ChunkDeadlock, InTheOrderOfTheirCallsTheyGoOn) {
  TwoNpus npus("fifo", 1, 64);
  RunApart(&npus, 0);
  EXPECT_EQ(npus.Cycle(), "");
}

TEST(ChunkDeadlock, WithAPlaceForEachTheyGoOn) {
  TwoNpus npus("lifo", 0, 64);
  RunApart(&npus, 0);
  EXPECT_EQ(npus.Cycle(), "");
}

/// If a message never comes of a chunk that all have begun, that is no deadlock of places.
TEST(ChunkDeadlock, AMessageThatNeverComesIsNone) {
  TwoNpus npus("lifo", 1, 64);
  npus.Begin(1);
  npus.Begin(2);
  npus.Arrive(1, 1, 0);
  npus.Act(1);
  EXPECT_EQ(npus.Cycle(), "") << "NPU 1 waits for a place at NPU 0, which waits for a message";
}

}  // namespace
}  // namespace heddle::testing
