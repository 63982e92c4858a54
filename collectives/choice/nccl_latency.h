// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's latencies by algorithm, protocol and kind of link.
///
/// Source: the description of SimAI's communication stack, section 2.5. Zero: none in that table.
/// The entries are in the algorithms' rows (algorithm_table.h); without a protocol there are none.
#ifndef HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_
#define HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_

#include <cstdint>

#include "collectives/schedule/collective_spec.h"
#include "core/base/units.h"

namespace heddle {

/// Kind of link between the two ends of a message.
enum class PathKind : std::uint8_t { kNvLink, kPci, kNet };

/// Latency once at the start of a collective.
Time BaseLatency(Algorithm algorithm, Protocol protocol);
/// Latency of every message.
Time HardwareLatency(PathKind path, Algorithm algorithm, Protocol protocol);
/// Smallest hardware latency in the table.
Time LeastHardwareLatency();

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_
