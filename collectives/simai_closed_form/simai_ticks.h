// SPDX-License-Identifier: GPL-2.0-only
/// Time as SimAI counts it: whole nanoseconds in 64 bits without a sign, made from floating-point
/// numbers as x86-64 converts them. C++ leaves negative and infinite ones open; SimAI's results
/// show what its processor made of them.
///
/// Source: SimAI 1.6, Common.hh (Tick) and Layer.cc (report).
#pragma once

#include <cstdint>

namespace heddle {

using SimaiTicks = std::uint64_t;  ///< [ns]

/// Returns the number cut down to whole ticks. -x becomes 2^64 - x, no number 2^63, plus infinity
/// and from 2^64 on 0, below -2^63 2^63.
SimaiTicks TicksOf(double nanoseconds);

/// Returns `ticks` times `factor` in single precision, so that 24 significant bits remain.
SimaiTicks ScaledTicks(SimaiTicks ticks, float factor);

/// SimAI's microseconds.
inline double MicrosecondsOf(SimaiTicks ticks) { return static_cast<double>(ticks) / 1000.0; }

}  // namespace heddle
