// SPDX-License-Identifier: GPL-2.0-only
/// Models and GPUs of a deployment: those that have a name, and tables that describe others.
#pragma once

#include <string>
#include <vector>

#include "core/serving/deployment.h"
#include "io/toml/toml_library.h"

namespace heddle {

/// Finds a GPU with known peaks; null if it is unknown. Source: data sheets: dense bf16 and fp8,
/// bandwidth and size of the memory.
const ServingGpu* FindServingGpu(const std::string& name);
/// Returns the names of all of them.
std::vector<std::string> ServingGpuNames();

/// Reads [gpu]: teraflops, fp8_teraflops, bandwidth_gbytes, memory_gbytes. Throws UserError.
ServingGpu ReadGpuTable(const toml::table& table, const std::string& file);
/// Reads [model]: the members of ServedModel under their names. Throws UserError, also for shapes
/// that contradict themselves.
ServedModel ReadModelTable(const toml::table& table, const std::string& file);

}  // namespace heddle
