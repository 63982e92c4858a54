// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/request_options.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/options/options.h"

namespace heddle {
namespace {

struct Declared {
  RequestOptions options;
  OptionSet set;
  Declared() { options.Declare(&set); }
};

std::string ErrorOf(const std::string& key, const std::string& value) {
  Declared requests;
  try {
    requests.set.Set(key, value);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(RequestOptions, DefaultsAreTheSeeds) {
  const Declared requests;
  const RequestOptions& options = requests.options;
  EXPECT_EQ(options.scheduler, "message");
  EXPECT_EQ(options.size, 524'288);
  EXPECT_EQ(options.send_recv_size, 131'072);
  EXPECT_EQ(options.in_flight, 8);
  EXPECT_EQ(options.reset_interval, MicroSeconds(60'000'000));
  EXPECT_EQ(options.update_interval, MicroSeconds(50));
  EXPECT_EQ(options.weight, 0);
  EXPECT_EQ(options.split_min, 65'536);
  EXPECT_FALSE(options.wrr);
  EXPECT_EQ(options.tokens, 100);
  EXPECT_EQ(options.polling.interval, MicroSeconds(1));
  EXPECT_EQ(options.polling.jitter, PollingOptions::Jitter::kNone);
}

/// The units of NCCL's variables: ms, us, none, bytes, a switch.
TEST(RequestOptions, TakesTheValuesOfNcclsVariables) {
  Declared requests;
  const std::map<std::string, std::string> values = {{"NCCL_IB_QP_SCHED_RESET_INTERVAL", "1500"},
                                                     {"NCCL_IB_QP_SCHED_UPDATE_INTERVAL", "70"},
                                                     {"NCCL_IB_QP_SCHED_WEIGHT", "0.1"},
                                                     {"NCCL_IB_QP_SCHED_SPLIT_DATA_MIN", "32768"},
                                                     {"NCCL_IB_QP_SCHED_WRR_ENABLE", "1"}};
  for (const auto& [name, value] : values) {
    const auto found = requests.set.FindByName(name);
    ASSERT_EQ(found.size(), 1U) << name;
    requests.set.Set(found[0]->key, value);
  }
  EXPECT_EQ(requests.options.reset_interval, MicroSeconds(1'500'000));
  EXPECT_EQ(requests.options.update_interval, MicroSeconds(70));
  EXPECT_EQ(requests.options.weight, 0.1);
  EXPECT_EQ(requests.options.split_min, 32'768);
  EXPECT_TRUE(requests.options.wrr);
  for (const char* name : {"NCCL_IB_QP_SCHED_ENABLE", "NCCL_IB_SPLIT_DATA_ON_QPS"}) {
    ASSERT_EQ(requests.set.FindByName(name).size(), 1U) << name;
    EXPECT_EQ(requests.set.FindByName(name)[0]->key, "requests.scheduler");
  }
}

TEST(RequestOptions, SchedulerFollowsFromTwoVariables) {
  EXPECT_STREQ(SchedulerFor(false, false), "round-robin");
  EXPECT_STREQ(SchedulerFor(true, false), "stripe");
  EXPECT_STREQ(SchedulerFor(false, true), "cast-wrr");
  EXPECT_STREQ(SchedulerFor(true, true), "cast-stripe");
  for (const bool split : {false, true}) {
    for (const bool enable : {false, true})
      EXPECT_EQ(ErrorOf("requests.scheduler", SchedulerFor(split, enable)), "");
  }
}

/// Each key has a field of its own.
TEST(RequestOptions, EveryKeyChangesOneValue) {
  const std::map<std::string, std::string> values = {{"requests.scheduler", "stripe"},
                                                     {"requests.size", "1MiB"},
                                                     {"requests.send_recv_size", "1"},
                                                     {"requests.in_flight", "16"},
                                                     {"requests.stripe_start", "next"},
                                                     {"cast.estimator", "tcp"},
                                                     {"cast.weight", "0.5"},
                                                     {"cast.metric", "paper"},
                                                     {"cast.metric_floor", "2us"},
                                                     {"cast.weights", "inverse"},
                                                     {"cast.reset_interval", "0ms"},
                                                     {"cast.update_interval", "1us"},
                                                     {"cast.split_min", "1KiB"},
                                                     {"cast.wrr", "true"},
                                                     {"cast.tokens", "10"},
                                                     {"cast.token_update", "keep"},
                                                     {"cast.probe", "false"},
                                                     {"cast.poll_interval", "2us"},
                                                     {"cast.poll_jitter", "uniform"},
                                                     {"cast.poll_jitter_time", "3us"}};
  std::set<std::string> declared;
  const Declared usual;
  for (const Option& option : usual.set.options()) declared.insert(option.key);
  EXPECT_EQ(declared.size(), values.size());
  for (const auto& [key, value] : values) {
    EXPECT_EQ(declared.count(key), 1U) << key;
    Declared requests;
    requests.set.Set(key, value);
    for (std::size_t i = 0; i < usual.set.options().size(); ++i) {
      const Option& option = requests.set.options()[i];
      EXPECT_EQ(option.get() == usual.set.options()[i].get(), option.key != key)
          << key << ", " << option.key;
    }
  }
}

TEST(RequestOptions, RangesAreChecked) {
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"requests.scheduler", "cast"},
                                          {"requests.size", "0"},
                                          {"requests.in_flight", "0"},
                                          {"cast.estimator", "ewma"},
                                          {"cast.weight", "1.01"},
                                          {"cast.metric", "raw"},
                                          {"cast.metric_floor", "0us"},
                                          {"cast.update_interval", "0.9us"},
                                          {"cast.reset_interval", "100000001"},
                                          {"cast.split_min", "-1"},
                                          {"cast.tokens", "0"},
                                          {"cast.token_update", "mix"},
                                          {"cast.poll_jitter", "normal"},
                                          {"cast.poll_interval", "1.1s"},
                                          {"requests.send_recv_size", "1025MiB"},
                                          {"requests.stripe_start", "any"}}) {
    EXPECT_NE(ErrorOf(key, value).find(key), std::string::npos) << key;
  }
  EXPECT_NE(ErrorOf("cast.update_interval", "60.1s"), "");
  EXPECT_EQ(ErrorOf("cast.update_interval", "60s"), "");
  EXPECT_NE(ErrorOf("cast.weight", "-0.1"), "");
}

}  // namespace
}  // namespace heddle
