// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/physical/shared_clock.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

namespace heddle {
namespace {

constexpr int kRounds = 100;
/// Time from the agreement on the beginning to it: enough for the agreement to reach all ranks,
/// also where they share cores [ns].
constexpr std::int64_t kLead = 5'000'000;

}  // namespace

std::string DescribeClocks(const ClockQuality& quality) {
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-3; };
  return fmt::format(
      "clocks           agree within {:.1f} us (apart by up to {:.1f} us, drift {:.1f} us)\n",
      us(quality.error), us(quality.offset), us(quality.drift));
}

void SharedClock::Begin(RealClock* clock) {
  before_ = MeasureClockOffset(world_, &RealClock::Nanoseconds, kRounds);
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  const std::int64_t begin =
      world_.Max(world_.is_root() ? RealClock::Nanoseconds() + kLead : kNone);
  clock->BeginAt(begin - before_.offset);
}

ClockQuality SharedClock::End() const {
  const ClockOffset after = MeasureClockOffset(world_, &RealClock::Nanoseconds, kRounds);
  const std::int64_t drift = std::abs(after.offset - before_.offset);
  return {world_.Max(std::abs(before_.offset)), world_.Max(drift),
          world_.Max(before_.error + after.error + drift)};
}

}  // namespace heddle
