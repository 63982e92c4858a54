// SPDX-License-Identifier: GPL-2.0-only
/// What a run whose traffic is real makes of its inputs.
#pragma once

#include <cstdint>

#include "core/app/run/setup/run_input.h"

namespace heddle {

/// Checks the inputs, adds passes that warm up, leaves out what GPUs compute if
/// physical.compute=skip, and makes one domain a rank (partition/played_nodes.h): GPUs that no job
/// and no flow has play no part. Throws UserError for what real traffic does not know, before
/// anything is sent.
void SetUpPhysical(std::uint32_t ranks, std::uint32_t gpus_per_rank, RunInput* input);

}  // namespace heddle
