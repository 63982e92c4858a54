// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/nic_options.h"

#include <gtest/gtest.h>

#include <string>

#include "core/options/options.h"

namespace heddle {
namespace {

struct Declared {
  NicOptions options;
  OptionSet set;
  Declared() { options.Declare(&set); }
};

std::string ErrorOf(const std::string& key, const std::string& value) {
  Declared nic;
  try {
    nic.set.Set(key, value);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string WeightsText(const Declared& nic) {
  for (const Option& option : nic.set.options()) {
    if (option.key == "nic.weights") return option.get();
  }
  return "";
}

TEST(NicOptions, Defaults) {
  const Declared nic;
  EXPECT_EQ(nic.options.qps_per_connection, 1);
  EXPECT_FALSE(nic.options.ack_high_priority);
  EXPECT_EQ(WeightsText(nic), "1 1 1 1 1 1 1 1");
}

TEST(NicOptions, EveryKeyChangesItsField) {
  Declared nic;
  nic.set.Set("_QPS_PER_CONNECTION_", "4");
  nic.set.Set("ACK_HIGH_PRIO", "1");
  nic.set.Set("nic.weights", "  1 2 3  4 5 6 7 1000\t");
  EXPECT_EQ(nic.options.qps_per_connection, 4);
  EXPECT_TRUE(nic.options.ack_high_priority);
  EXPECT_EQ(nic.options.weights[3], 4);
  EXPECT_EQ(nic.options.weights[7], 1000);
  EXPECT_EQ(WeightsText(nic), "1 2 3 4 5 6 7 1000");
}

TEST(NicOptions, RangesAreChecked) {
  EXPECT_NE(ErrorOf("nic.qps_per_connection", "0"), "");
  EXPECT_NE(ErrorOf("nic.qps_per_connection", "1025"), "");
  EXPECT_NE(ErrorOf("nic.weights", "1 1 1 1 1 1 1").find("here are 7"), std::string::npos);
  EXPECT_NE(ErrorOf("nic.weights", "1 1 1 1 1 1 1 1 1").find("here are 9"), std::string::npos);
  EXPECT_NE(ErrorOf("nic.weights", "").find("here are 0"), std::string::npos);
  EXPECT_NE(ErrorOf("nic.weights", "1 1 1 1 1 1 1 0").find("'0' is none"), std::string::npos);
  EXPECT_NE(ErrorOf("nic.weights", "1 1 1 1 1 1 1 1001").find("'1001' is none"), std::string::npos);
  EXPECT_NE(ErrorOf("nic.weights", "1 1 1 1 1 1 1 -1").find("'-1' is none"), std::string::npos);
  EXPECT_NE(ErrorOf("nic.weights", "1,1,1,1,1,1,1,1").find("is none"), std::string::npos);
}

TEST(NicOptions, ARefusedTextLeavesTheOldWeights) {
  Declared nic;
  EXPECT_THROW(nic.set.Set("nic.weights", "9 9 9 9 9 9 9 x"), UserError);
  EXPECT_EQ(WeightsText(nic), "1 1 1 1 1 1 1 1");
}

}  // namespace
}  // namespace heddle
