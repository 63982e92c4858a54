// SPDX-License-Identifier: GPL-2.0-only
/// Reader of a deployment (TOML, docs/formats/serving.md): the model, the GPUs, the pools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/serving/deployment.h"

namespace heddle {

/// Reads a deployment. `gpu_type`: of the fabric, where the file names no GPU. `replaced`: texts
/// "KEY=VALUE" in place of keys, such as "pool.0.instances=2". Throws UserError with file and line,
/// or with "--deploy TEXT".
Deployment ReadDeployment(const std::string& path, const std::string& gpu_type,
                          const std::vector<std::string>& replaced = {});
/// Parses the same; `path` is the name in messages.
Deployment ParseDeployment(std::string_view text, const std::string& path,
                           const std::string& gpu_type,
                           const std::vector<std::string>& replaced = {});

}  // namespace heddle
