// SPDX-License-Identifier: GPL-2.0-only
// A message of a later step does not stand for the one that is awaited, in whatever order they
// come.
#include <gtest/gtest.h>

#include <vector>

#include "collectives/phased/npu_scheduler.h"
#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle::testing {
namespace {

/// NPU 0 of a line with an all-reduce of one chunk, and what it asks for.
class OneLine : private NpuActions {
 public:
  explicit OneLine(const NetworkDimension& line)
      : graph_(ScaleUpFabric({line})),
        planner_(graph_, Options()),
        npu_(&planner_, NodeId(0), this) {
    CollectiveCall call;
    call.operation = Operation::kAllReduce;
    call.bytes = 1 << 20;
    npu_.Begin(call, 1);
    npu_.Act(actions_.at(0), Time());
    actions_.clear();
  }

  void Receive(std::uint32_t source, std::uint32_t number) {
    PhasedName name;
    name.source = source;
    name.number = number;
    npu_.Received(name, NanoSeconds(100));
  }
  void SaveAndLoad() {
    StateWriter writer;
    npu_.Save(&writer);
    StateReader reader(writer.bytes());
    npu_.Load(&reader, [](const CollectiveName&, NodeId) {
      return KnownCall{true, Operation::kAllReduce, 1 << 20, 1};
    });
    npu_.Check(actions_);
    reader.ExpectEnd();
  }
  /// Numbers of the messages that it has sent.
  const std::vector<std::uint32_t>& sent() const { return sent_; }
  /// Whether its phase is to end.
  bool ends() const { return !actions_.empty(); }

 private:
  static const PhasedOptions& Options() {
    static const PhasedOptions kOptions = [] {
      PhasedOptions options;
      options.collectives = PhasedOptions::Form::kBaseline;
      options.splits = 1;
      return options;
    }();
    return kOptions;
  }
  void At(Time, const NpuAction& action) override { actions_.push_back(action); }
  void Post(const FlowPost& post) override { sent_.push_back(post.cookie.As<PhasedName>().number); }
  void Ended(const CollectiveName&, NodeId, Time) override {}
  void Delayed(const CollectiveName&, std::uint32_t, const PhaseDelays&) override {}

  Graph graph_;
  PhasePlanner planner_;
  NpuScheduler npu_;
  std::vector<NpuAction> actions_;
  std::vector<std::uint32_t> sent_;
};

using Numbers = std::vector<std::uint32_t>;

TEST(AwaitedSteps, ARingSendsWhenTheAwaitedMessageHasCome) {
  OneLine ring(Loop(3, 1));
  EXPECT_EQ(ring.sent(), (Numbers{0}));
  ring.Receive(2, 1);
  ring.Receive(2, 2);
  EXPECT_EQ(ring.sent(), (Numbers{0})) << "message 0 has not come";
  ring.SaveAndLoad();
  ring.Receive(2, 0);
  EXPECT_EQ(ring.sent(), (Numbers{0, 1, 2, 3}));
  EXPECT_FALSE(ring.ends());
  ring.Receive(2, 3);
  EXPECT_TRUE(ring.ends());
}

TEST(AwaitedSteps, ASecondRoundDoesNotCompleteTheFirst) {
  OneLine mesh(Mesh(3));
  EXPECT_EQ(mesh.sent(), (Numbers{0, 1}));
  mesh.Receive(1, 1);
  mesh.Receive(1, 3);  // NPU 1 has all of its first round; NPU 2's message to NPU 0 is late
  EXPECT_EQ(mesh.sent(), (Numbers{0, 1})) << "a second round begins without NPU 2's data";
  mesh.Receive(2, 0);
  EXPECT_EQ(mesh.sent(), (Numbers{0, 1, 2, 3}));
  EXPECT_FALSE(mesh.ends());
  mesh.Receive(2, 2);
  EXPECT_TRUE(mesh.ends());
}

TEST(AwaitedSteps, AMessageOfAStepThatIsOverIsNoMessageOfThisPhase) {
  OneLine ring(Loop(3, 1));
  ring.Receive(2, 0);
  EXPECT_THROW(ring.Receive(2, 0), InvariantError);
  EXPECT_THROW(ring.Receive(2, 4), InvariantError);
}

}  // namespace
}  // namespace heddle::testing
