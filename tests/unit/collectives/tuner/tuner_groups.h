// SPDX-License-Identifier: GPL-2.0-only
/// Groups for tests of NCCL's tuner.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/tuner/tuner_group.h"

namespace heddle::testing {

/// Of figures by hand: microseconds and GB/s.
inline constexpr double kExact = 1e-9;

/// `servers` of `gpus` GPUs each.
inline TunerGroup Servers(std::uint32_t servers, std::uint32_t gpus,
                          const std::string& gpu_type = "H100") {
  return TunerGroupOf(GroupShape(servers * gpus, gpus), gpu_type);
}

}  // namespace heddle::testing
