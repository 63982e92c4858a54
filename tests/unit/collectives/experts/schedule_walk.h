// SPDX-License-Identifier: GPL-2.0-only
/// Runs a schedule as the simulator does, in a drawn order of departures and arrivals, and checks
/// what every schedule promises of its messages.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "core/base/random.h"

namespace heddle {

class ScheduleWalk {
 public:
  /// Both must outlive it. `seed`: of the order.
  ScheduleWalk(const Schedule& schedule, const GroupShape& shape, std::uint64_t seed)
      : schedule_(schedule), shape_(shape), random_(seed, 0, RandomPurpose::kExpertChoice) {}

  /// Adds a GoogleTest failure for each promise that is broken.
  void Check() {
    schedule_.ForEach([&](const GroupFlow& flow) {
      EXPECT_TRUE(schedule_.MayHave(flow));
      EXPECT_TRUE(listed_.emplace(NameOf(flow), flow.bytes).second);
    });
    EXPECT_EQ(listed_.size(), schedule_.flow_count());
    for (Participant p = 0; p < shape_.participants(); ++p) Begin(p);
    while (!open_.empty()) {
      const std::size_t at = random_.Below(open_.size());
      const Open next = open_[at];
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
      next.sent ? Arrive(next.flow) : Leave(next.flow);
    }
    EXPECT_EQ(posted_.size(), listed_.size());
    for (const auto& [child, count] : waiting_) EXPECT_EQ(count, 0U);
    for (Participant p = 0; p < shape_.participants(); ++p) {
      EXPECT_EQ(schedule_.CountsOf(p).sends, sends_[p]) << p;
      EXPECT_EQ(schedule_.CountsOf(p).receives, receives_[p]) << p;
    }
  }

 private:
  using Name = std::tuple<Participant, Participant, std::uint32_t, Connection>;
  struct Open {
    GroupFlow flow;
    bool sent = false;
  };

  static Name NameOf(const GroupFlow& flow) {
    return {flow.source, flow.destination, flow.chunk, flow.connection};
  }
  static GroupFlow NamedLike(const GroupFlow& flow) {
    GroupFlow name;
    name.source = flow.source;
    name.destination = flow.destination;
    name.chunk = flow.chunk;
    name.connection = flow.connection;
    return name;
  }

  void Begin(Participant p) {
    std::vector<GroupFlow> flows, earlier;
    schedule_.Begin(p, &flows);
    for (const GroupFlow& flow : flows) {
      EXPECT_EQ(flow.source, p);
      EXPECT_EQ(schedule_.WaitCount(flow), 0U);
      earlier.clear();
      schedule_.Predecessors(NamedLike(flow), &earlier);
      EXPECT_TRUE(earlier.empty());
      Post(flow);
    }
  }

  void Post(const GroupFlow& flow) {
    const auto listed = listed_.find(NameOf(flow));
    ASSERT_TRUE(listed != listed_.end()) << ToText(flow.connection) << flow.chunk;
    EXPECT_EQ(listed->second, flow.bytes);
    EXPECT_TRUE(posted_.insert({NameOf(flow), false}).second);
    ++sends_[flow.source];
    ++receives_[flow.destination];
    open_.push_back({flow, false});
  }

  void Leave(const GroupFlow& flow) {
    open_.push_back({flow, true});
    std::vector<GroupFlow> next, earlier;
    schedule_.AfterSent(NamedLike(flow), &next);
    for (const GroupFlow& later : next) {
      earlier.clear();
      schedule_.Predecessors(NamedLike(later), &earlier);
      ASSERT_EQ(earlier.size(), 1U);
      EXPECT_TRUE(earlier[0].same_as(flow));
      EXPECT_EQ(schedule_.WaitCount(later), 0U);
      Post(later);
    }
  }

  void Arrive(const GroupFlow& flow) {
    std::vector<GroupFlow> children, parents;
    schedule_.After(NamedLike(flow), &children);
    for (const GroupFlow& child : children) {
      EXPECT_EQ(child.source, flow.destination);
      parents.clear();
      schedule_.Parents(NamedLike(child), &parents);
      EXPECT_EQ(parents.size(), schedule_.ParentCount(NamedLike(child)));
      bool is_parent = false;
      for (const GroupFlow& parent : parents) is_parent = is_parent || parent.same_as(flow);
      EXPECT_TRUE(is_parent);
      const auto [left, is_new] = waiting_.try_emplace(NameOf(child), parents.size());
      if (--left->second == 0) Post(child);
    }
  }

  const Schedule& schedule_;
  const GroupShape& shape_;
  RandomStream random_;
  std::map<Name, std::int64_t> listed_;  ///< bytes
  std::map<Name, bool> posted_;
  std::map<Name, std::size_t> waiting_;  ///< parents to come
  std::vector<Open> open_;
  std::map<Participant, std::uint64_t> sends_, receives_;
};

}  // namespace heddle
