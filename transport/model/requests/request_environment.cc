// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/request_environment.h"

#include <algorithm>

#include "transport/model/requests/request_options.h"

namespace heddle {
namespace {

using Settings = std::vector<OptionSetting>;

const char* const kSplit = "NCCL_IB_SPLIT_DATA_ON_QPS";
const char* const kEnable = "NCCL_IB_QP_SCHED_ENABLE";

bool IsOn(const std::string& value) {
  if (value != "0" && value != "1") throw UserError("Expected: 0 (off) or 1 (on)");
  return value == "1";
}

/// Whether the other variable says so; its own translation refuses what is neither 0 nor 1.
bool Says(const Environment& given, const char* name) {
  return std::find(given.begin(), given.end(), Environment::value_type(name, "1")) != given.end();
}

Settings JoinSplit(const std::string& value, const Environment& given) {
  return {{"requests.scheduler", SchedulerFor(IsOn(value), Says(given, kEnable))}};
}

Settings JoinEnable(const std::string& value, const Environment& given) {
  if (!IsOn(value)) return {};
  return {{"requests.scheduler", SchedulerFor(Says(given, kSplit), true)}};
}

Settings TranslateWrr(const std::string& value) {
  return {{"cast.wrr", IsOn(value) ? "true" : "false"}};
}

}  // namespace

EnvironmentFamily RequestVariables() {
  EnvironmentFamily family;
  family.owner = "NCCL";
  family.order = EnvironmentFamily::Order::kOfTable;
  const auto joint = [](const char* name,
                        Settings (*join)(const std::string&, const Environment&)) {
    EnvironmentVariable variable;
    variable.name = name;
    variable.keys = {"requests.scheduler"};
    variable.join = join;
    return variable;
  };
  family.variables = {{"NCCL_IB_QPS_PER_CONNECTION", {"nic.qps_per_connection"}},
                      joint(kSplit, JoinSplit),
                      joint(kEnable, JoinEnable),
                      {"NCCL_IB_QP_SCHED_WEIGHT", {"cast.weight"}},
                      {"NCCL_IB_QP_SCHED_RESET_INTERVAL", {"cast.reset_interval"}},
                      {"NCCL_IB_QP_SCHED_UPDATE_INTERVAL", {"cast.update_interval"}},
                      {"NCCL_IB_QP_SCHED_SPLIT_DATA_MIN", {"cast.split_min"}},
                      {"NCCL_IB_QP_SCHED_WRR_ENABLE", {"cast.wrr"}, TranslateWrr}};
  return family;
}

}  // namespace heddle
