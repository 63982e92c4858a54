// SPDX-License-Identifier: GPL-2.0-only
/// How ORCS's programs count messages, where their description says something else: broken paths
/// count, the sums of cables grow with every message, and a message waits for one other at most.
#pragma once

#include <memory>

#include "core/app/studies/orcs/orcs_arguments.h"
#include "topology/load/load_rules.h"

namespace heddle {

std::shared_ptr<const LoadRules> OrcsLoadRules(OrcsVersion version);

}  // namespace heddle
