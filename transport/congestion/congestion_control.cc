// SPDX-License-Identifier: GPL-2.0-only
#include "transport/congestion/congestion_control.h"

#include <fmt/format.h>

#include <new>
#include <string>
#include <utility>

namespace heddle {
namespace {

using Algorithms = CongestionControl::Algorithms;

template <std::size_t I>
using Alternative = std::variant_alternative_t<I, Algorithms>;
constexpr auto kAll = std::make_index_sequence<std::variant_size_v<Algorithms>>();

/// "0 (none), 1 (DCQCN), ..": the modes that exist.
template <std::size_t... I>
std::string ModeNames(std::index_sequence<I...> /*all*/) {
  std::string text;
  ((text +=
    fmt::format("{}{} ({})", I == 0 ? "" : ", ", Alternative<I>::kMode, Alternative<I>::kName)),
   ...);
  return text;
}

template <std::size_t... I>
bool Exists(std::int64_t mode, std::index_sequence<I...> /*all*/) {
  return ((Alternative<I>::kMode == mode) || ...);
}

template <std::size_t I = 0>
Algorithms Make(const CongestionOptions& options) {
  if constexpr (I < std::variant_size_v<Algorithms>) {
    if (Alternative<I>::kMode == options.mode)
      return Algorithms(std::in_place_index<I>, MakeAlgorithm<Alternative<I>>(options));
    return Make<I + 1>(options);
  } else {
    throw UserError(fmt::format("congestion control {} does not exist. Expected: {}", options.mode,
                                ModeNames(kAll)));
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

CongestionControl::CongestionControl(const CongestionOptions& options) : algorithm_(Make(options)) {
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
      },
      algorithm_);
}

void CongestionControl::Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const {
  *state = State{};
  std::visit(
      [&](const auto& algorithm) {
        using Algorithm = std::decay_t<decltype(algorithm)>;
        algorithm.Start(new (state->bytes) typename Algorithm::State(), pace, seed, flow);
      },
      algorithm_);
}

void CongestionControl::React(State* state, Pace* pace, const AckSignals& signals) const {
  std::visit(
      [&](const auto& algorithm) {
        algorithm.OnAck(As<std::decay_t<decltype(algorithm)>>(state), pace, signals);
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
        algorithm.OnTimer(As<std::decay_t<decltype(algorithm)>>(state), pace, now);
      },
      algorithm_);
}

void CongestionOptions::Declare(OptionSet* options) {
  Option choice;
  choice.key = "transport.congestion_control";
  choice.simai_key = "CC_MODE";
  choice.help = "congestion control, by SimAI's number";
  choice.range = ModeNames(kAll);
  for (std::int64_t number = 0; number <= 10; ++number) {
    if (Exists(number, kAll)) choice.choices.push_back(fmt::format("{}", number));
  }
  choice.source = "SimAI.conf";
  choice.get = [this] { return fmt::format("{}", mode); };
  choice.set = [this](std::string_view text) {
    for (std::int64_t number = 0; number <= 10; ++number) {
      if (Exists(number, kAll) && text == fmt::format("{}", number)) {
        mode = number;
        return;
      }
    }
    throw UserError("one of " + ModeNames(kAll));
  };
  options->Add(std::move(choice));
  rates.Declare(options);
  dcqcn.Declare(options);
  hpcc.Declare(options);
  timely.Declare(options);
  dctcp.Declare(options);
  pint.Declare(options);
  options->AddUnused(
      {"INT_MULTI", "it scales SimAI's narrow telemetry fields; here telemetry is exact"});
}

}  // namespace heddle
