// SPDX-License-Identifier: GPL-2.0-only
/// What the searches for a fabric's sizes share: divisors, ratios, and where servers stand.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

/// Ports of a switch that can be bought for links of any rate up to 800 Gbps (51.2 Tbit/s), and for
/// links of up to 400 Gbps: Broadcom Tomahawk 5, NVIDIA Spectrum-4 and Quantum-X800.
inline constexpr std::uint32_t kUsualRadix = 64, kRadixAt400G = 128;

/// A number of GPUs and what is fixed about its fabric.
struct SizeWish {
  std::uint32_t gpus = 1, gpus_per_server = 1;
  double ratio = 1;                   ///< wanted: GPU ports per cable, above zero
  std::uint32_t radix = kUsualRadix;  ///< most ports of a switch; trees keep to it
  bool rails = false;                 ///< a leaf has one GPU of each of its servers
};

/// Returns all divisors of `n` > 0, ascending.
std::vector<std::uint32_t> Divisors(std::uint32_t n);

/// Whether a ratio is within 10 % of the wanted one.
bool IsNear(double ratio, double wanted);

/// Whether servers of `gpus_per_server` and switches of `gpus` GPUs in order are even: a switch has
/// whole servers, or a server has whole switches.
bool ServersFit(std::uint32_t gpus_per_server, std::uint32_t gpus);

}  // namespace heddle
