// SPDX-License-Identifier: GPL-2.0-only
/// SimAI 1.7's latency of a message before it starts, by algorithm, protocol and kind of link.
#pragma once

#include "collectives/choice/nccl_latency.h"
#include "collectives/schedule/collective_spec.h"
#include "core/base/units.h"

namespace heddle {

/// Source: the table in SimAI 1.7's documentation, where AS_SEND_LAT is not set. It distinguishes
/// servers, not links: kPci counts as kNvLink. Messages without a protocol have the latencies of
/// Simple, those of AllToAll and of point to point the ring's. What the table has not takes 6 us.
Time SimaiLatency(PathKind path, Algorithm algorithm, Protocol protocol);
/// Returns the least latency of the table.
Time LeastSimaiLatency();

}  // namespace heddle
