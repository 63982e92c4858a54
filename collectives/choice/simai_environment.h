// SPDX-License-Identifier: GPL-2.0-only
/// SimAI's environment variables (its entry.h, MockNcclGroup.cc and MockNcclLog.h, and variables
/// that only the description of SimAI's communication stack lists).
#pragma once

#include "core/options/environment_variables.h"

namespace heddle {

/// AS_SEND_LAT, AS_NVLS_ENABLE and AS_PXN_ENABLE set the options of these names. Variables of SimAI
/// without effect here give a warning with the reason. Other names that begin with AS_ may belong
/// to other programs, and give warnings.
const EnvironmentFamily& SimaiVariables();

}  // namespace heddle
