// SPDX-License-Identifier: GPL-2.0-only
/// A flow under NSCC in the network of its constants (100 Gb/s, 12 us): payload 4000, packet 4064,
/// T = base = 12 us, alpha T = 16,000, fi = 20,000, eta = 600, fi_scale = 1/4, largest window
/// 225,000, an adjustment after more than 32,512 bytes or 12 us.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>

#include "tests/unit/transport/model/uec/uec_test_util.h"
#include "transport/model/uec/nscc.h"

namespace heddle::testing {

constexpr std::int64_t kPacket = 4064;
constexpr std::int64_t kLargest = 225'000;
constexpr std::int64_t kFirst = 10 * kPacket;

/// A flow that starts with ten packets. Times in us.
class NsccFlow {
 public:
  explicit NsccFlow(Settings settings = {}) : options_(With(std::move(settings))) {
    control.Start(&state, MicroSeconds(12));
  }
  void Ack(double now, std::int64_t bytes, double delay, bool marked = false,
           std::int64_t in_flight = 0) {
    Nscc::Ack ack;
    ack.now = Us(now);
    ack.new_bytes = bytes;
    ack.round_trip = state.base_rtt + Us(delay);
    ack.marked = marked;
    ack.in_flight = in_flight;
    control.OnAck(&state, ack, &changes);
  }
  void AckWithoutSample(double now, std::int64_t bytes, bool marked = false) {
    Nscc::Ack ack;
    ack.now = Us(now);
    ack.new_bytes = bytes;
    ack.marked = marked;
    control.OnAck(&state, ack, &changes);
  }
  void Nack(double now, bool last_hop = false, std::int64_t in_flight = 0) {
    Nscc::Nack nack;
    nack.now = Us(now);
    nack.bytes = kPacket;
    nack.last_hop = last_hop;
    nack.in_flight = in_flight;
    control.OnNack(&state, nack, &changes);
  }
  std::int64_t window() const { return state.window; }
  std::int64_t sum() const {
    return std::accumulate(changes.bytes.begin(), changes.bytes.end(), std::int64_t{0});
  }
  static Time Us(double us) { return {static_cast<std::int64_t>(us * 1e6)}; }

 private:
  static UecOptions With(Settings settings) {
    settings.insert(settings.begin(), {"uec.initial_window", "10"});
    return Reference(std::move(settings));
  }
  UecOptions options_;

 public:
  Nscc control{options_, ReferenceScale(options_)};
  Nscc::State state;
  NsccChanges changes;
};

}  // namespace heddle::testing
