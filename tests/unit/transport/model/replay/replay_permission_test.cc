// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/replay/replay_permission.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/member_count.h"
#include "transport/domain/state/transport_options.h"

namespace heddle {
namespace {

struct Silent {
  bool on = false;
};
struct Permitted {
  static constexpr bool kMayBeReplayed = true;
};
struct Forbidden {
  static constexpr bool kMayBeReplayed = false;
};
struct Asked {
  std::string reason;

  std::string WhyNoReplay() const { return reason; }
};

TEST(ReplayPermission, IsDeniedByOptionsThatDoNotSpeakOfIt) {
  ReplayPermission permission;
  permission.Group("toy", Silent{});
  EXPECT_EQ(permission.reason(), "the options toy do not say that they may be replayed");
  ReplayPermission other;
  other.Group("toy", Forbidden{});
  EXPECT_NE(other.reason(), "");
}

TEST(ReplayPermission, IsGivenByThoseThatSaySo) {
  ReplayPermission permission;
  permission.Plain(1, 2.5);
  permission.Group("permitted", Permitted{});
  permission.Group("asked", Asked{""});
  EXPECT_EQ(permission.reason(), "");
  permission.Group("asked", Asked{"it rains"});
  permission.Group("toy", Silent{});
  EXPECT_EQ(permission.reason(), "it rains") << "the first reason";
}

/// Counts members.
class Counter {
 public:
  std::size_t members = 0;

  template <class... Member>
  void Plain(const Member&... /*members*/) {
    members += sizeof...(Member);
  }
  template <class Options>
  void Group(const char* /*name*/, const Options& /*options*/) {
    ++members;
  }
};

TEST(ReplayPermission, IsAskedOfAllOptionsOfTheTransport) {
  Counter counter;
  TransportOptions().VisitReplay(counter);
  EXPECT_EQ(counter.members, MemberCount<TransportFields>())
      << "hand the new member over in TransportFields::VisitReplay()";
  ReplayPermission permission;
  TransportOptions().VisitReplay(permission);
  EXPECT_EQ(permission.reason(), "");
}

}  // namespace
}  // namespace heddle
