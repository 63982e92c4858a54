// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's latencies by algorithm, protocol and kind of link.
///
/// Source: the description of SimAI's communication stack, section 2.5. An entry of zero means that
/// the table has none. Direct messages have Ring's entries; without a protocol there are none.
#ifndef HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_
#define HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_

#include <cstdint>

#include "collectives/schedule/collective_spec.h"
#include "core/base/units.h"

namespace heddle {

/// What lies between the two ends of a message.
enum class PathKind : std::uint8_t { kNvLink, kPci, kNet };

/// Once, at the start of a collective.
Time BaseLatency(Algorithm algorithm, Protocol protocol);
/// Of every message.
Time HardwareLatency(PathKind path, Algorithm algorithm, Protocol protocol);
/// The smallest hardware latency that the table has.
Time LeastHardwareLatency();

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_NCCL_LATENCY_H_
