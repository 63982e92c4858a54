// SPDX-License-Identifier: GPL-2.0-only
/// The names of monitors.
#include "transport/model/record/monitor_options.h"

#include <gtest/gtest.h>

#include "core/options/options.h"

namespace heddle {
namespace {

std::string KindsAfter(const std::string& text) {
  MonitorOptions options;
  OptionSet set;
  options.Declare(&set);
  set.Set("monitor.kinds", text);
  return set.FindByName("monitor.kinds").at(0)->get();
}

TEST(MonitorOptions, KindsAreReadBack) {
  EXPECT_EQ(KindsAfter("none"), "none");
  EXPECT_EQ(KindsAfter("cast,queues"), "queues,cast");
  EXPECT_EQ(KindsAfter("all"), "queues,links,rates,cnps,pfc,cast");
  EXPECT_THROW(KindsAfter("queues,pairs"), UserError);
}

TEST(MonitorOptions, CastHasASecondName) {
  EXPECT_EQ(KindsAfter("queue_pairs"), "cast");
  EXPECT_EQ(KindsAfter("queue_pairs,links"), "links,cast");
}

}  // namespace
}  // namespace heddle
