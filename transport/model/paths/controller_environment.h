// SPDX-License-Identifier: GPL-2.0-only
/// The central controller's environment variables (the ECMP controller's specification, section
/// 5.4).
#pragma once

#include "core/options/environment_variables.h"

namespace heddle {

/// Returns the variables CC_ENABLE and CC_LOG_FILE. An empty value counts as not set.
EnvironmentFamily ControllerVariables();

}  // namespace heddle
