// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/request_scheduler.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <variant>

#include "core/base/check.h"
#include "core/base/units.h"
#include "transport/model/requests/request_schemes.h"
#include "transport/model/requests/request_split.h"

namespace heddle {
namespace {

template <std::size_t I = 0>
RequestSchemes MakeScheme(std::string_view name, const RequestSchemeSettings& settings) {
  using Scheme = std::variant_alternative_t<I, RequestSchemes>;
  if (name == Scheme::kTraits.name) return Scheme(settings);
  if constexpr (I + 1 < std::variant_size_v<RequestSchemes>)
    return MakeScheme<I + 1>(name, settings);
  return WholeMessage(settings);  // no such name: TraitsOfScheme() has refused it
}

RequestSchemeSettings SettingsOf(const RequestOptions& options) {
  return {options.split_min, options.stripe_start == RequestOptions::StripeStart::kNext,
          options.wrr, options.probe};
}

/// Why CAST never weighs: nothing of `size` bytes is shared by all queue pairs.
std::string NotSplit(const char* what, std::int64_t size, std::uint32_t queue_pairs,
                     std::int64_t split_min) {
  return fmt::format("{} of {} over {} queue pairs have {} each, below cast.split_min, {}", what,
                     ToText(Bytes{size}), queue_pairs, ToText(Bytes{size / queue_pairs}),
                     ToText(Bytes{split_min}));
}

}  // namespace

struct RequestScheduler::Scheme {
  RequestSchemes of;
};

RequestScheduler::RequestScheduler(const RequestOptions& options, int queue_pairs)
    : options_(options),
      traits_(TraitsOfScheme(options.scheduler)),
      queue_pairs_(static_cast<std::uint32_t>(queue_pairs)),
      scheme_(std::make_shared<const Scheme>(
          Scheme{MakeScheme(options.scheduler, SettingsOf(options))})),
      learning_(options) {
  HEDDLE_EXPECT(queue_pairs >= 1 && queue_pairs <= kMostQueuePairs);
}

void RequestScheduler::Check(const ConnectionState& state) const {
  ExpectState(state.size() == queue_pairs_, "a connection with another number of queue pairs");
}

bool RequestScheduler::Post(ConnectionState* state, std::int64_t bytes, Time now,
                            std::vector<Share>* shares) const {
  HEDDLE_EXPECT(active() && bytes > 0 && state->size() == queue_pairs_);
  shares->clear();
  const bool timed = std::visit(
      [&](const auto& scheme) { return scheme.Divide(state, bytes, shares); }, scheme_->of);
  for (Share& share : *shares) {
    share.timed = timed;
    state->pairs_[share.queue_pair].bytes += share.bytes;
  }
  return timed && learning_.Posted(state, now);
}

std::vector<std::string> RequestScheduler::Describe() const {
  if (!active()) return {};
  std::vector<std::string> lines = {
      fmt::format("requests of {} (send and receive: {}), {} in flight; {} over {} queue pair{}",
                  ToText(Bytes{options_.size}), ToText(Bytes{options_.send_recv_size}),
                  options_.in_flight, traits_.name, queue_pairs_, queue_pairs_ == 1 ? "" : "s")};
  if (!traits_.measures) return lines;
  if (queue_pairs_ == 1) {
    lines.push_back(
        "CAST is idle: a connection has one queue pair (nic.qps_per_connection sets their number)");
    return lines;
  }
  // Tokens ask for no size.
  if (!traits_.splits || options_.wrr) return lines;
  const std::int64_t least = options_.split_min;
  const bool collectives = IsSplit(options_.size, queue_pairs_, least),
             others = IsSplit(options_.send_recv_size, queue_pairs_, least);
  if (!collectives && !others) {
    lines.push_back("CAST is idle: " + NotSplit("requests", options_.size, queue_pairs_, least) +
                    "; cast.wrr=true sends them by tokens");
  } else if (!others) {
    lines.push_back(
        NotSplit("requests of send and receive", options_.send_recv_size, queue_pairs_, least) +
        ": they take turns");
  } else if (!collectives) {
    lines.push_back(NotSplit("requests of collectives", options_.size, queue_pairs_, least) +
                    ": they take turns");
  }
  return lines;
}

}  // namespace heddle
