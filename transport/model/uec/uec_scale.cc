// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/uec_scale.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

/// The network for which the specification gives the constants.
constexpr double kReferenceBdp = 150'000;  // bytes: 100 Gb/s and 12 us
constexpr double kReferenceRtt = 12e6;     // ps
constexpr Time kRtoBase = MicroSeconds(15);
constexpr std::int64_t kRtoQueues = 6;
/// A rate of the credit control is at least this part of the share that the core allows.
constexpr double kLeastShare = 0.9;
constexpr double kMostScaledBytes = 1e12;

/// `factor` of `packets`, rounded up, and safe from the error of a product such as 0.2 * 35.
std::int64_t Share(double factor, std::int64_t packets) {
  return static_cast<std::int64_t>(std::ceil(factor * static_cast<double>(packets) - 1e-9));
}

double Product(Time time, BitRate rate) {
  return static_cast<double>(time.ps) * static_cast<double>(rate.bps) / 8e12;
}

/// Returns the time of `bytes` at `rate`, which TransmissionTime() cannot compute for so many.
Time DrainTime(std::int64_t bytes, BitRate rate) {
  return {static_cast<std::int64_t>(
      std::ceil(static_cast<double>(bytes) * 8e12 / static_cast<double>(rate.bps)))};
}

Time Scaled(Time time, double factor) {
  return {static_cast<std::int64_t>(static_cast<double>(time.ps) * factor)};
}

}  // namespace

UecScale::UecScale(const UecOptions& options, Time rtt, BitRate link, double oversubscription)
    : base_rtt(rtt), rate(link), window_bdps_(options.max_window) {
  HEDDLE_EXPECT(rtt > Time{0} && link.bps > 0 && oversubscription >= 1);
  const double product = Product(rtt, link);
  const double limit = options.queue_limit > 0 ? options.queue_limit : options.trimming ? 1 : 5;
  const double largest = std::max({limit * std::max(options.last_hop_limit, 1.0), options.kmin,
                                   options.kmax, options.max_window, 1.0});
  if (product * largest > kMostScaledBytes) {
    throw UserError("a round trip of " + ToText(rtt) + " at " + ToText(link) +
                    " is too large for the Ultra Ethernet transport");
  }
  const std::int64_t packet = options.mtu;
  bdp = std::max<std::int64_t>(1, static_cast<std::int64_t>(product));
  bdp_packets = (bdp + packet - 1) / packet;

  queue_limit = std::max<std::int64_t>(1, Share(limit, bdp_packets)) * packet;
  last_hop_limit =
      std::max<std::int64_t>(1, Share(limit * options.last_hop_limit, bdp_packets)) * packet;
  trimmed_limit = 2 * queue_limit;
  kmin = Share(options.kmin, bdp_packets) * packet;
  kmax = std::max(kmin, Share(options.kmax, bdp_packets) * packet);
  last_hop_ecn = !options.uses_credit();

  target_delay = options.target_delay;
  if (target_delay == Time{0}) target_delay = options.trimming ? Scaled(rtt, 0.75) : rtt;
  target_delay = std::max(target_delay, Time{1});
  quick_adapt_delay = Scaled(target_delay, options.quick_adapt_delay);
  const auto payload = static_cast<double>(options.payload());
  const auto target = static_cast<double>(target_delay.ps);
  a = static_cast<double>(bdp) / kReferenceBdp;
  b = target / kReferenceRtt;
  alpha = options.proportional * payload * a * b / target;
  fair_increase = options.fair_increase * payload * a;
  eta = options.eta * payload * a;
  fast_scale = options.fast_scale * a;
  min_window = packet;
  max_window = MaxWindow(rtt);
  initial_window = options.initial_window > 0
                       ? std::clamp(options.initial_window * packet, min_window, max_window)
                       : max_window;
  adjust_bytes = options.adjust_packets * packet;
  min_rto = options.min_rto;
  if (min_rto == Time{0}) min_rto = kRtoBase + DrainTime(kRtoQueues * queue_limit, link);

  using Oversubscribed = UecOptions::Oversubscribed;
  const bool narrow = oversubscription > 1 && options.congestion == UecOptions::Congestion::kRccc;
  oversubscription_control =
      options.uses_credit() && (options.oversubscribed == Oversubscribed::kOn ||
                                (options.oversubscribed == Oversubscribed::kAuto && narrow));
  least_credit_rate = kLeastShare / oversubscription;
}

std::int64_t UecScale::MaxWindow(Time rtt) const {
  const auto product = static_cast<double>(static_cast<std::int64_t>(Product(rtt, rate)));
  return std::max(min_window, static_cast<std::int64_t>(window_bdps_ * product));
}

Time UecBaseRtt(const UecOptions& options, Time propagation, std::int64_t links, BitRate rate) {
  const Time link =
      TransmissionTime(Bytes{options.mtu}, rate) + TransmissionTime(Bytes{options.control}, rate);
  return propagation * 2 + link * links;
}

}  // namespace heddle
