// SPDX-License-Identifier: GPL-2.0-only
// Queue and network delays of chunks, against time lines made by hand.
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "collectives/phased/npu_scheduler.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kEndpoint = 10;  ///< delay of an endpoint [ns]

/// NPU 0 of a ring of three with an all-reduce of two chunks, one on the ring at a time.
class TwoChunks : private NpuActions {
 public:
  explicit TwoChunks(int threshold)
      : options_(OptionsWith(threshold)),
        graph_(ScaleUpFabric({Loop(3, 1)})),
        planner_(graph_, options_),
        npu_(&planner_, NodeId(0), this) {
    CollectiveCall call;
    call.operation = Operation::kAllReduce;
    call.bytes = 2 << 20;
    npu_.Begin(call, 1);
    Act();
  }
  /// The last action that it asked for, at its time.
  void Act() {
    const auto [when, action] = actions_.back();
    actions_.pop_back();
    npu_.Act(action, when);
  }
  void Receive(std::uint32_t chunk, std::uint32_t number, std::int64_t nanoseconds) {
    PhasedName name;
    name.source = 2;
    name.chunk = chunk;
    name.number = number;
    npu_.Received(name, NanoSeconds(nanoseconds));
  }
  const PhaseDelays& of(std::uint32_t phase) { return found_[phase]; }

 private:
  static PhasedOptions OptionsWith(int threshold) {
    PhasedOptions options;
    options.collectives = PhasedOptions::Form::kBaseline;
    options.splits = 2;
    options.per_lane = 1;
    options.threshold = threshold;
    options.local_lanes = PhasedOptions::LocalLanes::kAll;
    options.local_endpoint_delay = options.endpoint_delay = NanoSeconds(kEndpoint);
    return options;
  }
  void At(Time when, const NpuAction& action) override { actions_.emplace_back(when, action); }
  void Post(const FlowPost&) override {}
  void Ended(const CollectiveName&, NodeId, Time) override {}
  void Delayed(const CollectiveName&, std::uint32_t phase, const PhaseDelays& delays) override {
    found_[phase].Join(delays);
  }

  PhasedOptions options_;
  Graph graph_;
  PhasePlanner planner_;
  NpuScheduler npu_;
  std::vector<std::pair<Time, NpuAction>> actions_;
  std::map<std::uint32_t, PhaseDelays> found_;
};

/// Chunk 0 sends at 10 ns and receives every 100 ns; each send follows a receive by 10 ns.
void RunFirstChunk(TwoChunks* npu) {
  for (std::uint32_t number = 0; number < 4; ++number) npu->Receive(0, number, 100 * (number + 1));
  npu->Act();  // ends at 410 ns
}

TEST(PhaseDelays, AChunkWaitsForItsLane) {
  TwoChunks npu(64);
  EXPECT_EQ(npu.of(0).chunks, 2);
  EXPECT_EQ(npu.of(0).queued, Time{});
  RunFirstChunk(&npu);
  EXPECT_EQ(npu.of(1).chunks, 1);
  EXPECT_EQ(npu.of(1).queued, Time{});
  EXPECT_EQ(npu.of(1).messages, 4);
  EXPECT_EQ(npu.of(1).network, NanoSeconds(4 * 90)) << "from 10 to 100, from 110 to 200, ...";
  // Chunk 1 sends at 420, 460, 470, 610 ns: message 1 and 3 come before the NPU has sent.
  npu.Receive(1, 0, 450);
  npu.Receive(1, 1, 455);
  npu.Receive(1, 2, 600);
  npu.Receive(1, 3, 605);
  npu.Act();
  EXPECT_EQ(npu.of(1).chunks, 2);
  EXPECT_EQ(npu.of(1).queued, NanoSeconds(410));
  EXPECT_EQ(npu.of(1).messages, 8);
  EXPECT_EQ(npu.of(1).network, NanoSeconds(4 * 90 + 30 + 0 + 130 + 0));
  EXPECT_EQ(npu.of(2).chunks, 0) << "there is one dimension";
}

TEST(PhaseDelays, AChunkWaitsInTheReadyList) {
  TwoChunks npu(1);
  EXPECT_EQ(npu.of(0).chunks, 1);
  RunFirstChunk(&npu);
  EXPECT_EQ(npu.of(0).chunks, 2);
  EXPECT_EQ(npu.of(0).queued, NanoSeconds(410));
  for (std::uint32_t number = 0; number < 4; ++number) npu.Receive(1, number, 500 + 100 * number);
  npu.Act();
  EXPECT_EQ(npu.of(1).queued, Time{}) << "the lane is free";
}

}  // namespace
}  // namespace heddle::testing
