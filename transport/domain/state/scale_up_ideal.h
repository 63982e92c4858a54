// SPDX-License-Identifier: GPL-2.0-only
/// The ideal completion time of a flow on scale-up links: from its start to the arrival of its last
/// byte, if it were alone. Nothing is acknowledged.
#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "core/records/flow_vocabulary.h"
#include "transport/domain/state/fabric_context.h"

namespace heddle {

/// Returns the time store and forward by packet, as IdealTimes does; credits never run out. 0 if
/// there is no path of scale-up links. `lane`: FlowPost::lane.
Time ScaleUpIdealTime(const FabricContext& context, const FlowRecord& flow, std::uint16_t lane);

}  // namespace heddle
