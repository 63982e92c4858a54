// SPDX-License-Identifier: GPL-2.0-only
/// Buffers of two ports for tests of their rules.
#pragma once

#include <cstdint>

#include "transport/model/switch/shared_buffer.h"

namespace heddle {

constexpr std::int64_t kMiB = 1 << 20;
constexpr BitRate k100G{100'000'000'000};
constexpr BitRate k200G{200'000'000'000};
constexpr BitRate k400G{400'000'000'000};

/// A buffer of two ports of 100 Gbps; with a delay of 1 us each has 12,500 bytes of bandwidth-delay
/// product.
inline SharedBuffer TwoPorts(const BufferOptions& options, Time delay = MicroSeconds(1)) {
  return {options, {{k100G, delay}, {k100G, delay}}, k100G, "switch 12"};
}

/// 1 MiB whose pool is `pool` bytes: headroom 0, the rest is the reserve of two ports.
inline BufferOptions WithPool(std::int64_t pool, std::int64_t shift) {
  BufferOptions options;
  options.buffer_mib = 1;
  options.headroom_factor = 0;
  options.reserve = (kMiB - pool) / 2;
  options.threshold_shift = shift;
  return options;
}

}  // namespace heddle
