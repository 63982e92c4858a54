// SPDX-License-Identifier: GPL-2.0-only
/// Fixed-point numbers of fluids, so that all machines compute the same bits.
///
/// A rate counts 2^-44 byte/ps (about 0.45 bit/s), a volume 2^-10 byte, a weight 2^-16. Rates are
/// rounded down, times to the end of a volume up: no link is overbooked, nothing arrives too early.
#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace heddle {

/// [2^-44 byte/ps]. The fastest link of a graph, 10^15 bit/s, has 2^51.
using FluidRate = std::int64_t;
/// [2^-10 byte].
using FluidVolume = std::int64_t;
/// Share of a flow's rate that a link carries, in (0, kWholeWeight].
using FluidWeight = std::uint32_t;

constexpr int kRateBits = 44, kVolumeBits = 10, kWeightBits = 16;
constexpr FluidWeight kWholeWeight = 1U << kWeightBits;
/// No limit of a flow's rate.
constexpr FluidRate kNoLimit = std::int64_t{1} << 60;

__extension__ using WideUnsigned = unsigned __int128;

/// Of a link; one byte/ps is 8 * 10^12 bit/s. Requires rate > 0.
constexpr FluidRate FluidRateOf(BitRate rate) {
  return static_cast<FluidRate>((static_cast<WideUnsigned>(rate.bps) << kRateBits) /
                                8'000'000'000'000U);
}
/// `bytes` < 2^52.
constexpr FluidVolume FluidVolumeOf(std::int64_t bytes) { return bytes << kVolumeBits; }
/// What flows in `time` >= 0 at this rate, rounded down.
constexpr FluidVolume FlowsIn(FluidRate rate, Time time) {
  return static_cast<FluidVolume>(static_cast<WideUnsigned>(rate) *
                                      static_cast<std::uint64_t>(time.ps) >>
                                  (kRateBits - kVolumeBits));
}
/// Least time in which `volume` flows at this rate > 0; Time::Max() if that is longer than any run.
constexpr Time TimeOfVolume(FluidVolume volume, FluidRate rate) {
  const WideUnsigned wide = static_cast<WideUnsigned>(volume) << (kRateBits - kVolumeBits);
  const auto divisor = static_cast<std::uint64_t>(rate);
  const WideUnsigned time = (wide + (divisor - 1)) / divisor;
  return time < static_cast<WideUnsigned>(Time::Max().ps) ? Time{static_cast<std::int64_t>(time)}
                                                          : Time::Max();
}
/// The rate at which `volume` >= 0 flows in `time` > 0, rounded down.
constexpr FluidRate RateOfVolume(FluidVolume volume, Time time) {
  return static_cast<FluidRate>((static_cast<WideUnsigned>(volume) << (kRateBits - kVolumeBits)) /
                                static_cast<std::uint64_t>(time.ps));
}
/// What a link carries of a flow of this rate, rounded up.
constexpr FluidRate PartOf(FluidRate rate, FluidWeight weight) {
  if (weight == kWholeWeight) return rate;
  return static_cast<FluidRate>((static_cast<WideUnsigned>(rate) * weight + (kWholeWeight - 1)) >>
                                kWeightBits);
}
/// The equal rate of flows whose weights sum up to `weights` > 0 and that share `rate`, rounded
/// down.
constexpr FluidRate LevelOf(FluidRate rate, std::uint64_t weights) {
  constexpr FluidRate kNarrow = std::int64_t{1} << (63 - kWeightBits);
  if (rate < kNarrow)
    return static_cast<FluidRate>((static_cast<std::uint64_t>(rate) << kWeightBits) / weights);
  return static_cast<FluidRate>((static_cast<WideUnsigned>(rate) << kWeightBits) / weights);
}

}  // namespace heddle
