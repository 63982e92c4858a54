// SPDX-License-Identifier: GPL-2.0-only
/// The symbolic execution of schedules must detect errors.
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

#include <gtest/gtest.h>

#include "collectives/algorithms/ring_schedule.h"

namespace heddle {
namespace {

enum class Defect {
  kNone,
  kDrops,
  kRepeats,
  kMisroutes,
  kForgetsToAdd,
  kLosesAByte,
  kHidesFromTheList,
  kMiscounts,
  kStartsEarly
};

/// A ring's schedule with one mistake.
class Wrong final : public Schedule {
 public:
  Wrong(const Schedule& right, Defect defect) : right_(right), defect_(defect) {}

  std::uint64_t flow_count() const override {
    return right_.flow_count() - (defect_ == Defect::kHidesFromTheList ? 1 : 0);
  }
  std::uint32_t channels() const override { return right_.channels(); }
  std::uint32_t chunk_count() const override { return right_.chunk_count(); }
  FlowCounts CountsOf(Participant p) const override {
    FlowCounts counts = right_.CountsOf(p);
    if (defect_ == Defect::kMiscounts && p == 1) ++counts.receives;
    return counts;
  }
  void Begin(Participant p, std::vector<GroupFlow>* out) const override {
    right_.Begin(p, out);
    if (defect_ == Defect::kRepeats && p == 1) out->push_back(out->back());
    Spoil(out, 0);
  }
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override {
    const std::size_t before = children->size();
    right_.After(arrived, children);
    if (defect_ == Defect::kDrops && IsTheOne(arrived)) children->resize(before);
    Spoil(children, before);
  }
  std::uint32_t ParentCount(const GroupFlow& flow) const override {
    return defect_ == Defect::kStartsEarly && IsTheOne(flow) ? 0 : right_.ParentCount(flow);
  }
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override {
    if (defect_ == Defect::kStartsEarly && IsTheOne(flow)) return;
    right_.Parents(flow, parents);
    Spoil(parents, 0);
  }
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override {
    right_.ForEach([&](const GroupFlow& flow) {
      std::vector<GroupFlow> one = {flow};
      Spoil(&one, 0);
      if (defect_ != Defect::kHidesFromTheList || !IsTheOne(flow)) visit(one[0]);
    });
  }
  std::size_t memory() const override { return 0; }

 private:
  static bool IsTheOne(const GroupFlow& flow) {
    return flow.chunk == 1 && flow.channel == 0 && flow.source == 2;
  }
  void Spoil(std::vector<GroupFlow>* flows, std::size_t from) const {
    for (std::size_t i = from; i < flows->size(); ++i) {
      GroupFlow& flow = (*flows)[i];
      if (!IsTheOne(flow)) continue;
      if (defect_ == Defect::kMisroutes) flow.destination = (flow.destination + 1) % 4;
      if (defect_ == Defect::kForgetsToAdd) flow.reduces = false;
      if (defect_ == Defect::kLosesAByte) --flow.bytes;
    }
  }

  const Schedule& right_;
  Defect defect_;
};

std::vector<std::string> FaultsOf(Defect defect) {
  CollectiveSpec spec;
  spec.bytes = 160;
  const GroupShape shape(4, 4);
  const RingSchedule right(spec, shape, false);
  return FindFaults(Wrong(right, defect), spec, shape, 3);
}

TEST(SymbolicCollective, FindsNothingWrongWithARing) {
  EXPECT_TRUE(FaultsOf(Defect::kNone).empty());
}

TEST(SymbolicCollective, FindsEveryDefect) {
  for (const Defect defect :
       {Defect::kDrops, Defect::kRepeats, Defect::kMisroutes, Defect::kForgetsToAdd,
        Defect::kLosesAByte, Defect::kHidesFromTheList, Defect::kMiscounts, Defect::kStartsEarly}) {
    EXPECT_FALSE(FaultsOf(defect).empty()) << "defect " << static_cast<int>(defect);
  }
}

/// Tests schedules with a correct structure, whose errors are only in the data.
TEST(SymbolicCollective, SeesThatDataAreNotWhatTheOperationPromises) {
  EXPECT_NE(FaultsOf(Defect::kForgetsToAdd).at(0).find("expected {0 1 2 3}"), std::string::npos)
      << FaultsOf(Defect::kForgetsToAdd)[0];
  CollectiveSpec spec;
  spec.operation = Operation::kAllGather;
  spec.bytes = 64;
  const GroupShape shape(4, 2);
  const RingSchedule gather(spec, shape, false);
  for (const Operation other :
       {Operation::kAllReduce, Operation::kReduceScatter, Operation::kBroadcast, Operation::kReduce,
        Operation::kAllToAll, Operation::kSendRecv}) {
    spec.operation = other;
    EXPECT_FALSE(FindFaults(gather, spec, shape, 0).empty()) << ToText(other);
  }
}

}  // namespace
}  // namespace heddle
