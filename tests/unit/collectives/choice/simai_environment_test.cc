// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/simai_environment.h"

#include <gtest/gtest.h>

#include "collectives/choice/collective_options.h"
#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

class SimaiEnvironment : public ::testing::Test {
 protected:
  SimaiEnvironment() {
    options_.Declare(&set_);
    set_.Add(
        {"flow.send_latency", "AS_SEND_LAT", "stands for the transport's option", "us", "test"},
        &options_.send_latency, Time{0}, MicroSeconds(100), "us");
  }
  void Apply(const Environment& environment) {
    ApplyEnvironment(SimaiVariables(), environment, &set_, &echo_, &warnings_);
  }
  std::string ErrorOf(const std::string& name, const std::string& value) {
    try {
      Apply({{name, value}});
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  OptionSet set_;
  CollectiveOptions options_;
  std::vector<std::string> echo_, warnings_;
};

TEST_F(SimaiEnvironment, SetsOptions) {
  Apply({{"AS_SEND_LAT", "3"}, {"AS_NVLS_ENABLE", "1"}, {"AS_PXN_ENABLE", "1"}});
  EXPECT_EQ(options_.send_latency.ps, MicroSeconds(3).ps);
  EXPECT_TRUE(options_.nvls);
  EXPECT_TRUE(options_.pxn);
  for (const char* key : {"flow.send_latency", "collective.nvls", "collective.pxn"})
    EXPECT_TRUE(set_.FindByName(key).at(0)->set_by_user) << key;
  EXPECT_FALSE(set_.FindByName("collective.protocol").at(0)->set_by_user);
  EXPECT_EQ(echo_,
            (std::vector<std::string>{"AS_SEND_LAT=3", "AS_NVLS_ENABLE=1", "AS_PXN_ENABLE=1"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SimaiEnvironment, ListsWhatHasNoEffectWithTheReason) {
  for (const char* name : {"AS_NVLSTREE_ENABLE", "AS_LOG_LEVEL", "AS_GPU_TYPE", "AS_NV_CHANNELS",
                           "AS_RING_CHANNELS", "AS_NET_BW", "AS_SIM_THREADS"}) {
    echo_.clear();
    Apply({{name, "1"}});
    ASSERT_EQ(echo_.size(), 1U) << name;
    EXPECT_EQ(echo_[0].find(std::string(name) + "=1: not used ("), 0U) << echo_[0];
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SimaiEnvironment, WarnsOfUnknownNamesOnly) {
  Apply({{"AS_SENDLAT", "3"}, {"AS_HOME", "/opt"}, {"HOME", "/root"}, {"ASSET", "1"}});
  ASSERT_EQ(warnings_.size(), 2U);
  EXPECT_NE(warnings_[0].find("the nearest is AS_SEND_LAT"), std::string::npos) << warnings_[0];
  EXPECT_TRUE(echo_.empty());
}

TEST_F(SimaiEnvironment, RefusesBadValuesByName) {
  EXPECT_NE(ErrorOf("AS_SEND_LAT", "fast").find("environment variable AS_SEND_LAT"),
            std::string::npos);
  EXPECT_NE(ErrorOf("AS_SEND_LAT", "6000").find("AS_SEND_LAT"), std::string::npos);
  EXPECT_NE(ErrorOf("AS_NVLS_ENABLE", "yes").find("environment variable AS_NVLS_ENABLE"),
            std::string::npos);
  EXPECT_NE(ErrorOf("AS_PXN_ENABLE", "").find("environment variable AS_PXN_ENABLE"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
