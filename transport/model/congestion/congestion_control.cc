// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/congestion_control.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/base/check.h"

namespace heddle {
namespace {

using Algorithms = CongestionControl::Algorithms;

template <std::size_t I>
using Alternative = std::variant_alternative_t<I, Algorithms>;

template <std::size_t I = 0>
Algorithms Make(const CongestionOptions& options) {
  if constexpr (I < std::variant_size_v<Algorithms>) {
    if (Alternative<I>::kMode == options.mode)
      return Algorithms(std::in_place_index<I>, MakeAlgorithm<Alternative<I>>(options));
    return Make<I + 1>(options);
  } else {
    throw UserError(fmt::format("congestion control {} does not exist. Expected: {}", options.mode,
                                CongestionModes()));
  }
}

template <class Algorithm>
typename Algorithm::State* As(CongestionControl::State* state) {
  return std::launder(reinterpret_cast<typename Algorithm::State*>(state->bytes));
}
template <class Algorithm>
const typename Algorithm::State& As(const CongestionControl::State& state) {
  return *std::launder(reinterpret_cast<const typename Algorithm::State*>(state.bytes));
}

}  // namespace

CongestionControl::CongestionControl(const CongestionOptions& options)
    : algorithm_(Make(options)), scales_window_(options.rates.scales_window) {
  std::visit(
      [this](const auto& algorithm) {
        using Algorithm = std::decay_t<decltype(algorithm)>;
        mode_ = Algorithm::kMode;
        name_ = Algorithm::kName;
        header_bytes_ = Algorithm::kTelemetryBytes;
        ack_bytes_ = Algorithm::kAckBytes;
        needs_ecn_ = Algorithm::kNeedsEcn;
        retimes_ = Algorithm::kRetimes;
        only_on_congestion_ = Algorithm::kOnlyOnCongestion;
        has_timers_ = Algorithm::kHasTimers;
        carries_tail_ = !std::is_same_v<typename Algorithm::Tail, Nothing>;
        stamps_ = Algorithm::kStamps;
        stamps_send_time_ = Algorithm::kFirstStamp == FirstStamp::kSendTime;
      },
      algorithm_);
}

void CongestionControl::Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const {
  *state = State{};
  std::visit(
      [&](const auto& algorithm) {
        using Algorithm = std::decay_t<decltype(algorithm)>;
        auto* own = new (state->bytes) typename Algorithm::State();
        detail::WithWindow<Algorithm>(scales_window_, pace,
                                      [&] { algorithm.Start(own, pace, seed, flow); });
      },
      algorithm_);
}

void CongestionControl::React(State* state, Pace* pace, const AckSignals& signals) const {
  std::visit(
      [&](const auto& algorithm) {
        using Algorithm = std::decay_t<decltype(algorithm)>;
        detail::WithWindow<Algorithm>(
            scales_window_, pace, [&] { algorithm.OnAck(As<Algorithm>(state), pace, signals); });
      },
      algorithm_);
}

Time CongestionControl::EarliestTimer(const State& state) const {
  return std::visit(
      [&](const auto& algorithm) {
        return algorithm.NextTimer(As<std::decay_t<decltype(algorithm)>>(state));
      },
      algorithm_);
}

void CongestionControl::OnTimer(State* state, Pace* pace, Time now) const {
  std::visit(
      [&](const auto& algorithm) {
        using Algorithm = std::decay_t<decltype(algorithm)>;
        detail::WithWindow<Algorithm>(scales_window_, pace,
                                      [&] { algorithm.OnTimer(As<Algorithm>(state), pace, now); });
      },
      algorithm_);
}

bool CongestionControl::IsSound(const void* tail) const {
  return std::visit(
      [&](const auto& algorithm) {
        using Tail = typename std::decay_t<decltype(algorithm)>::Tail;
        if constexpr (std::is_same_v<Tail, Nothing>) {
          return true;
        } else {
          return static_cast<const Tail*>(tail)->sound();
        }
      },
      algorithm_);
}

std::string CongestionOptions::WhyNoReplay() const {
  const CongestionControl control(*this);
  if (!control.Heeds(false)) return "";
  return std::string("congestion control ") + control.name() + " heeds every ACK";
}

}  // namespace heddle
