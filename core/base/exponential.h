// SPDX-License-Identifier: GPL-2.0-only
/// Exponentially distributed numbers that are the same on every machine.
///
/// -log(u) of the C library may differ in its last bit between libraries, which would change
/// results. Here the logarithm is computed with integers: u = x / 2^64 for an odd 64-bit x. The
/// leading bit of x gives the whole part of log2(u); the rest is squared repeatedly, and each
/// squaring yields one more bit of the fraction (Knuth, TAOCP vol. 1, section 1.2.2). The only
/// floating-point operation that rounds is one multiplication, which IEEE 754 defines to the bit
/// and which no compiler can fuse with another.
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace heddle {

/// Bits of the fraction of log2(u). The error of a draw is below 2^-40 of the mean, and a draw fits
/// a double exactly.
inline constexpr int kExponentialBits = 40;

/// Draws an exponential variate of mean 1, in (0, 45). Uses one number of the stream.
inline double DrawExponential(RandomStream* random) {
  const std::uint64_t x = random->Next() | 1;  // odd, so never 0; u is never 0 nor 1
  const int zeros = __builtin_clzll(x);
  std::uint64_t mantissa = x << zeros;  // in [1, 2) if 2^63 is 1
  std::uint64_t fraction = 0;           // of log2(mantissa), in 2^-kExponentialBits
  for (int bit = 0; bit < kExponentialBits; ++bit) {
    const unsigned __int128 square = static_cast<unsigned __int128>(mantissa) * mantissa;
    const bool carries = (square >> 127) != 0;  // the square is 2 or more
    fraction = fraction << 1 | (carries ? 1 : 0);
    mantissa = static_cast<std::uint64_t>(square >> (carries ? 64 : 63));
  }
  const std::uint64_t minus_log2 =
      (static_cast<std::uint64_t>(zeros + 1) << kExponentialBits) - fraction;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  // Multiplication by a power of two does not round.
  return static_cast<double>(minus_log2) * (kLn2 * 0x1p-40);
}

}  // namespace heddle
