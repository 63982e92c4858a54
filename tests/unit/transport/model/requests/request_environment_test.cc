// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/request_environment.h"

#include <gtest/gtest.h>

#include "core/options/options.h"
#include "transport/model/nic/nic_options.h"
#include "transport/model/requests/request_options.h"

namespace heddle {
namespace {

struct Both {
  RequestOptions requests;
  NicOptions nic;
};

Both Apply(const Environment& environment, std::vector<std::string>* echo = nullptr) {
  Both read;
  OptionSet options;
  read.requests.Declare(&options);
  read.nic.Declare(&options);
  std::vector<std::string> lines, warnings;
  ApplyEnvironment(RequestVariables(), environment, &options, &lines, &warnings);
  if (echo != nullptr) *echo = lines;
  return {read.requests, read.nic};
}

std::string Scheduler(const Environment& environment) {
  return Apply(environment).requests.scheduler;
}

TEST(RequestEnvironment, TwoVariablesChooseTheScheduler) {
  const std::string split = "NCCL_IB_SPLIT_DATA_ON_QPS", enable = "NCCL_IB_QP_SCHED_ENABLE";
  EXPECT_EQ(Scheduler({}), "message");
  EXPECT_EQ(Scheduler({{enable, "0"}}), "message");
  EXPECT_EQ(Scheduler({{split, "0"}}), "round-robin");
  EXPECT_EQ(Scheduler({{split, "1"}}), "stripe");
  EXPECT_EQ(Scheduler({{enable, "1"}}), "cast-wrr");
  EXPECT_EQ(Scheduler({{enable, "0"}, {split, "0"}}), "round-robin");
  EXPECT_EQ(Scheduler({{enable, "0"}, {split, "1"}}), "stripe");
  EXPECT_EQ(Scheduler({{enable, "1"}, {split, "0"}}), "cast-wrr");
  EXPECT_EQ(Scheduler({{enable, "1"}, {split, "1"}}), "cast-stripe");
  EXPECT_EQ(Scheduler({{split, "1"}, {enable, "1"}}), "cast-stripe");
}

TEST(RequestEnvironment, OthersSetOneOptionEach) {
  const Both read = Apply({{"NCCL_IB_QPS_PER_CONNECTION", "8"},
                           {"NCCL_IB_QP_SCHED_WEIGHT", "0.25"},
                           {"NCCL_IB_QP_SCHED_RESET_INTERVAL", "70"},
                           {"NCCL_IB_QP_SCHED_UPDATE_INTERVAL", "90"},
                           {"NCCL_IB_QP_SCHED_SPLIT_DATA_MIN", "4096"},
                           {"NCCL_IB_QP_SCHED_WRR_ENABLE", "1"}});
  EXPECT_EQ(read.nic.qps_per_connection, 8);
  EXPECT_EQ(read.requests.weight, 0.25);
  EXPECT_EQ(read.requests.reset_interval, MicroSeconds(70'000));
  EXPECT_EQ(read.requests.update_interval, MicroSeconds(90));
  EXPECT_EQ(read.requests.split_min, 4096);
  EXPECT_TRUE(read.requests.wrr);
  EXPECT_EQ(read.requests.scheduler, "message");
}

TEST(RequestEnvironment, SaysWhatItDid) {
  std::vector<std::string> echo;
  Apply({{"NCCL_IB_QP_SCHED_ENABLE", "1"}, {"NCCL_IB_SPLIT_DATA_ON_QPS", "1"}}, &echo);
  EXPECT_EQ(echo, (std::vector<std::string>{
                      "NCCL_IB_SPLIT_DATA_ON_QPS=1: requests.scheduler=cast-stripe",
                      "NCCL_IB_QP_SCHED_ENABLE=1: requests.scheduler=cast-stripe"}));
}

TEST(RequestEnvironment, RefusesOtherValues) {
  for (const char* name :
       {"NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_QP_SCHED_ENABLE", "NCCL_IB_QP_SCHED_WRR_ENABLE"}) {
    for (const char* value : {"", "2", "yes"}) {
      try {
        Apply({{name, value}});
        ADD_FAILURE() << name << "=" << value;
      } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()).rfind(std::string("environment variable ") + name, 0),
                  0u);
      }
    }
  }
  EXPECT_THROW(Apply({{"NCCL_IB_QPS_PER_CONNECTION", "0"}}), UserError);
}

}  // namespace
}  // namespace heddle
