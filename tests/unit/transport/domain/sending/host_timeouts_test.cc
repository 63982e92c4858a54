// SPDX-License-Identifier: GPL-2.0-only
/// HostTimeouts over the state of a domain that does nothing by itself, with GPUs 0 to 2.
#include "transport/domain/sending/host_timeouts.h"

#include <gtest/gtest.h>

#include <boost/serialization/vector.hpp>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

class HostTimeoutsTest : public ::testing::Test {
 protected:
  HostTimeoutsTest() {
    for (int gpu = 0; gpu < 3; ++gpu) timeouts_.AddHost();
  }
  void Arm(std::uint32_t node, std::int64_t us) { timeouts_.Arm(state_, node, MicroSeconds(us)); }
  bool IsPending(std::uint32_t node, std::int64_t us) const {
    return timeouts_.IsPending(fabric_.node(node).host, MicroSeconds(us));
  }
  /// Node and microsecond of all events, first first.
  std::vector<std::pair<std::uint32_t, std::int64_t>> Events() {
    std::vector<std::pair<std::uint32_t, std::int64_t>> all;
    for (const Event& event : fabric_.state().queue().Sorted())
      all.emplace_back(event.argument, event.time.ps / 1'000'000);
    return all;
  }

  testing::OneDomain fabric_{testing::LeafSpine{1, 3, 0}.Build()};
  DomainState& state_ = fabric_.state();
  HostTimeouts timeouts_;
};

TEST_F(HostTimeoutsTest, OnlyAnEarlierDeadlineMakesAnEvent) {
  Arm(0, 50);
  Arm(0, 60);
  Arm(0, 50);
  EXPECT_TRUE(IsPending(0, 50));
  Arm(0, 40);
  EXPECT_FALSE(IsPending(0, 50));  // overtaken
  EXPECT_TRUE(IsPending(0, 40));
  using Pairs = std::vector<std::pair<std::uint32_t, std::int64_t>>;
  EXPECT_EQ(Events(), (Pairs{{0, 40}, {0, 50}}));
}

TEST_F(HostTimeoutsTest, EachHostHasItsOwn) {
  Arm(0, 50);
  Arm(2, 70);
  EXPECT_TRUE(IsPending(0, 50));
  EXPECT_TRUE(IsPending(2, 70));
  EXPECT_FALSE(IsPending(1, 50));
}

TEST_F(HostTimeoutsTest, AfterItsEventTheHostIsArmedAgain) {
  Arm(1, 50);
  timeouts_.Clear(fabric_.node(1).host);
  EXPECT_FALSE(IsPending(1, 50));
  Arm(1, 90);
  EXPECT_TRUE(IsPending(1, 90));
}

TEST_F(HostTimeoutsTest, StateOfOtherHostsIsRefused) {
  StateWriter writer;
  writer << timeouts_;
  timeouts_.AddHost();
  StateReader reader(writer.bytes());
  EXPECT_THROW(reader >> timeouts_, UserError);
}

}  // namespace
}  // namespace heddle
