// SPDX-License-Identifier: GPL-2.0-only
/// The time that a packet needs on a link, from its first to its last bit.
#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace heddle {

/// Rounded up to picoseconds; with `truncate_ns` as in SimAI: floor(bytes * 8e9 / rate) ns.
/// Requires rate > 0.
inline Time WireTimeAt(BitRate rate, std::int64_t bytes, bool truncate_ns) {
  if (!truncate_ns) return TransmissionTime(Bytes{bytes}, rate);
  return NanoSeconds(bytes * 8'000'000'000 / rate.bps);
}

}  // namespace heddle
