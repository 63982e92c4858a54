// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_table/run_keys.h"

namespace heddle {
namespace {

const std::string kPlanPrefix = "plan.", kDeploymentPrefix = "deployment.";

struct RunKey {
  const char* key;
  const char* flag;
  bool file;
};
constexpr RunKey kRunKeys[] = {{"topology", "-n", true},
                               {"workload", "-w", true},
                               {"trace", "--trace", true},
                               {"flows", "--flows", true},
                               {"goal", "--goal", true},
                               {"chakra", "--chakra", true},
                               {"nccl_log", "--nccl-log", true},
                               {"chakra_groups", "--chakra-groups", true},
                               {"start_unit", "--start-unit", false},
                               {"conf", "-c", true},
                               {"failures", "--failures", true},
                               {"tables", "--tables", true},
                               {"routing", "--routing", false},
                               {"collective", "", false},
                               {"size", "", false},
                               {"passes", "--passes", false},
                               {"seed", "--seed", false},
                               {"backend", "--backend", false},
                               {"record", "--record", false},
                               {"partition", "--partition", false},
                               {"grain", "--grain", false},
                               {"flush", "--flush", false},
                               {"serve.deployment", "--serve", true},
                               {"serve.requests", "--requests", false},
                               {"serve.rate", "--rate", false},
                               {"serve.rate_scale", "--rate-scale", false},
                               {"serve.first", "--first", false},
                               {"serve.spread", "--spread", false},
                               {"serve.slo", "--slo", false}};

const RunKey* FindRunKey(const std::string& key) {
  for (const RunKey& known : kRunKeys) {
    if (key == known.key) return &known;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string>& SweepRunKeys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> names;
    for (const RunKey& known : kRunKeys) names.emplace_back(known.key);
    return names;
  }();
  return keys;
}

bool IsPlanKey(const std::string& key) { return key.rfind(kPlanPrefix, 0) == 0; }

std::string PlanKey(const std::string& key) { return key.substr(kPlanPrefix.size()); }

bool IsDeploymentKey(const std::string& key) { return key.rfind(kDeploymentPrefix, 0) == 0; }

std::string DeploymentKey(const std::string& key) { return key.substr(kDeploymentPrefix.size()); }

bool IsRunKey(const std::string& key) {
  return FindRunKey(key) != nullptr || IsPlanKey(key) || IsDeploymentKey(key);
}

std::string FlagOfRunKey(const std::string& key) {
  const RunKey* known = FindRunKey(key);
  return known == nullptr ? "" : known->flag;
}

bool NamesFile(const std::string& key) {
  const RunKey* known = FindRunKey(key);
  return known != nullptr && known->file;
}

}  // namespace heddle
