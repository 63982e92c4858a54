// SPDX-License-Identifier: GPL-2.0-only
/// NVLinks as scale-up links: all links of NVSwitches get a level, under credits instead of PFC.
/// The other links stay Ethernet.
#pragma once

#include "topology/graph/graph.h"
#include "topology/graph/scale_up.h"

namespace heddle {

/// Puts the links on the level. Throws UserError if the fabric has no NVSwitches, or has scale-up
/// links already.
void PutNvLinksOnLevel(const ScaleUpLevel& level, Graph* graph);

}  // namespace heddle
