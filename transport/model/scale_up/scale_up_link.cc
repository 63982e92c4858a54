// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/scale_up/scale_up_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace heddle {

ScaleUpLink::ScaleUpLink(const ScaleUpLevel& level, BitRate rate, Time delay, bool whole_ns)
    : packet_bytes_(level.packet_bytes),
      header_bytes_(level.header_bytes),
      flit_bytes_(level.flit_bytes),
      padded_(level.padded),
      whole_ns_(whole_ns),
      rate_{std::max<std::int64_t>(std::llround(static_cast<double>(rate.bps) * level.efficiency),
                                   1)},
      delay_(delay),
      credit_delay_(level.credit_delay),
      buffer_flits_(static_cast<std::uint32_t>(level.buffer_flits)),
      channels_(level.virtual_channels) {
  full_time_ = TimeByBytes(packet_bytes_);
  const std::uint32_t flits = FlitsOf(header_bytes_ + packet_bytes_);
  full_flits_ = std::min(flits, buffer_flits_);
  if (buffer_flits_ != 0 && buffer_flits_ < flits) {
    throw UserError(
        fmt::format("scale-up level '{}': buffers of {} flits, but a packet has {}. Expected: "
                    "buffers that hold a packet, or 0 for buffers without limit",
                    level.name, buffer_flits_, flits));
  }
}

Time ScaleUpLink::LongTime(std::int64_t payload, bool up) const {
  constexpr __int128 kBitTimes = 8'000'000'000'000;  // eight, in picoseconds
  constexpr __int128 kFar = std::int64_t{1} << 62;
  const __int128 ps = (WireBytes(payload) * kBitTimes + (up ? rate_.bps - 1 : 0)) / rate_.bps;
  return Time{static_cast<std::int64_t>(std::min(ps, kFar))};
}

Time ScaleUpLink::TimeByBytes(std::int64_t payload) const {
  constexpr std::int64_t kMostShort = 1'000'000;  // of TransmissionTime
  if (whole_ns_) return TruncateToNanoseconds(LongTime(payload, false));
  if (WireBytes(payload) < kMostShort) return TransmissionTime(Bytes{WireBytes(payload)}, rate_);
  return LongTime(payload, true);
}

bool ScaleUpLink::MayRunOut() const {
  if (buffer_flits_ == 0) return false;
  const Time round_trip = full_time_ + delay_ * 2 + credit_delay_;
  const std::uint32_t flits = FlitsOf(header_bytes_ + packet_bytes_);
  const std::int64_t packets = std::int64_t{channels_} * (buffer_flits_ / flits);
  if (padded_) return full_time_ * packets < round_trip;
  // The flits of short packets pass fastest: one flit of one byte and the header, or a flit and a
  // byte of the next.
  const std::int64_t bytes =
      std::min(1 + header_bytes_, std::max<std::int64_t>(flit_bytes_ / 2, 1));
  return TransmissionTime(Bytes{bytes}, rate_) * (packets * flits) < round_trip;
}

}  // namespace heddle
