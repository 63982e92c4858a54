// SPDX-License-Identifier: GPL-2.0-only
// In which order an NPU works on chunks of collectives of several priorities, by hand.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "collectives/phased/npu_scheduler.h"
#include "core/options/enum_words.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle::testing {
namespace {

/// NPU 0 of a ring of three, with one chunk on the ring at a time.
class OneLane : private NpuActions {
 public:
  OneLane(const std::string& order, int threshold)
      : options_(OptionsWith(order, threshold)),
        graph_(ScaleUpFabric({Loop(3, 1)})),
        planner_(graph_, options_),
        npu_(&planner_, NodeId(0), this) {}

  /// An all-reduce of two chunks.
  void Begin(std::uint32_t operation, bool highest) {
    CollectiveCall call;
    call.name.operation = operation;
    call.operation = Operation::kAllReduce;
    call.bytes = 2 << 20;
    call.highest = highest;
    npu_.Begin(call, 1);
    Act();
  }
  /// Receives all messages of the chunk on the ring, again and again. The names of the chunks in
  /// their order: "1.0", chunk 0 of operation 1.
  std::string Run() {
    std::string text;
    while (!started_.empty()) {
      const PhasedName chunk = started_.front();
      started_.erase(started_.begin());
      text += (text.empty() ? "" : " ") + std::to_string(chunk.operation) + "." +
              std::to_string(chunk.chunk);
      for (std::uint32_t number = 0; number < 4; ++number) {
        PhasedName name = chunk;
        name.source = 2;
        name.number = number;
        npu_.Received(name, now_ = now_ + NanoSeconds(100));
      }
      Act();
    }
    return text;
  }

 private:
  static PhasedOptions OptionsWith(const std::string& order, int threshold) {
    PhasedOptions options;
    options.collectives = PhasedOptions::Form::kBaseline;
    options.order = *FindWord<PhasedOptions::Order>(order);
    options.splits = 2;
    options.per_lane = 1;
    options.threshold = threshold;
    options.local_lanes = PhasedOptions::LocalLanes::kAll;
    return options;
  }
  /// The last action that it asked for, at its time.
  void Act() {
    const auto [when, action] = actions_.back();
    actions_.pop_back();
    npu_.Act(action, when);
  }
  void At(Time when, const NpuAction& action) override { actions_.emplace_back(when, action); }
  void Post(const FlowPost& post) override {
    const PhasedName name = post.cookie.As<PhasedName>();
    if (name.number == 0) started_.push_back(name);
  }
  void Ended(const CollectiveName&, NodeId, Time) override {}
  void Delayed(const CollectiveName&, std::uint32_t, const PhaseDelays&) override {}

  PhasedOptions options_;
  Graph graph_;
  PhasePlanner planner_;
  NpuScheduler npu_;
  Time now_;
  std::vector<std::pair<Time, NpuAction>> actions_;
  std::vector<PhasedName> started_;  ///< chunks whose first message has left
};

std::string OrderOfThree(const std::string& order, int threshold, bool highest) {
  OneLane npu(order, threshold);
  npu.Begin(1, false);
  npu.Begin(2, highest);
  npu.Begin(3, false);
  return npu.Run();
}

/// Chunk 0 of the first collective is on the ring already; among chunks of equal priority the last
/// one comes first.
TEST(Priorities, TheHighestComesBeforeNewerAndOlderOnes) {
  for (const int threshold : {64, 1}) {  // chunks wait before the lane, or in the ready list
    EXPECT_EQ(OrderOfThree("fifo", threshold, true), "1.0 2.1 2.0 1.1 3.1 3.0") << threshold;
    EXPECT_EQ(OrderOfThree("lifo", threshold, true), "1.0 2.1 2.0 3.1 3.0 1.1") << threshold;
    EXPECT_EQ(OrderOfThree("fifo", threshold, false), "1.0 1.1 2.1 2.0 3.1 3.0") << threshold;
    EXPECT_EQ(OrderOfThree("lifo", threshold, false), "1.0 3.1 3.0 2.1 2.0 1.1") << threshold;
  }
}

TEST(Priorities, TwoOfTheHighestAreServedAsEquals) {
  OneLane npu("fifo", 64);
  npu.Begin(1, false);
  npu.Begin(2, true);
  npu.Begin(3, true);
  EXPECT_EQ(npu.Run(), "1.0 3.1 3.0 2.1 2.0 1.1");
}

}  // namespace
}  // namespace heddle::testing
