// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_ticks.h"

namespace heddle {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr SimaiTicks kHighestBit = SimaiTicks{1} << 63;

/// As the instruction for numbers with a sign does it: what does not fit is the lowest number.
SimaiTicks SignedTicks(double nanoseconds) {
  if (nanoseconds >= -kTwoTo63 && nanoseconds < kTwoTo63)
    return static_cast<SimaiTicks>(static_cast<std::int64_t>(nanoseconds));
  return kHighestBit;
}

}  // namespace

SimaiTicks TicksOf(double nanoseconds) {
  if (nanoseconds >= kTwoTo63) return SignedTicks(nanoseconds - kTwoTo63) ^ kHighestBit;
  return SignedTicks(nanoseconds);
}

SimaiTicks ScaledTicks(SimaiTicks ticks, float factor) {
  const float product = static_cast<float>(ticks) * factor;
  return TicksOf(static_cast<double>(product));
}

}  // namespace heddle
