// SPDX-License-Identifier: GPL-2.0-only
/// Keys of a sweep's table that are no options: they become flags of `heddle run`, or describe its
/// workload.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Returns all of them.
const std::vector<std::string>& SweepRunKeys();
/// Whether a key, such as "plan.tp", replaces one of the plan that is the workload.
bool IsPlanKey(const std::string& key);
/// Returns its name in the plan.
std::string PlanKey(const std::string& key);
/// Whether a key, such as "deployment.pool.0.instances", replaces one of the deployment.
bool IsDeploymentKey(const std::string& key);
/// Returns its name in the deployment.
std::string DeploymentKey(const std::string& key);
/// Whether the key is a run key, a plan's or a deployment's.
bool IsRunKey(const std::string& key);
/// Returns the flag of `heddle run` for a run key; empty for keys that describe a workload.
std::string FlagOfRunKey(const std::string& key);
/// Whether the value of a run key is a file name.
bool NamesFile(const std::string& key);

}  // namespace heddle
